// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx checkpoint: makes the tables durable so that the log's tail can move.
 *
 *   1 snapshot under set->lock: copies of all dirty pages, the new tail; everything in entries up to
 *     checkpoint_seq, and every switch made in memory, is in them
 *   2 table pages to the homes that the durable roots do not name
 *   3 wait for the entries up to checkpoint_seq, flush every member (rows, pages, log)
 *   4 anchor pages (groups, roots, lost) of generation checkpoint + 1 to the other homes, flush
 *   5 superblocks: checkpoint + 1, checkpoint_seq, tail
 *   6 after a reader grace period the log before the tail is free
 *
 * A power cut before 5 is complete leaves the previous checkpoint: its pages were not touched and its log is
 * still there.  From 5 on the new one counts.  MAP and GROUP records of switches that the snapshot already has may
 * be logged after it; replay tells them by the old home and by the creation number.
 */
#include <linux/slab.h>
#include <raidx/pool.h>

struct snapshot_page {
	struct page *page;
	u64 number;
	u8 table;
	u8 home;
	u32 group;	/* table pages: the unit's group */
};

struct snapshot {
	struct snapshot_page *table;
	struct snapshot_page *anchor;
	u32 nr_table, nr_anchor;
	u64 tail_seq;
	u64 seq;
	u32 groups_used;
	struct raidx_disk_lane_tail tail[RAIDX_MAX_LANES];
};

static struct page *copy_page_of(struct raidx_pool *pool, const void *payload, u32 bytes, u8 table, u64 number)
{
	struct page *page = alloc_page(GFP_NOIO | __GFP_ZERO | __GFP_NOFAIL);

	memcpy(raidx_page_payload(page_address(page)), payload, bytes);
	return page;
}

/* raidx_page_seal() clears the head only; the payload stays. */
static void seal(struct raidx_pool *pool, struct snapshot_page *snap, u64 generation)
{
	raidx_page_seal(page_address(snap->page), pool->set->super->set_uuid, snap->table, snap->number, generation);
}

static int snapshot_tables(struct raidx_pool *pool, struct snapshot *snap)
{
	u64 generation = pool->checkpoint + 1;
	u8 table;

	for (table = RAIDX_TABLE_MAP; table < RAIDX_NR_TABLES; table++) {
		struct raidx_table_page *page;
		unsigned long number;

		xa_for_each(&pool->pages[table], number, page) {
			u64 index = raidx_root_index(pool, table, number);
			struct snapshot_page *to = &snap->table[snap->nr_table];
			int group;

			if (!page->dirty)
				continue;
			group = raidx_table_unit(pool, table, number, true);
			if (group < 0)
				return group;
			to->page = copy_page_of(pool, raidx_table_payload(page), RAIDX_PAGE_PAYLOAD, table, number);
			to->number = number;
			to->table = table;
			to->group = group;
			to->home = pool->roots[index] == RAIDX_ROOT_NEVER ? 0 : !RAIDX_ROOT_HOME(pool->roots[index]);
			seal(pool, to, generation);
			pool->roots[index] = RAIDX_ROOT(to->home, generation);
			__set_bit(div_u64(index, RAIDX_ROOTS_PER_PAGE), pool->root_dirty);
			page->dirty = false;
			page->writing = true;
			pool->nr_dirty_pages--;
			snap->nr_table++;
		}
	}
	return 0;
}

static void snapshot_anchor_page(struct raidx_pool *pool, struct snapshot *snap, u8 table, u32 number,
				 const void *payload, u32 bytes, u8 *home)
{
	struct snapshot_page *to = &snap->anchor[snap->nr_anchor++];

	to->page = copy_page_of(pool, payload, bytes, table, number);
	to->number = number;
	to->table = table;
	to->home = !*home;
	*home = to->home;
	seal(pool, to, pool->checkpoint + 1);
}

static void snapshot_lost(struct raidx_pool *pool, struct snapshot *snap)
{
	struct raidx_disk_lost *lost = kcalloc(RAIDX_LOST_PER_PAGE, sizeof(*lost), GFP_NOIO | __GFP_NOFAIL);
	u32 number, i;

	for (number = 0; number < pool->set->geo.lost_pages; number++) {
		memset(lost, 0, RAIDX_LOST_PER_PAGE * sizeof(*lost));
		for (i = 0; i < RAIDX_LOST_PER_PAGE; i++) {
			u32 index = number * RAIDX_LOST_PER_PAGE + i;

			if (index >= pool->nr_lost)
				break;
			lost[i].first = cpu_to_le64(pool->lost[index].first);
			lost[i].count = cpu_to_le32(pool->lost[index].count);
		}
		snapshot_anchor_page(pool, snap, RAIDX_TABLE_LOST, number, lost, RAIDX_LOST_PER_PAGE * sizeof(*lost),
				     &pool->lost_home[number]);
	}
	pool->lost_dirty = false;
	kfree(lost);
}

