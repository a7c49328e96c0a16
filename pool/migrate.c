// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx moves: fold a stripe's logged blocks and its home into a new row, of the same or another level.
 *
 * Destage, migration and compaction are all this one step: read what is missing, write a new row, switch the map, and
 * leave the old row to its MAP record.  The destination is allocated before the source is read.  A stripe that got a
 * new home meanwhile (a whole-stripe write) keeps that; the new row is given back.  Writes that arrive during the
 * fold have sequences above absorbed_seq and stay in the log.
 */
#include <linux/slab.h>
#include <raidx/pool.h>

/* One stripe while it is being folded. */
struct fold {
	struct raidx_row_write *write;
	struct raidx_log_entry *entry[RAIDX_MAX_STRIPE_BLOCKS];	/* block is in the log, not in memory */
	u32 crc[RAIDX_MAX_STRIPE_BLOCKS];
	u16 index[RAIDX_MAX_STRIPE_BLOCKS];
	bool have[RAIDX_MAX_STRIPE_BLOCKS];
};

/* Blocks from the log index into the write; index_lock held. */
static void take_logged(struct raidx_pool *pool, struct fold *fold)
{
	u32 blocks = pool->set->geo.stripe_blocks, i;
	u64 first = fold->write->stripe * blocks;

	for (i = 0; i < blocks; i++) {
		struct raidx_node *node = raidx_index_find(&pool->log, first + i);

		if (!node)
			continue;
		fold->have[i] = true;
		if (node->zero) {
			clear_page(page_address(fold->write->pages[i]));
		} else if (node->page) {
			memcpy(page_address(fold->write->pages[i]), page_address(node->page), RAIDX_BLOCK_BYTES);
		} else {
			fold->entry[i] = node->entry;
			fold->index[i] = node->index;
			fold->crc[i] = node->crc;
		}
	}
}

/* set->lock held: choose and reserve.  Return: 0; -ENODATA nothing to do; -ENOSPC, -ENOMEM. */
static int fold_begin(struct raidx_pool *pool, const struct raidx_fold_item *item, bool reserve, struct fold *fold)
{
	struct raidx_row_write *write;
	struct raidx_home home;
	u8 level = item->level;
	int ret;

	ret = raidx_table_load_locked(pool, RAIDX_TABLE_MAP, div_u64(item->stripe, RAIDX_MAPS_PER_PAGE));
	if (!ret)
		ret = raidx_map_lookup(pool, item->stripe, &home);
	if (ret)
		return ret;
	if (item->only_if_mapped && (home.level == RAIDX_LEVEL_NONE || home.level == level))
		return -ENODATA;
	if (level == RAIDX_LEVEL_NONE)
		level = home.level == RAIDX_LEVEL_RAID1 && pool->raid1_tier ? RAIDX_LEVEL_RAID1 : raidx_parity_level(pool);
	write = raidx_row_write_new(pool, item->stripe);
	if (!write)
		return -ENOMEM;
	ret = raidx_row_alloc(pool, level, reserve && level != RAIDX_LEVEL_RAID1, &write->new);
	if (ret && level == RAIDX_LEVEL_RAID1 && !item->only_if_mapped)
		ret = raidx_row_alloc(pool, raidx_parity_level(pool), reserve, &write->new);
	if (ret) {
		raidx_row_write_free(write);
		return ret;
	}
	write->fold = true;
	write->old = home;
	write->absorbed_seq = pool->log.last_seq;
	fold->write = write;
	spin_lock(&pool->index_lock);
	take_logged(pool, fold);
	spin_unlock(&pool->index_lock);
	return 0;
}

/* One block that could not be read with the others. */
static void read_or_lose(struct raidx_pool *pool, struct fold *fold, u32 i)
{
	struct raidx_row_write *write = fold->write;
	int ret;

	if (fold->entry[i])
		ret = raidx_log_read_block(pool, fold->entry[i], fold->index[i], fold->crc[i], write->pages[i]);
	else
		ret = raidx_row_read(pool, &write->old, i, 1, &write->pages[i]);
	if (!ret)
		return;
	clear_page(page_address(write->pages[i]));
	mutex_lock(&pool->set->lock);
	raidx_lost_add(pool, write->stripe * pool->set->geo.stripe_blocks + i, 1);
	mutex_unlock(&pool->set->lock);
}

