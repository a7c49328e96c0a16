/* SPDX-License-Identifier: GPL-2.0-only */
/* The table line: its grammar and its inverse.  Pure; compiled in user space too. */
#ifndef RAIDX_TABLE_LINE_H
#define RAIDX_TABLE_LINE_H

#include <raidx/types.h>

#define RAIDX_POLICY_NOT_GIVEN	0xff

/* Optional argument "verify". */
enum raidx_verify {
	RAIDX_VERIFY_NOT_GIVEN = 0,
	RAIDX_VERIFY_CACHED = 1,
	RAIDX_VERIFY_ALWAYS = 2,
};

/**
 * struct raidx_table_line - a parsed table line; 0 = not given.
 * @level: enum raidx_level.
 * @parity: failures tolerated by a pool.
 * @spares: the last so many devices are spares.
 * @policy: enum tss_policy_kind or RAIDX_POLICY_NOT_GIVEN.
 * @verify: enum raidx_verify.
 * @nr_members: devices and "-" together.
 * @create: format the devices.
 * @force: also those that carry something else; of diverged halves keep the newest.
 * @degraded: start without members that are not recorded as failed.
 * @chunk_sectors: chunk.
 * @cache_pages: table page cache.
 * @log_sectors: ring of the log, before copies.
 * @log_cache_sectors: memory for logged blocks.
 * @extent_sectors: extent.
 * @dev: device names, NULL = "-"; they are the words that were parsed and live as long as those.
 */
struct raidx_table_line {
	u8 level;
	u8 parity;
	u8 spares;
	u8 policy;
	u8 verify;
	u8 nr_members;
	bool create;
	bool force;
	bool degraded;
	u32 chunk_sectors;
	u32 cache_pages;
	u64 log_sectors;
	u64 log_cache_sectors;
	u64 extent_sectors;
	const char *dev[RAIDX_MAX_MEMBERS];
};

/**
 * raidx_table_line_parse() - read the words of a table line after the target's name.
 * @argc: number of words.
 * @argv: the words.
 * @line: result; undefined on error.
 *
 * Return: NULL, or a static sentence that names the wrong argument.
 */
const char *raidx_table_line_parse(unsigned int argc, char **argv, struct raidx_table_line *line);

/**
 * raidx_table_line_format() - the inverse of raidx_table_line_parse().
 * @line: what to write.
 * @to: where to.
 * @size: room there, more than 0.
 *
 * Return: characters written without the NUL; @size - 1 may mean that the line was cut short.
 */
unsigned int raidx_table_line_format(const struct raidx_table_line *line, char *to, unsigned int size);

/* Word of a level; "none" for what is not a level of a set. */
const char *raidx_level_name(u8 level);

/* Levels that are pools: log, block groups, map. */
static inline bool raidx_level_is_pool(u8 level)
{
	return level == RAIDX_LEVEL_RAID5 || level == RAIDX_LEVEL_RAID6 || level == RAIDX_LEVEL_CRAID5 ||
	       level == RAIDX_LEVEL_TSS;
}

#endif /* RAIDX_TABLE_LINE_H */