static void snapshot_anchor(struct raidx_pool *pool, struct snapshot *snap)
{
	static const struct raidx_disk_group none;
	u32 n;

	for_each_set_bit(n, pool->group_dirty, pool->set->geo.max_groups)
		snapshot_anchor_page(pool, snap, RAIDX_TABLE_GROUP, n, pool->group[n] ? &pool->group[n]->image : &none,
				     sizeof(none), &pool->group_home[n]);
	bitmap_zero(pool->group_dirty, pool->set->geo.max_groups);
	for_each_set_bit(n, pool->root_dirty, pool->set->geo.root_pages)
		snapshot_anchor_page(pool, snap, RAIDX_TABLE_ROOT, n, pool->roots + (size_t)n * RAIDX_ROOTS_PER_PAGE,
				     RAIDX_ROOTS_PER_PAGE, &pool->root_home[n]);
	bitmap_zero(pool->root_dirty, pool->set->geo.root_pages);
	if (pool->lost_dirty)
		snapshot_lost(pool, snap);
}

/* The oldest entry that still holds the newest version of some block, and for each lane the first from there on. */
static void snapshot_tail(struct raidx_pool *pool, struct snapshot *snap)
{
	struct raidx_log *log = &pool->log;
	struct raidx_log_entry *entry;
	u32 lane;

	snap->seq = log->last_seq;
	snap->tail_seq = log->last_seq + 1;
	for (lane = 0; lane < pool->set->geo.nr_lanes; lane++) {
		struct raidx_lane *at = &log->lane[lane];

		snap->tail[lane].lane_seq = cpu_to_le64(at->next_seq);
		snap->tail[lane].segment = cpu_to_le32(raidx_log_segment(log, lane, at->first));
		snap->tail[lane].block = cpu_to_le32(at->block);
	}
	list_for_each_entry(entry, &log->entries, list)
		if (entry->nr_nodes) {
			snap->tail_seq = entry->seq;
			break;
		}
	list_for_each_entry_reverse(entry, &log->entries, list) {
		if (entry->seq < snap->tail_seq)
			break;
		snap->tail[entry->lane].lane_seq = cpu_to_le64(entry->lane_seq);
		snap->tail[entry->lane].segment = cpu_to_le32(entry->segment);
		snap->tail[entry->lane].block = cpu_to_le32(entry->block);
	}
}

static int snapshot_take(struct raidx_pool *pool, struct snapshot *snap)
{
	u32 anchors = bitmap_weight(pool->group_dirty, pool->set->geo.max_groups) + pool->set->geo.root_pages +
		      pool->set->geo.lost_pages + 64;
	int ret;

	/* Units for dirty pages make groups, and those dirty pages: room for a few more. */
	snap->table = kvcalloc(pool->nr_dirty_pages + 1, sizeof(*snap->table), GFP_NOIO | __GFP_NOFAIL);
	snap->anchor = kvcalloc(anchors, sizeof(*snap->anchor), GFP_NOIO | __GFP_NOFAIL);
	ret = snapshot_tables(pool, snap);
	if (ret)
		return ret;
	snapshot_anchor(pool, snap);
	snapshot_tail(pool, snap);
	snap->groups_used = pool->groups_used;
	return 0;
}

static void snapshot_free(struct raidx_pool *pool, struct snapshot *snap)
{
	u32 i;

	for (i = 0; i < snap->nr_table; i++) {
		struct raidx_table_page *page = xa_load(&pool->pages[snap->table[i].table], snap->table[i].number);

		if (page)
			page->writing = false;
		__free_page(snap->table[i].page);
	}
	for (i = 0; i < snap->nr_anchor; i++)
		__free_page(snap->anchor[i].page);
	kvfree(snap->table);
	kvfree(snap->anchor);
}

static int fail_slots(struct raidx_pool *pool, const struct raidx_batch *batch, const char *what)
{
	int ret = 0;

	if (!batch->error)
		return 0;
	mutex_lock(&pool->set->lock);
	ret = raidx_set_fail_members(pool->set, batch->failed, what);
	mutex_unlock(&pool->set->lock);
	return ret;
}