/* Bring in what is not in memory.  No lock held; the reader epoch keeps sources in place. */
static void fold_read(struct raidx_pool *pool, struct fold *fold)
{
	u32 blocks = pool->set->geo.stripe_blocks, i, run;

	for (i = 0; i < blocks; i += run) {
		run = 1;
		if (fold->have[i]) {
			if (fold->entry[i])
				read_or_lose(pool, fold, i);
			continue;
		}
		while (i + run < blocks && !fold->have[i + run])
			run++;
		if (fold->write->old.level == RAIDX_LEVEL_NONE) {
			u32 k;

			for (k = i; k < i + run; k++)
				clear_page(page_address(fold->write->pages[k]));
		} else if (raidx_row_read(pool, &fold->write->old, i, run, fold->write->pages + i)) {
			u32 k;

			for (k = i; k < i + run; k++)
				read_or_lose(pool, fold, k);
		}
	}
}

struct fold_reader {
	struct work_struct work;
	struct raidx_pool *pool;
	struct fold *fold;
};

static void fold_read_work(struct work_struct *work)
{
	struct fold_reader *reader = container_of(work, struct fold_reader, work);

	fold_read(reader->pool, reader->fold);
}

/* Read all stripes of a pass at the same time. */
static void fold_read_all(struct raidx_pool *pool, struct fold *folds, u32 nr)
{
	struct fold_reader *readers = kcalloc(nr, sizeof(*readers), GFP_NOIO | __GFP_NOFAIL);
	u32 i;

	for (i = 0; i < nr; i++) {
		readers[i].pool = pool;
		readers[i].fold = &folds[i];
		INIT_WORK(&readers[i].work, fold_read_work);
		queue_work(pool->slow, &readers[i].work);
	}
	for (i = 0; i < nr; i++)
		flush_work(&readers[i].work);
	kfree(readers);
}

/* Write the rows, those that follow each other as one run; switch. */
static u32 fold_write(struct raidx_pool *pool, struct fold *folds, u32 nr)
{
	struct raidx_row_write *writes[RAIDX_RUN_ROWS];
	struct raidx_row_run *run[RAIDX_RUN_ROWS];
	struct completion done[RAIDX_RUN_ROWS];
	u32 from = 0, i, runs = 0, moved = 0;

	for (i = 0; i < nr; i++)
		writes[i] = folds[i].write;
	for (i = 1; from < nr; i++) {
		if (i < nr && writes[i]->new.group == writes[from]->new.group &&
		    writes[i]->new.row == writes[from]->new.row + i - from)
			continue;
		init_completion(&done[runs]);
		if (raidx_row_run_start(pool, writes + from, i - from, &done[runs], &run[runs])) {
			mutex_lock(&pool->set->lock);
			for (; from < i; from++) {
				raidx_row_free_busy(pool, writes[from]->new.group, writes[from]->new.row);
				raidx_row_write_free(writes[from]);
			}
			mutex_unlock(&pool->set->lock);
		} else {
			runs++;
			moved += i - from;
		}
		from = i;
	}
	for (i = 0; i < runs; i++) {
		wait_for_completion_io(&done[i]);
		mutex_lock(&pool->set->lock);
		raidx_row_run_finish(run[i]);
		mutex_unlock(&pool->set->lock);
	}
	return moved;
}

/**
 * raidx_fold() - give stripes new rows that hold all their logged blocks.
 * @pool: the pool.
 * @items: stripes, distinct.
 * @nr: at most RAIDX_RUN_ROWS.
 * @reserve: may use the space that is kept back (destage).
 *
 * Context: process, no lock held; waits for I/O.  The MAP records are queued, not yet durable.
 * Return: stripes moved, or an error when none could be.
 */
