/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sets are in use, by which mapped device; what a table holds of its set. */
#ifndef RAIDX_REGISTRY_H
#define RAIDX_REGISTRY_H

#include <linux/bitmap.h>
#include <raidx/level.h>
#include <raidx/set.h>
#include <raidx/table_line.h>

struct raidx_sysfs;

/**
 * struct raidx_dm_table - one table (active or inactive) of a mapped device; dm_target's private.
 * @ti: its target.
 * @set: its set; shared with another table of the same mapped device when the set is live.
 * @line: what was asked for; @line.dev is only valid in the constructor.
 * @dev: its own reference to each device, in the order of the line; NULL = "-".
 */
struct raidx_dm_table {
	struct dm_target *ti;
	struct raidx_set *set;
	struct raidx_table_line line;
	struct dm_dev *dev[RAIDX_MAX_MEMBERS];
};

/**
 * struct raidx_set_private - what set/ keeps of a set besides struct raidx_set.
 * @owner: the mapped device; never changes.
 * @starting: preresume is at work; raidx_registry_mutex.
 * @super_b: block of superblock B on each member.
 * @page: a page for each member's superblock; set->lock.
 * @unreported: failed members that the level was not told of yet; set->lock.
 * @reporting: the level is being told; set->lock.
 * @sysfs: /sys/block/dm-N/raidx; made in the first resume.
 */
struct raidx_set_private {
	struct mapped_device *owner;
	bool starting;
	u64 super_b[RAIDX_MAX_MEMBERS];
	struct page *page[RAIDX_MAX_MEMBERS];
	DECLARE_BITMAP(unreported, RAIDX_MAX_MEMBERS);
	bool reporting;
	struct raidx_sysfs *sysfs;
};

static inline struct raidx_set_private *raidx_set_private(const struct raidx_set *set)
{
	return set->private;
}

/* Slots that hold data (the others are spares). */
static inline unsigned int raidx_set_nr_data(const struct raidx_set *set)
{
	return set->geo.nr_slots - set->geo.nr_spares;
}

/* Operations of a level, or NULL when it is not in this version. */
const struct raidx_level_ops *raidx_level_find(u8 level);

/**
 * raidx_registry_open() - give a new table its set.
 * @table: line and devices are there.
 * @error: result: a static sentence.
 *
 * Reads superblocks, writes nothing.  Context: constructor.
 * Return: 0 or -errno; then raidx_registry_close() is still due.
 */
int raidx_registry_open(struct raidx_dm_table *table, const char **error);

/**
 * raidx_registry_start() - preresume: start the set, or adopt the live one.
 * @table: the table that becomes active.
 *
 * Return: 0 or -errno (what is wrong was logged); never fails for a live set.
 */
int raidx_registry_start(struct raidx_dm_table *table);

/**
 * raidx_registry_close() - the table lets go of its set; the last one stops and frees it.
 * @table: the table; its devices are still held.
 */
void raidx_registry_close(struct raidx_dm_table *table);

/* ---- set.c, for registry.c and superblock.c ---- */

/* A set whose members are the table's devices in the order of the line; NULL when there is no memory. */
struct raidx_set *raidx_set_create(struct raidx_dm_table *table);

/* Free a set that is stopped. */
void raidx_set_destroy(struct raidx_set *set);

/* Members are the table's devices again, in the order of the line. set->lock or not yet shared. */
void raidx_set_reset_members(struct raidx_dm_table *table);

/*
 * raidx_set_identify() - read all superblocks; do they belong to one set, and does the line agree?
 * @table: table with a set of its own.
 * @error: result: a static sentence.
 *
 * Takes from the newest superblock what never changes: set->geo, the image set->super.
 */
int raidx_set_identify(struct raidx_dm_table *table, const char **error);

/*
 * raidx_set_start() - create or assemble the set and start its level.
 * @table: the table that becomes active.
 *
 * Context: preresume, no lock held.
 */
int raidx_set_start(struct raidx_dm_table *table);

/* May the live set go on with this table's devices alone?  NULL or a static sentence. */
const char *raidx_set_check_adopt(const struct raidx_set *set, const struct raidx_dm_table *table);

/* Members that this table does not hold are given up. */
void raidx_set_adopt(struct raidx_dm_table *table);

/* Would the set still work without @slot as well? set->lock. */
bool raidx_set_can_lose(const struct raidx_set *set, unsigned int slot);

#endif /* RAIDX_REGISTRY_H */
