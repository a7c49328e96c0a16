// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx block groups: extents of distinct members joined into rows of one level.
 *
 * Each group has two bitmaps.  image.used is what a checkpoint writes: rows that the map points at.  busy is
 * what the allocator looks at: used rows, rows being written, and rows that were left but whose MAP record is
 * not durable yet or that a reader still uses.  After a crash busy = used: a row that was being written has no
 * owner and is free again.  All under set->lock.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <raidx/pool.h>

u8 raidx_parity_level(const struct raidx_pool *pool)
{
	return pool->set->geo.parity == 2 ? RAIDX_LEVEL_RAID6 : RAIDX_LEVEL_RAID5;
}

struct raidx_record_item *raidx_record_new(u8 type, u32 bytes, u32 count)
{
	struct raidx_record_item *item;

	bytes = roundup(bytes, 8);
	item = kzalloc(struct_size(item, record, 1) + bytes, GFP_NOIO | __GFP_NOFAIL);
	item->bytes = bytes;
	if (bytes) {
		item->record->type = type;
		item->record->bytes = cpu_to_le16(bytes);
		item->record->count = cpu_to_le32(count);
	}
	return item;
}

void raidx_record_queue(struct raidx_pool *pool, struct raidx_record_item *item)
{
	lockdep_assert_held(&pool->set->lock);
	list_add_tail(&item->list, &pool->pending_records);
	pool->nr_pending_records++;
}

/* Free extents of members that take writes. */
static bool slot_has_extent(struct raidx_pool *pool, unsigned int slot)
{
	return raidx_member_writable(pool->set, slot) && pool->extent_free[slot];
}

/* Groups of the widest kind that could still be made. */
u32 raidx_free_groups(struct raidx_pool *pool)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	u32 least = U32_MAX, slot;

	for (slot = 0; slot < geo->nr_slots - geo->nr_spares; slot++)
		if (raidx_member_writable(pool->set, slot))
			least = min(least, pool->extent_free[slot]);
	return least == U32_MAX ? 0 : least;
}

static void group_account(struct raidx_pool *pool, const struct raidx_disk_group *image, bool add)
{
	s64 rows = le32_to_cpu(image->rows);

	pool->rows_total[image->level] += add ? rows : -rows;
}

void raidx_group_install(struct raidx_pool *pool, u32 number, const struct raidx_disk_group *image)
{
	struct raidx_group *group;
	u32 i, row, rows = le32_to_cpu(image->rows);

	group = kvzalloc(sizeof(*group), GFP_NOIO | __GFP_NOFAIL);
	group->image = *image;
	for (i = 0; i < image->width; i++) {
		u8 slot = image->column[i].slot;
		u32 extent = le32_to_cpu(image->column[i].extent);

		if (!__test_and_set_bit(extent, pool->extent_busy[slot]))
			pool->extent_free[slot]--;
	}
	for (row = 0; row < rows; row++)
		if (image->used[row / 8] & (1 << row % 8)) {
			__set_bit(row, group->busy);
			group->nr_used++;
		}
	group->nr_busy = group->nr_used;
	group_account(pool, image, true);
	pool->rows_used[image->level] += group->nr_used;
	pool->group[number] = group;
	if (image->level == RAIDX_LEVEL_TABLE && le32_to_cpu(image->unit) < pool->nr_units[image->table])
		pool->unit_group[image->table][le32_to_cpu(image->unit)] = number + 1;
	pool->groups_used = max(pool->groups_used, number + 1);
	pool->groups_created = max(pool->groups_created, le64_to_cpu(image->created));
	__set_bit(number, pool->group_dirty);
}

void raidx_group_remove(struct raidx_pool *pool, u32 number)
{
	struct raidx_group *group = pool->group[number];
	u32 i;

	for (i = 0; i < group->image.width; i++) {
		u8 slot = group->image.column[i].slot;

		if (__test_and_clear_bit(le32_to_cpu(group->image.column[i].extent), pool->extent_busy[slot]))
			pool->extent_free[slot]++;
	}
	group_account(pool, &group->image, false);
	pool->rows_used[group->image.level] -= group->nr_used;
	for (i = 0; i < RAIDX_NR_LEVELS; i++)
		if (pool->open_group[i] == number + 1)
			pool->open_group[i] = 0;
	/* Lookups for reads look at groups under index_lock. */
	spin_lock(&pool->index_lock);
	pool->group[number] = NULL;
	spin_unlock(&pool->index_lock);
	kvfree(group);
	__set_bit(number, pool->group_dirty);
}

