// SPDX-License-Identifier: GPL-2.0-only
/* Which sets are on these devices? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "scan.h"
#include "text.h"

static void add_member(struct scan *scan, struct member *member)
{
	struct member **longer = realloc(scan->member, (scan->nr_members + 1) * sizeof(*longer));

	if (!longer) {
		member_close(member);
		return;
	}
	scan->member = longer;
	scan->member[scan->nr_members++] = member;
}

/* @named: the user gave it, so that it has to be a member. */
static void look_at(struct scan *scan, const char *path, bool named)
{
	struct member *member = member_open(path);

	if (!member) {
		if (named) {
			complain("%s: cannot be opened: %s", path, strerror(errno));
			scan->bad++;
		}
		return;
	}
	if (member->best) {
		add_member(scan, member);
		return;
	}
	if (named || member->known) {
		complain("%s: %s", path, member_error(member));
		scan->bad += named;
	}
	member_close(member);
}

static bool is_newer(const struct raidx_disk_super *a, const struct raidx_disk_super *b)
{
	if (a->events != b->events)
		return le64_to_cpu(b->events) > le64_to_cpu(a->events);
	return le64_to_cpu(b->epoch) > le64_to_cpu(a->epoch);
}

static struct scanned_set *set_of(struct scan *scan, const struct raidx_disk_super *super)
{
	struct scanned_set *longer;
	unsigned int i;

	for (i = 0; i < scan->nr_sets; i++)
		if (!memcmp(scan->set[i].newest->set_uuid, super->set_uuid, RAIDX_UUID_BYTES))
			return &scan->set[i];
	longer = realloc(scan->set, (scan->nr_sets + 1) * sizeof(*longer));
	if (!longer)
		return NULL;
	scan->set = longer;
	memset(&scan->set[scan->nr_sets], 0, sizeof(*longer));
	scan->set[scan->nr_sets].newest = super;
	return &scan->set[scan->nr_sets++];
}

static void add_stranger(struct scanned_set *set, struct member *member)
{
	if (set->nr_strangers < RAIDX_MAX_MEMBERS)
		set->stranger[set->nr_strangers++] = member;
}

/* Put the members in their slots, now that it is known which superblock counts. */
static void place_members(struct scan *scan, struct scanned_set *set)
{
	unsigned int i;

	for (i = 0; i < scan->nr_members; i++) {
		struct member *member = scan->member[i];
		const struct raidx_disk_super *super = member->best;

		if (memcmp(super->set_uuid, set->newest->set_uuid, RAIDX_UUID_BYTES))
			continue;
		if (super->slot >= set->newest->nr_slots || set->at[super->slot] ||
		    memcmp(super->member_uuid, set->newest->member[super->slot].member_uuid, RAIDX_UUID_BYTES)) {
			add_stranger(set, member);
			continue;
		}
		set->at[super->slot] = member;
		set->nr_found++;
		if (super == set->newest)
			set->newest_slot = super->slot;
	}
}

void scan_devices(struct scan *scan, int nr, char **paths)
{
	unsigned int found = 0, i;
	char **list = nr ? NULL : device_list(&found);

	memset(scan, 0, sizeof(*scan));
	for (i = 0; i < (unsigned int)nr; i++)
		look_at(scan, paths[i], true);
	for (i = 0; i < found; i++) {
		look_at(scan, list[i], false);
		free(list[i]);
	}
	free(list);
	for (i = 0; i < scan->nr_members; i++) {
		struct scanned_set *set = set_of(scan, scan->member[i]->best);

		if (set && is_newer(set->newest, scan->member[i]->best))
			set->newest = scan->member[i]->best;
	}
	for (i = 0; i < scan->nr_sets; i++)
		place_members(scan, &scan->set[i]);
}

void scan_free(struct scan *scan)
{
	unsigned int i;

	for (i = 0; i < scan->nr_members; i++)
		member_close(scan->member[i]);
	free(scan->member);
	free(scan->set);
}

bool scan_ran_apart(const struct raidx_disk_super *a, const struct raidx_disk_super *b)
{
	bool a_without_b = le64_to_cpu(a->absentees) & (1ULL << b->slot);
	bool b_without_a = le64_to_cpu(b->absentees) & (1ULL << a->slot);

	if (a->member[b->slot].state == RAIDX_SLOT_FAILED && b->member[a->slot].state == RAIDX_SLOT_FAILED)
		return true;
	return a_without_b && b_without_a && memcmp(a->start_id, b->start_id, RAIDX_UUID_BYTES);
}

bool scan_readable(const struct scanned_set *set, unsigned int slot)
{
	return set->at[slot] && set->newest->member[slot].state == RAIDX_SLOT_IN_SYNC;
}

unsigned int scan_tolerance(const struct raidx_disk_super *super)
{
	switch (super->level) {
	case RAIDX_LEVEL_RAID0:
		return 0;
	case RAIDX_LEVEL_RAID1:
		return super->nr_slots - super->nr_spares - 1;
	case RAIDX_LEVEL_RAID10:
		return super->copies - 1;
	default:
		return super->parity;
	}
}
