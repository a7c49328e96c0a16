// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check of anchor pages and table pages.
 *
 * An anchor page counts with the highest generation that is not above the superblock's checkpoint, over both homes and
 * all members in sync; each of these should have it.  A table page is to be what its root says, in every column.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "text.h"

#define RUN 32	/* pages read at once */

/**
 * struct table_unit - a run of table pages.
 * @table: enum raidx_table.
 * @unit: which run.
 * @width: copies.
 * @column: where they are.
 */
struct table_unit {
	u8 table;
	u8 width;
	u32 unit;
	struct raidx_disk_extent column[RAIDX_MAX_COPIES];
};

/**
 * struct claim - an extent in use.
 * @extent: it.
 * @slot: of this member.
 * @group: by this block group.
 */
struct claim {
	u32 extent;
	u32 slot;
	u32 group;
};

/**
 * struct anchor - what the anchor pages say.
 * @check: the check.
 * @unit: table units.
 * @nr_units: how many.
 * @claim: extents in use.
 * @nr_claims: how many.
 * @homes: pages of one run as read from one member, two homes each.
 * @best: of each page of the run the best version.
 * @generation: of these; -1 = none.
 * @on_slot: generation that each slot has of each page; -1 = none, -2 = could not be read.
 */
struct anchor {
	struct check *check;
	struct table_unit *unit;
	size_t nr_units;
	struct claim *claim;
	size_t nr_claims;
	u8 homes[2 * RUN][RAIDX_BLOCK_BYTES];
	u8 best[RUN][RAIDX_BLOCK_BYTES];
	s64 generation[RUN];
	s64 on_slot[RAIDX_MAX_MEMBERS][RUN];
};

typedef void (*take_page_t)(struct anchor *anchor, u32 number, const void *payload);

static const char *const table_names[RAIDX_NR_TABLES] = {
	[RAIDX_TABLE_GROUP] = "block group", [RAIDX_TABLE_ROOT] = "root", [RAIDX_TABLE_LOST] = "lost block",
	[RAIDX_TABLE_WRITTEN] = "written bit", [RAIDX_TABLE_MAP] = "map", [RAIDX_TABLE_ROW] = "row",
	[RAIDX_TABLE_HEAT] = "heat",
};

/* A new element at the end of an array; NULL = no memory. */
static void *grow(void *array, size_t *nr, size_t bytes)
{
	void **at = array;
	void *longer = (*nr & (*nr - 1)) ? *at : realloc(*at, (*nr ? 2 * *nr : 1) * bytes);

	if (!longer)
		return NULL;
	*at = longer;
	return memset((char *)longer + (*nr)++ * bytes, 0, bytes);
}

static void judge_slot(struct anchor *anchor, unsigned int slot, u8 table, u32 first, u32 nr)
{
	const struct raidx_disk_super *super = anchor->check->super;
	u32 i;

	for (i = 0; i < 2 * nr; i++) {
		const struct raidx_disk_page *page = (const void *)anchor->homes[i];
		u64 generation = le64_to_cpu(page->generation);

		if (raidx_page_check(page, super->set_uuid, table, first + i / 2) ||
		    generation > le64_to_cpu(super->checkpoint))
			continue;
		anchor->on_slot[slot][i / 2] = max(anchor->on_slot[slot][i / 2], (s64)generation);
		if ((s64)generation > anchor->generation[i / 2]) {
			anchor->generation[i / 2] = generation;
			memcpy(anchor->best[i / 2], page, RAIDX_BLOCK_BYTES);
		}
	}
}

static void report_page(struct anchor *anchor, u8 table, u32 number, u32 i)
{
	struct check *check = anchor->check;
	unsigned int slot;

	if (anchor->generation[i] < 0) {
		check_found(check, FINDING_LOSS, "%s page %u: no valid copy on any member", table_names[table], number);
		return;
	}
	check->anchor_pages++;
	for (slot = 0; slot < check->geo.nr_slots; slot++) {
		if (!scan_readable(check->set, slot) || anchor->on_slot[slot][i] == anchor->generation[i])
			continue;
		if (anchor->on_slot[slot][i] == -2)
			check_found(check, FINDING_DAMAGE, "%s page %u: cannot be read from slot %u", table_names[table],
				    number, slot);
		else if (anchor->on_slot[slot][i] < 0)
			check_found(check, FINDING_DAMAGE, "%s page %u: no valid copy on slot %u", table_names[table], number,
				    slot);
		else
			check_found(check, FINDING_DAMAGE, "%s page %u: only an older version on slot %u (%lld, not %lld)",
				    table_names[table], number, slot, (long long)anchor->on_slot[slot][i],
				    (long long)anchor->generation[i]);
	}
}

static void read_run(struct anchor *anchor, u8 table, u32 first, u32 nr)
{
	struct check *check = anchor->check;
	u64 block = check->geo.anchor_start + 2ULL * (raidx_anchor_base(&check->geo, table) + first);
	unsigned int slot;
	u32 i;

	for (i = 0; i < nr; i++)
		anchor->generation[i] = -1;
	for (slot = 0; slot < check->geo.nr_slots; slot++) {
		int ret = check_read(check, slot, block, 2 * nr, anchor->homes);

		for (i = 0; i < nr; i++)
			anchor->on_slot[slot][i] = ret ? -2 : -1;
		if (!ret)
			judge_slot(anchor, slot, table, first, nr);
	}
}