int raidx_fold(struct raidx_pool *pool, const struct raidx_fold_item *items, u32 nr, bool reserve)
{
	struct fold *folds = kvcalloc(nr, sizeof(*folds), GFP_NOIO | __GFP_NOFAIL);
	u32 begun = 0, i, epoch, moved = 0;
	int ret = 0;

	mutex_lock(&pool->set->lock);
	spin_lock(&pool->index_lock);
	epoch = raidx_readers_enter(pool);
	spin_unlock(&pool->index_lock);
	for (i = 0; i < nr && pool->set->mode < RAIDX_MODE_READONLY; i++) {
		int now = fold_begin(pool, &items[i], reserve, &folds[begun]);

		if (!now)
			begun++;
		else if (now != -ENODATA)
			ret = now;
	}
	mutex_unlock(&pool->set->lock);
	if (begun)
		fold_read_all(pool, folds, begun);
	raidx_readers_exit(pool, epoch);
	if (begun)
		moved = fold_write(pool, folds, begun);
	pool->stats.folds += moved;
	kvfree(folds);
	return moved ? (int)moved : ret;
}

/* ---- migrations asked for by message or decided by the policy -------------------------------------------------- */

struct migration {
	struct list_head list;
	u64 next, end;
	u8 level;
};

int raidx_migrate_queue(struct raidx_pool *pool, u64 first, u64 count, u8 level)
{
	struct migration *migration = kzalloc(sizeof(*migration), GFP_KERNEL);

	if (!migration)
		return -ENOMEM;
	migration->next = first;
	migration->end = first + count;
	migration->level = level;
	mutex_lock(&pool->set->lock);
	list_add_tail(&migration->list, &pool->migrations);
	pool->action_total += count;
	mutex_unlock(&pool->set->lock);
	wake_up(&pool->destage_wait);
	return 0;
}

static void count_moves(struct raidx_pool *pool, u8 level, u32 nr)
{
	if (level == RAIDX_LEVEL_RAID1)
		pool->stats.promoted += nr;
	else
		pool->stats.demoted += nr;
}

/* A batch of the oldest request.  Return: was there one? */
static bool run_request(struct raidx_pool *pool)
{
	struct raidx_fold_item items[RAIDX_RUN_ROWS];
	struct migration *migration;
	u32 nr = 0;
	int ret;

	mutex_lock(&pool->set->lock);
	migration = list_first_entry_or_null(&pool->migrations, struct migration, list);
	while (migration && nr < RAIDX_RUN_ROWS && migration->next < migration->end) {
		items[nr].stripe = migration->next++;
		items[nr].level = migration->level;
		items[nr++].only_if_mapped = true;
	}
	if (migration && migration->next == migration->end) {
		list_del(&migration->list);
	} else if (!migration) {
		pool->action_done = 0;
		pool->action_total = 0;
	}
	mutex_unlock(&pool->set->lock);
	if (!migration)
		return false;
	if (nr) {
		pool->action = "migrate";
		ret = raidx_fold(pool, items, nr, false);
		if (ret > 0) {
			count_moves(pool, items[0].level, ret);
			raidx_heat_moved(pool, items, nr);
		}
		pool->wait_reason = ret == -ENOSPC ? "no room in the wanted tier" : "";
		pool->action_done += nr;
	}
	mutex_lock(&pool->set->lock);
	if (migration->next == migration->end)
		kfree(migration);
	mutex_unlock(&pool->set->lock);
	return true;
}

void raidx_migrations_drop(struct raidx_pool *pool)
{
	struct migration *migration, *next;

	list_for_each_entry_safe(migration, next, &pool->migrations, list) {
		list_del(&migration->list);
		kfree(migration);
	}
}

/*
 * raidx_migrate_run() - do some migration.
 *
 * Context: the destager, no lock held.  Return: was anything done?
 */
bool raidx_migrate_run(struct raidx_pool *pool)
{
	struct raidx_fold_item items[RAIDX_RUN_ROWS];
	u32 nr;
	int ret;

	if (run_request(pool))
		return true;
	if (!pool->raid1_tier)
		return false;
	nr = raidx_heat_decide(pool, items, RAIDX_RUN_ROWS);
	if (!nr)
		return false;
	pool->action = "migrate";
	ret = raidx_fold(pool, items, nr, false);
	raidx_heat_done(pool, items, nr, ret > 0);
	if (ret > 0) {
		count_moves(pool, items[0].level, ret);
		raidx_heat_moved(pool, items, nr);
	}
	return ret > 0;
}