static u32 find_extent(struct raidx_pool *pool, unsigned int slot)
{
	return find_first_zero_bit(pool->extent_busy[slot], pool->set->member[slot].data_extents);
}

/* The slots of a new group: all that have room, or the @most emptiest ones. Returns the width. */
static u32 choose_columns(struct raidx_pool *pool, u32 most, struct raidx_disk_extent *column)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	u64 taken = 0;
	u32 width = 0;

	while (width < most) {
		u32 slot, best = RAIDX_NO_SLOT;

		for (slot = 0; slot < geo->nr_slots - geo->nr_spares; slot++)
			if (!(taken & (1ULL << slot)) && slot_has_extent(pool, slot) &&
			    (best == RAIDX_NO_SLOT || pool->extent_free[slot] > pool->extent_free[best]))
				best = slot;
		if (best == RAIDX_NO_SLOT)
			break;
		taken |= 1ULL << best;
		column[width].slot = best;
		column[width].extent = cpu_to_le32(find_extent(pool, best));
		width++;
	}
	return width;
}

static void queue_group_record(struct raidx_pool *pool, u32 number, const struct raidx_disk_group *image, bool make)
{
	u32 count = make ? image->width : 0;
	struct raidx_record_item *item;
	struct raidx_disk_record_group *record;

	item = raidx_record_new(RAIDX_RECORD_GROUP, struct_size(record, column, count), count);
	record = (void *)item->record;
	record->group = cpu_to_le32(number);
	record->created = image->created;
	if (make) {
		record->level = image->level;
		record->table = image->table;
		record->unit = image->unit;
		record->rows = image->rows;
		memcpy(record->column, image->column, count * sizeof(image->column[0]));
	}
	raidx_record_queue(pool, item);
}

int raidx_group_create(struct raidx_pool *pool, u8 level, u8 table, u32 unit, bool reserve, u32 *number)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_disk_group *image;
	u32 n, least = level == RAIDX_LEVEL_TABLE || level == RAIDX_LEVEL_RAID1 ? geo->copies : geo->parity + 2;
	int ret = -ENOSPC;

	lockdep_assert_held(&pool->set->lock);
	/* The last free groups are for destage, migration and tables (invariant 4). */
	if (!reserve && raidx_free_groups(pool) < 2)
		return -ENOSPC;
	for (n = 0; n < geo->max_groups && pool->group[n]; n++)
		;
	if (n == geo->max_groups)
		return -ENOSPC;
	image = kzalloc(sizeof(*image), GFP_NOIO | __GFP_NOFAIL);
	image->level = level;
	image->table = table;
	image->unit = cpu_to_le32(unit);
	image->width = choose_columns(pool, level == RAIDX_LEVEL_TABLE ? geo->copies : RAIDX_MAX_MEMBERS, image->column);
	if (image->width < least)
		goto out;
	if (level != RAIDX_LEVEL_TABLE) {
		image->rows = cpu_to_le32(raidx_group_nr_rows(geo, level, image->width));
		if (!image->rows)	/* too narrow for the row records of this set */
			goto out;
	}
	image->created = cpu_to_le64(pool->groups_created + 1);
	raidx_group_install(pool, n, image);
	queue_group_record(pool, n, image, true);
	*number = n;
	ret = 0;
out:
	kfree(image);
	return ret;
}

/* Every column on a member that takes writes? */
static bool group_whole(struct raidx_pool *pool, const struct raidx_group *group)
{
	u32 i;

	for (i = 0; i < group->image.width; i++)
		if (!raidx_member_writable(pool->set, group->image.column[i].slot))
			return false;
	return true;
}

static bool group_has_room(const struct raidx_group *group)
{
	return group->nr_busy < le32_to_cpu(group->image.rows);
}

/* The fullest group that still has a row, whole ones before those with a missing member. */
static u32 find_open_group(struct raidx_pool *pool, u8 level, bool whole)
{
	u32 n, best = U32_MAX, most = 0;

	for (n = 0; n < pool->groups_used; n++) {
		struct raidx_group *group = pool->group[n];
		u32 room;

		if (!group || group->image.level != level || !group_has_room(group) || group_whole(pool, group) != whole)
			continue;
		/* The one with most free rows gives the longest runs. */
		room = le32_to_cpu(group->image.rows) - group->nr_busy;
		if (room > most) {
			most = room;
			best = n;
		}
	}
	return best;
}