static void read_table(struct anchor *anchor, u8 table, u32 total, take_page_t take)
{
	u32 first, nr, i;

	for (first = 0; first < total; first += nr) {
		nr = min_t(u32, RUN, total - first);
		read_run(anchor, table, first, nr);
		for (i = 0; i < nr; i++) {
			report_page(anchor, table, first + i, i);
			if (anchor->generation[i] >= 0)
				take(anchor, first + i, anchor->best[i] + sizeof(struct raidx_disk_page));
		}
	}
}

static void take_group(struct anchor *anchor, u32 number, const void *payload)
{
	const struct raidx_disk_group *group = payload;
	struct check *check = anchor->check;
	const char *error = raidx_group_check(group, &check->geo);
	u32 i;

	if (error) {
		check_found(check, FINDING_LOSS, "block group %u: %s", number, error);
		return;
	}
	if (group->level == RAIDX_LEVEL_NONE)
		return;
	check->groups++;
	for (i = 0; i < group->width; i++) {
		u32 extent = le32_to_cpu(group->column[i].extent);
		const struct raidx_disk_slot *slot = &check->super->member[group->column[i].slot];
		struct claim *claim;

		if (extent >= le64_to_cpu(slot->data_sectors) / RAIDX_BLOCK_SECTORS / check->geo.extent_blocks) {
			check_found(check, FINDING_LOSS, "block group %u: its extent %u is beyond the end of slot %u", number,
				    extent, group->column[i].slot);
			continue;
		}
		claim = grow(&anchor->claim, &anchor->nr_claims, sizeof(*claim));
		if (claim)
			*claim = (struct claim){ .extent = extent, .slot = group->column[i].slot, .group = number };
	}
	if (group->level == RAIDX_LEVEL_TABLE) {
		struct table_unit *unit = grow(&anchor->unit, &anchor->nr_units, sizeof(*unit));

		if (!unit)
			return;
		unit->table = group->table;
		unit->unit = le32_to_cpu(group->unit);
		unit->width = group->width;
		memcpy(unit->column, group->column, group->width * sizeof(unit->column[0]));
	}
}

static int by_place(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->extent < y->extent ? -1 : x->extent > y->extent;
}

static int by_unit(const void *a, const void *b)
{
	const struct table_unit *x = a, *y = b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void check_claims(struct anchor *anchor)
{
	size_t i;

	if (anchor->nr_claims)
		qsort(anchor->claim, anchor->nr_claims, sizeof(*anchor->claim), by_place);
	for (i = 1; i < anchor->nr_claims; i++)
		if (!by_place(&anchor->claim[i - 1], &anchor->claim[i]))
			check_found(anchor->check, FINDING_LOSS, "extent %u of slot %u is claimed by block groups %u and %u",
				    anchor->claim[i].extent, anchor->claim[i].slot, anchor->claim[i - 1].group,
				    anchor->claim[i].group);
	if (anchor->nr_units)
		qsort(anchor->unit, anchor->nr_units, sizeof(*anchor->unit), by_unit);
	for (i = 1; i < anchor->nr_units; i++)
		if (!by_unit(&anchor->unit[i - 1], &anchor->unit[i]))
			check_found(anchor->check, FINDING_LOSS, "two block groups hold unit %u of the %s table",
				    anchor->unit[i].unit, table_names[anchor->unit[i].table]);
}

/* ---- table pages ---- */

static bool is_expected(const struct check *check, const struct raidx_disk_page *page, u8 table, u64 number, u8 root)
{
	return !raidx_page_check(page, check->super->set_uuid, table, number) &&
	       (le64_to_cpu(page->generation) & 63) == RAIDX_ROOT_GENERATION(root);
}

static void check_map_page(struct check *check, const struct raidx_disk_page *page, u64 number)
{
	const struct raidx_disk_map *map = (const void *)(page + 1);
	u32 i;

	for (i = 0; i < RAIDX_MAPS_PER_PAGE; i++)
		if (!raidx_map_valid(&map[i], &check->geo))
			check_found(check, FINDING_LOSS, "map page %llu: home of stripe %llu out of range",
				    (unsigned long long)number,
				    (unsigned long long)(number * RAIDX_MAPS_PER_PAGE + i));
}

/* One run of pages, within a unit, whose roots are @roots; how many copies of each are good goes to @good. */
static void count_good(struct anchor *anchor, const struct table_unit *unit, u64 first, u32 nr, const u8 *roots, u8 *good)
{
	struct check *check = anchor->check;
	const struct raidx_geometry *geo = &check->geo;
	u32 copy, i;

	for (copy = 0; copy < unit->width; copy++) {
		u64 block = geo->data_start + (u64)le32_to_cpu(unit->column[copy].extent) * geo->extent_blocks +
			    2 * (first % raidx_unit_pages(geo));
		int ret = check_read(check, unit->column[copy].slot, block, 2 * nr, anchor->homes);

		if (ret == -ENODEV)
			continue;
		for (i = 0; i < nr; i++) {
			const struct raidx_disk_page *page;

			if (!(roots[i] & 3))
				continue;
			page = (const void *)anchor->homes[2 * i + RAIDX_ROOT_HOME(roots[i])];
			if (ret || !is_expected(check, page, unit->table, first + i, roots[i])) {
				check_found(check, FINDING_DAMAGE, "%s page %llu: not valid on slot %u", table_names[unit->table],
					    (unsigned long long)(first + i), unit->column[copy].slot);
				continue;
			}
			if (!good[i]++ && unit->table == RAIDX_TABLE_MAP)
				check_map_page(check, page, first + i);
		}
	}
}

static void check_run(struct anchor *anchor, u8 table, u64 first, u32 nr, const u8 *roots)
{
	struct check *check = anchor->check;
	struct table_unit key = { .table = table, .unit = first / raidx_unit_pages(&check->geo) }, *unit = NULL;
	u8 good[RUN] = { 0 };
	u32 i, written = 0;

	for (i = 0; i < nr; i++) {
		if ((roots[i] & 3) == 3)
			check_found(check, FINDING_LOSS, "%s page %llu: its root names no home", table_names[table],
				    (unsigned long long)(first + i));
		written += (roots[i] & 3) == 1 || (roots[i] & 3) == 2;
	}
	if (!written)
		return;
	if (anchor->nr_units)
		unit = bsearch(&key, anchor->unit, anchor->nr_units, sizeof(key), by_unit);
	if (unit) {
		u8 named[RUN];

		for (i = 0; i < nr; i++)
			named[i] = (roots[i] & 3) == 3 ? 0 : roots[i];
		count_good(anchor, unit, first, nr, named, good);
	}
	for (i = 0; i < nr; i++) {
		if (!(roots[i] & 3) || (roots[i] & 3) == 3)
			continue;
		check->table_pages += !!good[i];
		if (!good[i])
			check_found(check, FINDING_LOSS, "%s page %llu: %s", table_names[table], (unsigned long long)(first + i),
				    unit ? "no valid copy" : "no block group holds it");
	}
}

/* Root number -> table and page, and how many roots of that table follow with it. */
static bool split_root(const struct raidx_geometry *geo, u64 number, u8 *table, u64 *page, u64 *left)
{
	const u64 pages[] = { geo->map_pages, geo->row_pages, geo->heat_pages };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		if (number < pages[i]) {
			*table = RAIDX_TABLE_MAP + i;
			*page = number;
			*left = pages[i] - number;
			return true;
		}
		number -= pages[i];
	}
	return false;
}

