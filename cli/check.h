/* SPDX-License-Identifier: GPL-2.0-only */
/* Offline check of a set: findings, and the parts of the check. */
#ifndef RAIDXCTL_CHECK_H
#define RAIDXCTL_CHECK_H

#include "scan.h"

enum finding {
	FINDING_NOTE,		/* normal after a power cut; the next start sees to it */
	FINDING_DAMAGE,		/* something is wrong that redundancy makes up for */
	FINDING_LOSS,		/* the set does not start like this, or something is lost */
	NR_FINDINGS
};

/**
 * struct check - check of one set.
 * @set: the set.
 * @super: the superblock that counts.
 * @geo: its geometry.
 * @quick: leave out the table pages.
 * @data: read the log's payload too.
 * @count: findings of each kind.
 * @text: the findings, "note: ..." and so on.
 * @nr_texts: how many are kept.
 * @groups: block groups in use.
 * @anchor_pages: anchor pages found good.
 * @table_pages: table pages found good.
 * @entries: log entries from the tail on.
 * @log_blocks: payload blocks of these.
 */
struct check {
	const struct scanned_set *set;
	const struct raidx_disk_super *super;
	struct raidx_geometry geo;
	bool quick;
	bool data;
	u64 count[NR_FINDINGS];
	char **text;
	unsigned int nr_texts;
	u64 groups;
	u64 anchor_pages;
	u64 table_pages;
	u64 entries;
	u64 log_blocks;
};

void check_found(struct check *check, enum finding kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Read from a member that is in sync; 0 or -errno. */
int check_read(struct check *check, unsigned int slot, u64 block, u32 nr, void *to);

/* Block groups, roots, lost blocks; then the table pages that the roots name. */
void check_anchor(struct check *check);

/* Entry headers from the tail to the first that is missing. */
void check_log(struct check *check);

#endif /* RAIDXCTL_CHECK_H */
