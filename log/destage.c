// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx destager: the pool's background thread.  Empties the log from its oldest end, moves stripes, checkpoints.
 *
 * Destage begins when the log is half full (or when asked to, or a member failed: entries may have one copy left),
 * and goes on to a quarter.  Each pass folds up to RAIDX_RUN_ROWS stripes with all their logged blocks; checkpoints
 * let the tail follow.  With nothing to do the thread sleeps.
 */
#include <linux/slab.h>
#include <raidx/pool.h>

static u64 percent_used(struct raidx_pool *pool)
{
	return div64_u64(raidx_log_used_blocks(&pool->log) * 100, raidx_log_total_blocks(&pool->log));
}

/* Distinct stripes with blocks in the oldest entries. set->lock held. */
static u32 oldest_stripes(struct raidx_pool *pool, struct raidx_fold_item *items)
{
	u32 blocks = pool->set->geo.stripe_blocks, nr = 0, i;
	struct raidx_log_entry *entry;
	struct raidx_node *node;

	list_for_each_entry(entry, &pool->log.entries, list) {
		if (entry->seq > pool->log.complete_seq)
			break;
		list_for_each_entry(node, &entry->nodes, in_entry) {
			u64 stripe = div_u64(node->block, blocks);

			for (i = 0; i < nr && items[i].stripe != stripe; i++)
				;
			if (i < nr)
				continue;
			items[nr].stripe = stripe;
			items[nr].level = RAIDX_LEVEL_NONE;
			items[nr++].only_if_mapped = false;
			if (nr == RAIDX_RUN_ROWS)
				return nr;
		}
	}
	return nr;
}

/* One pass.  Return: stripes folded, 0 = nothing to do, or an error. */
static int destage_pass(struct raidx_pool *pool)
{
	struct raidx_fold_item items[RAIDX_RUN_ROWS];
	u32 nr;

	mutex_lock(&pool->set->lock);
	nr = oldest_stripes(pool, items);
	mutex_unlock(&pool->set->lock);
	if (!nr)
		return 0;
	pool->action = "destage";
	return raidx_fold(pool, items, nr, true);
}

static bool wants_destage(struct raidx_pool *pool, bool going)
{
	u64 used = percent_used(pool);

	if (pool->destage_forced)
		return true;
	return used >= (going ? 25 : 50) || pool->log.nr_nodes > raidx_log_total_blocks(&pool->log);
}

static bool wants_checkpoint(struct raidx_pool *pool)
{
	return pool->nr_dirty_pages > pool->max_pages / 2 || percent_used(pool) >= 50;
}

static bool has_work(struct raidx_pool *pool)
{
	return kthread_should_stop() || READ_ONCE(pool->paused) != READ_ONCE(pool->parked) ||
	       (!READ_ONCE(pool->paused) && (wants_destage(pool, false) || wants_checkpoint(pool) ||
					     !list_empty(&pool->migrations)));
}

/* Empty the log as far as wanted. */
static void destage(struct raidx_pool *pool)
{
	bool going = false;
	u32 passes = 0;

	while (!kthread_should_stop() && !READ_ONCE(pool->paused) && pool->set->mode < RAIDX_MODE_READONLY &&
	       wants_destage(pool, going)) {
		int ret = destage_pass(pool);

		going = true;
		if (ret <= 0 || ++passes % 8 == 0 || percent_used(pool) > 75) {
			if (raidx_log_commit_wait(pool) || raidx_checkpoint(pool))
				break;
		}
		if (ret <= 0) {
			pool->destage_forced = false;
			if (ret == -ENOSPC)
				pool->wait_reason = "no free row for destage";
			if (!pool->log.nr_nodes || ret < 0)
				break;
		}
	}
	if (!pool->log.nr_nodes)
		pool->destage_forced = false;
}

/* Policy ticks while there is I/O; a minute apart when idle is long enough to notice a message. */
static long sleep_time(struct raidx_pool *pool)
{
	if (READ_ONCE(pool->paused))
		return MAX_SCHEDULE_TIMEOUT;
	return pool->raid1_tier && raidx_heat_active(pool) ? HZ / 10 : MAX_SCHEDULE_TIMEOUT;
}

int raidx_destager(void *data)
{
	struct raidx_pool *pool = data;

	while (!kthread_should_stop()) {
		wait_event_interruptible_timeout(pool->destage_wait, has_work(pool), sleep_time(pool));
		pool->parked = READ_ONCE(pool->paused);
		wake_up_all(&pool->progress);
		if (pool->parked || kthread_should_stop())
			continue;
		if (pool->set->mode >= RAIDX_MODE_READONLY) {
			pool->wait_reason = "the set is read-only or failed";
			wait_event_interruptible(pool->destage_wait, kthread_should_stop() ||
						 READ_ONCE(pool->paused) != READ_ONCE(pool->parked));
			continue;
		}
		destage(pool);
		if (wants_checkpoint(pool))
			raidx_checkpoint(pool);
		while (!kthread_should_stop() && !READ_ONCE(pool->paused) && !wants_destage(pool, false) &&
		       raidx_migrate_run(pool))
			;
		pool->action = "idle";
		if (!list_empty(&pool->migrations) || wants_destage(pool, false))
			schedule_timeout_interruptible(HZ / 50);	/* no progress possible now: do not spin */
	}
	return 0;
}
