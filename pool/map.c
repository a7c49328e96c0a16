// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx map: homes of logical stripes, the switch from one home to the next, and lost blocks.
 *
 * A switch changes, under set->lock and index_lock at once, the map entry, the row record and the log index (blocks
 * that the new row has absorbed leave it), and queues a MAP record.  The row that was left stays busy until that
 * record is durable and no reader uses it.
 */
#include <linux/slab.h>
#include <raidx/pool.h>

bool raidx_home_equal(const struct raidx_home *a, const struct raidx_home *b)
{
	return a->level == b->level && a->group == b->group && a->row == b->row;
}

void raidx_home_to_disk(const struct raidx_home *home, struct raidx_disk_map *map)
{
	memset(map, 0, sizeof(*map));
	map->group = cpu_to_le32(home->group);
	map->row = cpu_to_le32(home->row);
	map->level = home->level;
	map->flags = home->flags;
}

void raidx_home_from_disk(const struct raidx_disk_map *map, struct raidx_home *home)
{
	home->group = le32_to_cpu(map->group);
	home->row = le32_to_cpu(map->row);
	home->level = map->level;
	home->flags = map->flags;
}

static u64 map_page_number(u64 stripe, u32 *index)
{
	return div_u64_rem(stripe, RAIDX_MAPS_PER_PAGE, index);
}

static struct raidx_disk_map *map_entry(struct raidx_table_page *page, u32 index)
{
	return (struct raidx_disk_map *)raidx_table_payload(page) + index;
}

/*
 * raidx_map_lookup() - home of a stripe.
 *
 * Context: index_lock or set->lock held; any context that may hold a spinlock.
 * Return: 0; -EAGAIN when its page is not in memory; -EUCLEAN when the entry points nowhere.
 */
int raidx_map_lookup(struct raidx_pool *pool, u64 stripe, struct raidx_home *home)
{
	u32 index;
	struct raidx_table_page *page = raidx_table_find(pool, RAIDX_TABLE_MAP, map_page_number(stripe, &index));
	const struct raidx_disk_map *map;

	if (!page)
		return -EAGAIN;
	map = map_entry(page, index);
	if (!raidx_map_valid(map, &pool->set->geo))
		return -EUCLEAN;
	raidx_home_from_disk(map, home);
	if (home->level != RAIDX_LEVEL_NONE &&
	    (!pool->group[home->group] || pool->group[home->group]->image.level != home->level ||
	     home->row >= le32_to_cpu(pool->group[home->group]->image.rows)))
		return -EUCLEAN;
	return 0;
}

int raidx_map_page_in(struct raidx_pool *pool, u64 stripe)
{
	u32 index;

	return raidx_table_load(pool, RAIDX_TABLE_MAP, map_page_number(stripe, &index));
}

/* set->lock held; the page is there or is read. */
int raidx_map_set(struct raidx_pool *pool, u64 stripe, const struct raidx_home *home)
{
	u32 index;
	u64 number = map_page_number(stripe, &index);
	struct raidx_table_page *page;
	int ret = raidx_table_load_locked(pool, RAIDX_TABLE_MAP, number);

	if (ret)
		return ret;
	page = raidx_table_find(pool, RAIDX_TABLE_MAP, number);
	spin_lock(&pool->index_lock);
	raidx_home_to_disk(home, map_entry(page, index));
	spin_unlock(&pool->index_lock);
	raidx_table_dirty(pool, page);
	return 0;
}

/*
 * raidx_row_record_replay() - owner and checksums of a row.
 *
 * Context: set->lock held; may wait for the page.  @crcs as on disk.  Return: 0 or an error of the page-in.
 */
int raidx_row_record_replay(struct raidx_pool *pool, const struct raidx_home *home, u64 stripe, const __le32 *crcs,
			    u32 nr, u64 seq)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	u64 record = (u64)home->group * geo->group_rows + home->row;
	u32 index;
	u64 number = div_u64_rem(record, raidx_rows_per_page(geo), &index);
	struct raidx_table_page *page;
	struct raidx_disk_row *row;
	int ret = raidx_table_load_locked(pool, RAIDX_TABLE_ROW, number);

	if (ret)
		return ret;
	page = raidx_table_find(pool, RAIDX_TABLE_ROW, number);
	row = raidx_table_payload(page) + index * geo->row_record_bytes;
	spin_lock(&pool->index_lock);
	row->owner = cpu_to_le64(stripe + 1);
	row->seq = cpu_to_le64(seq);
	memcpy(row->crc, crcs, nr * sizeof(*crcs));
	spin_unlock(&pool->index_lock);
	raidx_table_dirty(pool, page);
	return 0;
}

/**
 * raidx_map_switch() - give a stripe a new home.
 * @pool: the pool.
 * @stripe: the stripe.
 * @old: its present home.
 * @new: the new one; level NONE: unmap.
 * @absorbed_seq: logged blocks up to here leave the index.
 * @crcs: checksums of the new row.
 * @nr_crcs: how many.
 *
 * Context: set->lock held; may wait for a table page.  Return: 0 or an error (then nothing has changed but
 * cached pages).
 */