/* A page is safe when one of its copies could be written; the others' members are failed. */
static int write_table_pages(struct raidx_pool *pool, struct snapshot *snap)
{
	struct raidx_set *set = pool->set;
	u32 unit = raidx_unit_pages(&set->geo), i, column, index;
	struct raidx_batch batch;

	raidx_batch_init(&batch, set, NULL);
	for (i = 0; i < snap->nr_table; i++) {
		struct snapshot_page *page = &snap->table[i];
		const struct raidx_disk_group *image = &pool->group[page->group]->image;

		div_u64_rem(page->number, unit, &index);
		for (column = 0; column < image->width; column++)
			if (raidx_member_writable(set, image->column[column].slot))
				raidx_batch_pages(&batch, image->column[column].slot, REQ_OP_WRITE | REQ_META,
						  raidx_extent_block(&set->geo, &image->column[column], 2 * index + page->home),
						  &page->page, 1);
	}
	raidx_batch_wait(&batch);
	return fail_slots(pool, &batch, "table page write");
}

static int flush_all(struct raidx_pool *pool)
{
	struct raidx_set *set = pool->set;
	struct raidx_batch batch;
	u32 slot;

	raidx_batch_init(&batch, set, NULL);
	for (slot = 0; slot < set->geo.nr_slots; slot++)
		if (raidx_member_writable(set, slot)) {
			WRITE_ONCE(set->member[slot].needs_flush, false);
			raidx_batch_flush(&batch, slot);
		}
	raidx_batch_wait(&batch);
	return fail_slots(pool, &batch, "flush");
}

static int write_anchor_pages(struct raidx_pool *pool, struct snapshot *snap)
{
	struct raidx_set *set = pool->set;
	struct raidx_batch batch;
	u32 i, slot;

	raidx_batch_init(&batch, set, NULL);
	for (i = 0; i < snap->nr_anchor; i++) {
		struct snapshot_page *page = &snap->anchor[i];
		u64 block = set->geo.anchor_start + 2 * (raidx_anchor_base(&set->geo, page->table) + page->number) + page->home;

		for (slot = 0; slot < set->geo.nr_slots; slot++)
			if (raidx_member_writable(set, slot))
				raidx_batch_pages(&batch, slot, REQ_OP_WRITE | REQ_META, block, &page->page, 1);
	}
	raidx_batch_wait(&batch);
	return fail_slots(pool, &batch, "anchor page write");
}

static int write_supers(struct raidx_pool *pool, struct snapshot *snap)
{
	struct raidx_disk_super *super = pool->set->super;
	int ret;

	mutex_lock(&pool->set->lock);
	pool->checkpoint++;
	pool->checkpoint_seq = snap->seq;
	super->checkpoint = cpu_to_le64(pool->checkpoint);
	super->checkpoint_seq = cpu_to_le64(snap->seq);
	super->tail_seq = cpu_to_le64(snap->tail_seq);
	super->groups_used = cpu_to_le32(snap->groups_used);
	memcpy(super->lane_tail, snap->tail, sizeof(super->lane_tail));
	ret = raidx_set_write_supers(pool->set, false);
	mutex_unlock(&pool->set->lock);
	return ret;
}

static int checkpoint_write(struct raidx_pool *pool, struct snapshot *snap)
{
	int ret = write_table_pages(pool, snap);

	if (ret)
		return ret;
	wait_event(pool->progress, READ_ONCE(pool->log.complete_seq) >= snap->seq || READ_ONCE(pool->log.failed));
	if (pool->log.failed)
		return -EIO;
	ret = flush_all(pool);
	if (!ret)
		ret = write_anchor_pages(pool, snap);
	if (!ret)
		ret = flush_all(pool);
	if (!ret)
		ret = write_supers(pool, snap);
	return ret;
}

/**
 * raidx_checkpoint() - write dirty tables, move the tail.
 * @pool: the pool; its worker runs (or the log is empty: start).
 *
 * Context: process, no lock held, waits for I/O.
 * Return: 0; -ENOSPC when a table had no room (nothing changed); -EIO: the set has failed.
 */
int raidx_checkpoint(struct raidx_pool *pool)
{
	struct snapshot snap = { };
	int ret;

	mutex_lock(&pool->checkpoint_mutex);
	mutex_lock(&pool->set->lock);
	ret = pool->set->mode >= RAIDX_MODE_READONLY ? -EIO : snapshot_take(pool, &snap);
	mutex_unlock(&pool->set->lock);
	if (!ret)
		ret = checkpoint_write(pool, &snap);
	if (!ret) {
		raidx_readers_wait(pool);
		mutex_lock(&pool->set->lock);
		raidx_log_release(&pool->log, snap.tail_seq);
		pool->stats.checkpoints++;
		mutex_unlock(&pool->set->lock);
	} else if (pool->set->mode < RAIDX_MODE_READONLY) {
		raidx_set_degrade(pool->set, RAIDX_MODE_READONLY, "a checkpoint could not be written");
	}
	mutex_lock(&pool->set->lock);
	snapshot_free(pool, &snap);
	mutex_unlock(&pool->set->lock);
	mutex_unlock(&pool->checkpoint_mutex);
	wake_up_all(&pool->progress);
	raidx_pool_wake(pool);
	return ret;
}