static void take_roots(struct anchor *anchor, u32 number, const void *payload)
{
	struct check *check = anchor->check;
	const u8 *roots = payload;
	u32 at = 0, nr;

	while (at < RAIDX_ROOTS_PER_PAGE) {
		u64 page, left;
		u8 table;

		if (!split_root(&check->geo, (u64)number * RAIDX_ROOTS_PER_PAGE + at, &table, &page, &left))
			break;
		nr = min3((u64)RUN, left, (u64)RAIDX_ROOTS_PER_PAGE - at);
		nr = min_t(u64, nr, raidx_unit_pages(&check->geo) - page % raidx_unit_pages(&check->geo));
		if (!check->quick)
			check_run(anchor, table, page, nr, roots + at);
		at += nr;
	}
	for (; at < RAIDX_ROOTS_PER_PAGE; at++)
		if (roots[at]) {
			check_found(check, FINDING_DAMAGE, "root page %u: roots of pages that do not exist", number);
			break;
		}
}

static void take_lost(struct anchor *anchor, u32 number, const void *payload)
{
	const struct raidx_disk_lost *lost = payload;
	struct check *check = anchor->check;
	u32 i;

	(void)number;
	for (i = 0; i < RAIDX_LOST_PER_PAGE; i++)
		if (lost[i].count)
			check_found(check, FINDING_LOSS, "%u blocks from block %llu on could not be recovered; they read as errors",
				    le32_to_cpu(lost[i].count), (unsigned long long)le64_to_cpu(lost[i].first));
}

static void take_nothing(struct anchor *anchor, u32 number, const void *payload)
{
	(void)anchor;
	(void)number;
	(void)payload;
}

void check_anchor(struct check *check)
{
	struct anchor *anchor = calloc(1, sizeof(*anchor));

	if (!anchor) {
		check_found(check, FINDING_LOSS, "not enough memory to check the anchor pages");
		return;
	}
	anchor->check = check;
	read_table(anchor, RAIDX_TABLE_GROUP, le32_to_cpu(check->super->groups_used), take_group);
	check_claims(anchor);
	read_table(anchor, RAIDX_TABLE_LOST, check->geo.lost_pages, take_lost);
	read_table(anchor, RAIDX_TABLE_WRITTEN, check->geo.written_pages, take_nothing);
	read_table(anchor, RAIDX_TABLE_ROOT, check->geo.root_pages, take_roots);
	free(anchor->unit);
	free(anchor->claim);
	free(anchor);
}