int raidx_map_switch(struct raidx_pool *pool, u64 stripe, const struct raidx_home *old, const struct raidx_home *new,
		     u64 absorbed_seq, const u32 *crcs, u32 nr_crcs)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_disk_record_map *record;
	struct raidx_record_item *item;
	u32 i;
	int ret;

	lockdep_assert_held(&pool->set->lock);
	item = raidx_record_new(RAIDX_RECORD_MAP, struct_size(record, crc, nr_crcs), nr_crcs);
	record = (void *)item->record;
	record->stripe = cpu_to_le64(stripe);
	record->absorbed_seq = cpu_to_le64(absorbed_seq);
	raidx_home_to_disk(old, &record->old);
	raidx_home_to_disk(new, &record->new);
	for (i = 0; i < nr_crcs; i++)
		record->crc[i] = cpu_to_le32(crcs[i]);
	ret = 0;
	if (new->level != RAIDX_LEVEL_NONE)
		ret = raidx_row_record_replay(pool, new, stripe, record->crc, nr_crcs, pool->log.last_seq);
	if (!ret)
		ret = raidx_map_set(pool, stripe, new);
	if (ret) {
		kfree(item);
		return ret;
	}
	raidx_index_drop_range(&pool->log, stripe * geo->stripe_blocks, geo->stripe_blocks, absorbed_seq);
	if (new->level != RAIDX_LEVEL_NONE)
		raidx_row_mark_used(pool, new->group, new->row, true);
	if (old->level != RAIDX_LEVEL_NONE) {
		raidx_row_mark_used(pool, old->group, old->row, false);
		item->frees_row = true;
		item->row_group = old->group;
		item->row = old->row;
	}
	raidx_record_queue(pool, item);
	return 0;
}

/* ---- lost blocks: few ranges, kept whole in memory; set->lock or index_lock ------------------- */

bool raidx_lost_find(struct raidx_pool *pool, u64 block, u32 nr)
{
	u32 i;

	for (i = 0; i < pool->nr_lost; i++)
		if (block < pool->lost[i].first + pool->lost[i].count && pool->lost[i].first < block + nr)
			return true;
	return false;
}

static void queue_lost(struct raidx_pool *pool, u64 block, u64 nr, u8 flags)
{
	struct raidx_record_item *item = raidx_record_new(RAIDX_RECORD_LOST, sizeof(struct raidx_disk_record_lost), 0);
	struct raidx_disk_record_lost *record = (void *)item->record;

	record->head.flags = flags;
	record->block = cpu_to_le64(block);
	record->blocks = cpu_to_le64(nr);
	raidx_record_queue(pool, item);
}

static void lost_insert(struct raidx_pool *pool, u64 block, u32 nr)
{
	u32 i;

	for (i = 0; i < pool->nr_lost; i++)
		if (pool->lost[i].first + pool->lost[i].count == block) {
			pool->lost[i].count += nr;
			return;
		}
	if (pool->nr_lost < pool->max_lost) {
		pool->lost[pool->nr_lost].first = block;
		pool->lost[pool->nr_lost++].count = nr;
	} else {
		DMERR_LIMIT("%s: the table of lost blocks is full; block %llu is not in it", pool->set->name, block);
	}
}

/* set->lock held. */
void raidx_lost_add(struct raidx_pool *pool, u64 block, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (raidx_lost_find(pool, block + i, 1))
			continue;
		DMERR_LIMIT("%s: block %llu is lost: it reads as an error until it is rewritten", pool->set->name,
			    block + i);
		spin_lock(&pool->index_lock);
		lost_insert(pool, block + i, 1);
		spin_unlock(&pool->index_lock);
		queue_lost(pool, block + i, 1, 0);
		pool->lost_dirty = true;
	}
}

/* set->lock held: @nr blocks were rewritten. */
void raidx_lost_heal(struct raidx_pool *pool, u64 block, u64 nr)
{
	bool healed = false;
	u32 i;

	for (i = 0; i < pool->nr_lost; i++) {
		struct raidx_lost *lost = &pool->lost[i];
		u64 end = lost->first + lost->count, from = max(lost->first, block), to = min(end, block + nr);

		if (from >= to)
			continue;
		healed = true;
		spin_lock(&pool->index_lock);
		if (from == lost->first && to == end) {
			*lost = pool->lost[--pool->nr_lost];
			i--;
		} else if (from == lost->first) {
			lost->first = to;
			lost->count = end - to;
		} else {
			lost->count = from - lost->first;
			if (to < end)
				lost_insert(pool, to, end - to);
		}
		spin_unlock(&pool->index_lock);
	}
	if (healed) {
		queue_lost(pool, block, nr, RAIDX_RECORD_LOST_HEALED);
		pool->lost_dirty = true;
	}
}