static u32 open_group(struct raidx_pool *pool, u8 level, bool reserve)
{
	u32 n = pool->open_group[level];

	if (n && pool->group[n - 1] && group_has_room(pool->group[n - 1]) && group_whole(pool, pool->group[n - 1]))
		return n - 1;
	n = find_open_group(pool, level, true);
	if (n == U32_MAX && raidx_group_create(pool, level, 0, 0, reserve, &n))
		n = find_open_group(pool, level, false);
	if (n != U32_MAX)
		pool->open_group[level] = n + 1;
	return n;
}

/**
 * raidx_row_alloc() - take a free row.
 * @pool: the pool.
 * @level: RAID1, RAID5, RAID6.
 * @reserve: may use what is kept back for destage and migration.
 * @home: result.
 *
 * Context: set->lock held.  Return: 0 or -ENOSPC.
 */
int raidx_row_alloc(struct raidx_pool *pool, u8 level, bool reserve, struct raidx_home *home)
{
	u32 n = open_group(pool, level, reserve), rows, row;
	struct raidx_group *group;

	if (n == U32_MAX)
		return -ENOSPC;
	group = pool->group[n];
	rows = le32_to_cpu(group->image.rows);
	row = find_next_zero_bit(group->busy, rows, group->next_row);
	if (row >= rows)
		row = find_first_zero_bit(group->busy, rows);
	if (WARN_ON_ONCE(row >= rows))
		return -ENOSPC;
	__set_bit(row, group->busy);
	group->nr_busy++;
	group->next_row = row + 1;
	memset(home, 0, sizeof(*home));
	home->level = level;
	home->group = n;
	home->row = row;
	return 0;
}

void raidx_row_free_busy(struct raidx_pool *pool, u32 n, u32 row)
{
	struct raidx_group *group = pool->group[n];

	lockdep_assert_held(&pool->set->lock);
	if (WARN_ON_ONCE(!group || !test_bit(row, group->busy)))
		return;
	__clear_bit(row, group->busy);
	group->nr_busy--;
	if (group->nr_busy || pool->open_group[group->image.level] == n + 1)
		return;
	/* Its last row went: give the extents back. */
	queue_group_record(pool, n, &group->image, false);
	raidx_group_remove(pool, n);
}

void raidx_row_mark_used(struct raidx_pool *pool, u32 n, u32 row, bool used)
{
	struct raidx_group *group = pool->group[n];
	bool was;

	lockdep_assert_held(&pool->set->lock);
	if (WARN_ON_ONCE(!group || row >= le32_to_cpu(group->image.rows)))
		return;
	was = group->image.used[row / 8] & (1 << row % 8);
	if (was == used)
		return;
	group->image.used[row / 8] ^= 1 << row % 8;
	group->nr_used += used ? 1 : -1;
	pool->rows_used[group->image.level] += used ? 1 : -1;
	if (used && !test_bit(row, group->busy)) {	/* replay only */
		__set_bit(row, group->busy);
		group->nr_busy++;
	}
	__set_bit(n, pool->group_dirty);
}

/* A member failed: new rows go elsewhere. */
void raidx_groups_avoid(struct raidx_pool *pool, unsigned int slot)
{
	memset(pool->open_group, 0, sizeof(pool->open_group));
}

int raidx_groups_init(struct raidx_pool *pool)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	u32 slot;

	pool->group = kvcalloc(geo->max_groups, sizeof(*pool->group), GFP_KERNEL);
	pool->group_home = kvzalloc(geo->max_groups, GFP_KERNEL);
	pool->group_dirty = kvcalloc(BITS_TO_LONGS(geo->max_groups), sizeof(long), GFP_KERNEL);
	if (!pool->group || !pool->group_home || !pool->group_dirty)
		return -ENOMEM;
	for (slot = 0; slot < geo->nr_slots; slot++) {
		u64 extents = pool->set->member[slot].data_extents;

		pool->extent_busy[slot] = kvcalloc(BITS_TO_LONGS(max_t(u64, extents, 1)), sizeof(long), GFP_KERNEL);
		if (!pool->extent_busy[slot])
			return -ENOMEM;
		pool->extent_free[slot] = extents;
	}
	return 0;
}

void raidx_groups_exit(struct raidx_pool *pool)
{
	u32 i;

	for (i = 0; pool->group && i < pool->set->geo.max_groups; i++)
		kvfree(pool->group[i]);
	kvfree(pool->group);
	kvfree(pool->group_home);
	kvfree(pool->group_dirty);
	for (i = 0; i < RAIDX_MAX_MEMBERS; i++)
		kvfree(pool->extent_busy[i]);
}
