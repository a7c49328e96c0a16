/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sets are on these devices? */
#ifndef RAIDXCTL_SCAN_H
#define RAIDXCTL_SCAN_H

#include "member.h"

/**
 * struct scanned_set - members that belong together.
 * @newest: the superblock that counts.
 * @newest_slot: of the member that it is on.
 * @at: member of each slot; NULL = not found.
 * @stranger: devices that claim a slot which is not, or no more, theirs.
 * @nr_strangers: how many.
 * @nr_found: members found.
 */
struct scanned_set {
	const struct raidx_disk_super *newest;
	unsigned int newest_slot;
	struct member *at[RAIDX_MAX_MEMBERS];
	struct member *stranger[RAIDX_MAX_MEMBERS];
	unsigned int nr_strangers;
	unsigned int nr_found;
};

/**
 * struct scan - what was found.
 * @member: devices that are members of something.
 * @nr_members: how many.
 * @set: the sets.
 * @nr_sets: how many.
 * @bad: devices named that could not be opened or are no members; each was said.
 */
struct scan {
	struct member **member;
	unsigned int nr_members;
	struct scanned_set *set;
	unsigned int nr_sets;
	unsigned int bad;
};

/* Look at the devices named, or at all block devices when there are none. */
void scan_devices(struct scan *scan, int nr, char **paths);
void scan_free(struct scan *scan);

/* Did these two run without each other? */
bool scan_ran_apart(const struct raidx_disk_super *a, const struct raidx_disk_super *b);

/* Is the member of @slot here, known to the newest superblock, and in sync? */
bool scan_readable(const struct scanned_set *set, unsigned int slot);

/* Members that may be missing. */
unsigned int scan_tolerance(const struct raidx_disk_super *super);

#endif /* RAIDXCTL_SCAN_H */
