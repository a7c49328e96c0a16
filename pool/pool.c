// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx pool: levels with parity (raid5, tss) as one set of mechanisms.  Start, stop, the worker, readers.
 *
 * The worker thread owns the slow path: under set->lock it takes in requests, reaps entries and rows, steps the
 * commit, and frees what no reader uses any more.  It waits for I/O only to read a table page or to record a failed
 * member.  The destager (log/destage.c) is the other thread.
 *
 * Crash: all that survives is on disk; raidx_pool_start() rebuilds the rest: anchor, replay, a checkpoint, and a
 * first entry of the new epoch before any write is accepted.
 */
#include <linux/hrtimer.h>
#include <linux/slab.h>
#include <raidx/pool.h>

#define COMMIT_MS	1000	/* without a flush from above the module commits by itself */

void raidx_pool_wake(struct raidx_pool *pool)
{
	WRITE_ONCE(pool->worker_kick, true);
	wake_up(&pool->worker_wait);
}

/* ---- readers: what was freed is reused only after the readers that began before --------------------------------- */

u32 raidx_readers_enter(struct raidx_pool *pool)
{
	lockdep_assert_held(&pool->index_lock);
	atomic_inc(&pool->readers[pool->epoch]);
	return pool->epoch;
}

void raidx_readers_exit(struct raidx_pool *pool, u32 epoch)
{
	if (atomic_dec_and_test(&pool->readers[epoch]) && READ_ONCE(pool->graves))
		raidx_pool_wake(pool);
}

/* set->lock held; takes over @item. */
void raidx_grave_add(struct raidx_pool *pool, struct raidx_record_item *item)
{
	if (!item->frees_row && !item->waiter) {
		kfree(item);
		return;
	}
	list_add_tail(&item->list, &pool->grave[pool->epoch]);
	pool->graves++;
}

static void bury(struct raidx_pool *pool, struct list_head *grave)
{
	struct raidx_record_item *item, *next;

	list_for_each_entry_safe(item, next, grave, list) {
		list_del(&item->list);
		pool->graves--;
		if (item->waiter) {
			complete(item->waiter);	/* the item is the waiter's */
		} else {
			raidx_row_free_busy(pool, item->row_group, item->row);
			kfree(item);
		}
	}
}

/* set->lock held. */
void raidx_graves_step(struct raidx_pool *pool)
{
	int old = !pool->epoch;

	if (!pool->graves)
		return;
	if (!atomic_read(&pool->readers[old]))
		bury(pool, &pool->grave[old]);
	if (!list_empty(&pool->grave[old]) || atomic_read(&pool->readers[old]) || list_empty(&pool->grave[pool->epoch]))
		return;
	/* Nobody is left of the epoch before: the present one may end. */
	spin_lock(&pool->index_lock);
	pool->epoch = old;
	spin_unlock(&pool->index_lock);
	old = !old;
	if (!atomic_read(&pool->readers[old]))
		bury(pool, &pool->grave[old]);
}

void raidx_readers_wait(struct raidx_pool *pool)
{
	struct raidx_record_item *item = raidx_record_new(0, 0, 0);
	DECLARE_COMPLETION_ONSTACK(done);

	item->waiter = &done;
	mutex_lock(&pool->set->lock);
	raidx_grave_add(pool, item);
	raidx_graves_step(pool);
	mutex_unlock(&pool->set->lock);
	raidx_pool_wake(pool);
	wait_for_completion(&done);
	kfree(item);
}

/* ---- the worker ---------------------------------------------------------------------------------------------------- */

static bool commit_due(struct raidx_pool *pool)
{
	u32 ms = le32_to_cpu(pool->set->tune.commit_ms);

	return pool->nr_pending_records && pool->log.commit_state == RAIDX_COMMIT_IDLE &&
	       time_after(jiffies, pool->last_commit_jiffies + msecs_to_jiffies(ms ? ms : COMMIT_MS));
}

/* Everything that can be done now.  Return: ns until a held write must go on; 0 = none. */
static int work_once(struct raidx_pool *pool)
{
	int hold;

	mutex_lock(&pool->set->lock);
	raidx_requests_collect(pool);
	raidx_log_reap(&pool->log);
	raidx_rows_reap(pool);
	if (commit_due(pool))
		pool->log.commit_wanted = true;
	raidx_log_commit_step(&pool->log);
	hold = raidx_request_queue_run(pool);
	raidx_log_commit_step(&pool->log);
	raidx_graves_step(pool);
	raidx_index_trim(&pool->log);
	mutex_unlock(&pool->set->lock);
	return hold;
}

static int worker(void *data)
{
	struct raidx_pool *pool = data;

	while (!kthread_should_stop()) {
		int hold;

		WRITE_ONCE(pool->worker_kick, false);
		hold = work_once(pool);
		if (READ_ONCE(pool->worker_kick))
			continue;
		if (hold)
			wait_event_interruptible_hrtimeout(pool->worker_wait, READ_ONCE(pool->worker_kick),
							   ns_to_ktime(hold));
		else if (pool->nr_pending_records || pool->queued)
			wait_event_interruptible_timeout(pool->worker_wait, READ_ONCE(pool->worker_kick), HZ / 20);
		else
			wait_event_interruptible(pool->worker_wait, READ_ONCE(pool->worker_kick) ||
						 kthread_should_stop());
	}
	return 0;
}

/* ---- start and stop ------------------------------------------------------------------------------------------------ */

static void pool_free(struct raidx_pool *pool)
{
	int i;

	if (!pool)
		return;
	if (pool->slow)
		destroy_workqueue(pool->slow);
	if (pool->merger)
		destroy_workqueue(pool->merger);
	raidx_migrations_drop(pool);
	raidx_log_exit(pool);
	raidx_heat_exit(pool);
	raidx_table_exit(pool);
	raidx_groups_exit(pool);
	for (i = 0; i < 2; i++) {
		struct raidx_record_item *item, *next;

		list_for_each_entry_safe(item, next, &pool->grave[i], list)
			kfree(item);
	}
	kfree(pool);
}

static struct raidx_pool *pool_new(struct raidx_set *set)
{
	struct raidx_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);

	if (!pool)
		return NULL;
	pool->set = set;
	spin_lock_init(&pool->index_lock);
	mutex_init(&pool->checkpoint_mutex);
	INIT_LIST_HEAD(&pool->pending_records);
	INIT_LIST_HEAD(&pool->grave[0]);
	INIT_LIST_HEAD(&pool->grave[1]);
	INIT_LIST_HEAD(&pool->queue);
	INIT_LIST_HEAD(&pool->migrations);
	init_llist_head(&pool->incoming);
	init_llist_head(&pool->rows_completed);
	init_waitqueue_head(&pool->worker_wait);
	init_waitqueue_head(&pool->destage_wait);
	init_waitqueue_head(&pool->progress);
	pool->action = "idle";
	pool->wait_reason = "";
	pool->raid1_tier = set->geo.level == RAIDX_LEVEL_TSS;
	pool->slow = alloc_workqueue("raidx_slow", WQ_UNBOUND | WQ_MEM_RECLAIM, 64);
	pool->merger = alloc_ordered_workqueue("raidx_merge", WQ_MEM_RECLAIM);
	if (!pool->slow || !pool->merger || raidx_groups_init(pool) || raidx_table_init(pool) || raidx_log_init(pool) ||
	    raidx_heat_init(pool)) {
		pool_free(pool);
		return NULL;
	}
	return pool;
}

/* After replay: what is not used is free, and groups without a used row go. set->lock held. */
static void settle_groups(struct raidx_pool *pool)
{
	u32 n;

	for (n = 0; n < pool->groups_used; n++) {
		struct raidx_group *group = pool->group[n];
		u32 rows, row;

		if (!group || group->image.level == RAIDX_LEVEL_TABLE)
			continue;
		rows = le32_to_cpu(group->image.rows);
		bitmap_zero(group->busy, RAIDX_MAX_GROUP_ROWS);
		for (row = 0; row < rows; row++)
			if (group->image.used[row / 8] & (1 << row % 8))
				__set_bit(row, group->busy);
		group->nr_busy = group->nr_used;
		if (!group->nr_used)
			raidx_group_remove(pool, n);
	}
}

static int start_threads(struct raidx_pool *pool)
{
	pool->worker = kthread_run(worker, pool, "raidx_%s", pool->set->name);
	if (IS_ERR(pool->worker)) {
		pool->worker = NULL;
		return -ENOMEM;
	}
	pool->paused = true;	/* until resume */
	pool->destager = kthread_run(raidx_destager, pool, "raidxd_%s", pool->set->name);
	if (IS_ERR(pool->destager)) {
		pool->destager = NULL;
		return -ENOMEM;
	}
	return 0;
}

static void stop_threads(struct raidx_pool *pool)
{
	if (pool->destager)
		kthread_stop(pool->destager);
	pool->destager = NULL;
	if (pool->worker)
		kthread_stop(pool->worker);
	pool->worker = NULL;
}

/* A checkpoint takes the replayed log in; then the first entry of this epoch. No lock held. */
static int open_epoch(struct raidx_pool *pool)
{
	struct raidx_set *set = pool->set;
	int ret = raidx_checkpoint(pool);

	if (ret)
		return ret;
	mutex_lock(&set->lock);
	raidx_record_queue(pool, raidx_record_new(0, 0, 0));
	mutex_unlock(&set->lock);
	return raidx_log_commit_wait(pool);
}

static bool members_missing(struct raidx_set *set)
{
	u32 slot;

	for (slot = 0; slot < set->geo.nr_slots - set->geo.nr_spares; slot++)
		if (!raidx_member_writable(set, slot))
			return true;
	return false;
}

static int raidx_pool_start(struct raidx_set *set, const char **error)
{
	struct raidx_pool *pool;
	int ret;

	if (set->read_only) {
		*error = "a read-only table: replay into memory is not in this version";
		return -EROFS;
	}
	pool = pool_new(set);
	if (!pool) {
		*error = "out of memory for the pool";
		return -ENOMEM;
	}
	set->level = pool;
	ret = raidx_anchor_load(pool, error);
	if (!ret)
		ret = raidx_log_replay(pool, error);
	if (ret)
		goto err_free;
	settle_groups(pool);
	if (members_missing(set)) {
		raidx_log_replace_segments(&pool->log);
		pool->destage_forced = true;
	}
	ret = start_threads(pool);
	if (!ret) {
		/* The worker and the checkpoint need the lock; nobody else knows the set yet. */
		mutex_unlock(&set->lock);
		ret = open_epoch(pool);
		mutex_lock(&set->lock);
	}
	if (!ret)
		return 0;
	*error = "the first checkpoint could not be written";
	mutex_unlock(&set->lock);
	stop_threads(pool);
	mutex_lock(&set->lock);
err_free:
	set->level = NULL;
	pool_free(pool);
	return ret;
}

/* Everything durable, tables checkpointed, destager parked. */
static void raidx_pool_suspend(struct raidx_set *set)
{
	struct raidx_pool *pool = set->level;

	if (!pool)
		return;
	WRITE_ONCE(pool->paused, true);
	wake_up(&pool->destage_wait);
	wait_event(pool->progress, READ_ONCE(pool->parked));
	flush_workqueue(pool->merger);
	if (set->mode >= RAIDX_MODE_READONLY || raidx_log_commit_wait(pool))
		return;
	raidx_checkpoint(pool);
}

static void raidx_pool_resume(struct raidx_set *set)
{
	struct raidx_pool *pool = set->level;

	if (!pool)
		return;
	WRITE_ONCE(pool->paused, false);
	wake_up(&pool->destage_wait);
}

static void raidx_pool_stop(struct raidx_set *set)
{
	struct raidx_pool *pool = set->level;
	struct raidx_record_item *item, *next;

	if (!pool)
		return;
	raidx_pool_suspend(set);
	stop_threads(pool);
	list_for_each_entry_safe(item, next, &pool->pending_records, list)
		kfree(item);
	set->level = NULL;
	pool_free(pool);
}

static int raidx_pool_format(struct raidx_set *set)
{
	return raidx_anchor_format(set);
}

static void raidx_pool_member_failed(struct raidx_set *set, unsigned int slot)
{
	struct raidx_pool *pool = set->level;

	if (!pool)
		return;
	raidx_groups_avoid(pool, slot);
	raidx_log_replace_segments(&pool->log);
	/* The new segment map must be known before an entry in it is acknowledged. */
	if (raidx_set_write_supers(set, false))
		raidx_set_degrade(set, RAIDX_MODE_FAILED, "the log's new segment map could not be recorded");
	pool->destage_forced = true;
	wake_up(&pool->destage_wait);
}

static void raidx_pool_status(struct raidx_set *set, struct raidx_level_status *status)
{
	struct raidx_pool *pool = set->level;
	const struct raidx_geometry *geo = &set->geo;
	u64 stripe = geo->stripe_blocks * RAIDX_BLOCK_SECTORS;
	u32 i;

	memset(status, 0, sizeof(*status));
	status->action = "idle";
	status->wait_reason = "";
	if (!pool)
		return;
	status->action = pool->action;
	status->action_done = pool->action_done;
	status->action_total = pool->action_total;
	status->log_used = raidx_log_used_blocks(&pool->log) * RAIDX_BLOCK_SECTORS;
	status->log_total = raidx_log_total_blocks(&pool->log) * RAIDX_BLOCK_SECTORS;
	for (i = 0; i < RAIDX_NR_LEVELS; i++) {
		status->used[i] = pool->rows_used[i] * stripe;
		status->total[i] = pool->rows_total[i] * stripe;
	}
	for (i = 0; i < geo->nr_slots; i++)
		status->free_sectors += (u64)pool->extent_free[i] * geo->extent_blocks * RAIDX_BLOCK_SECTORS;
	for (i = 0; i < pool->nr_lost; i++)
		status->lost_blocks += pool->lost[i].count;
	status->dirty_pages = pool->nr_dirty_pages;
	status->cached_pages = pool->nr_pages;
	status->promoted = pool->stats.promoted;
	status->demoted = pool->stats.demoted;
	status->wait_reason = pool->wait_reason;
}

static int message_migrate(struct raidx_pool *pool, unsigned int argc, char **argv, const char **error)
{
	u64 first, count;
	u8 level;

	if (argc != 4 || kstrtou64(argv[1], 10, &first) || kstrtou64(argv[2], 10, &count) || !count ||
	    first >= pool->set->geo.nr_stripes || count > pool->set->geo.nr_stripes - first) {
		*error = "migrate: FIRST and COUNT must be stripes of the set";
		return -EINVAL;
	}
	if (!strcmp(argv[3], "raid1") && pool->raid1_tier) {
		level = RAIDX_LEVEL_RAID1;
	} else if (!strcmp(argv[3], "raid5")) {
		level = RAIDX_LEVEL_RAID5;
	} else {
		*error = "migrate: not a tier of this set (raid1, raid5)";
		return -EINVAL;
	}
	return raidx_migrate_queue(pool, first, count, level);
}

static int raidx_pool_message(struct raidx_set *set, unsigned int argc, char **argv, char *result, unsigned int maxlen,
			      const char **error)
{
	struct raidx_pool *pool = set->level;

	if (!pool)
		return -ENODEV;
	if (!strcmp(argv[0], "migrate"))
		return message_migrate(pool, argc, argv, error);
	if (!strcmp(argv[0], "destage")) {
		pool->destage_forced = true;
		wake_up(&pool->destage_wait);
		return 0;
	}
	if (!strcmp(argv[0], "set")) {
		mutex_lock(&set->lock);
		raidx_heat_retune(pool);
		mutex_unlock(&set->lock);
		return 0;
	}
	if (!strcmp(argv[0], "stats")) {
		const struct raidx_pool_stats *stats = &pool->stats;

		scnprintf(result, maxlen,
			  "logged_blocks=%llu direct_rows=%llu folds=%llu merged=%llu commits=%llu checkpoints=%llu promoted=%llu demoted=%llu cached_blocks=%llu nodes=%llu",
			  stats->logged_blocks, stats->direct_rows, stats->folds, stats->merged, stats->commits,
			  stats->checkpoints, stats->promoted, stats->demoted, pool->log.cached_blocks, pool->log.nr_nodes);
		return 0;
	}
	if (!strcmp(argv[0], "stats_reset")) {
		memset(&pool->stats, 0, sizeof(pool->stats));
		return 0;
	}
	return 1;
}

const struct raidx_level_ops raidx_tss_ops = {
	.name = "tss",
	.level = RAIDX_LEVEL_TSS,
	.min_members = 3,
	.format = raidx_pool_format,
	.start = raidx_pool_start,
	.stop = raidx_pool_stop,
	.map = raidx_pool_map,
	.suspend = raidx_pool_suspend,
	.resume = raidx_pool_resume,
	.status = raidx_pool_status,
	.member_failed = raidx_pool_member_failed,
	.message = raidx_pool_message,
	.heat = raidx_heat_read,
};

const struct raidx_level_ops raidx_raid5_ops = {
	.name = "raid5",
	.level = RAIDX_LEVEL_RAID5,
	.min_members = 3,
	.format = raidx_pool_format,
	.start = raidx_pool_start,
	.stop = raidx_pool_stop,
	.map = raidx_pool_map,
	.suspend = raidx_pool_suspend,
	.resume = raidx_pool_resume,
	.status = raidx_pool_status,
	.member_failed = raidx_pool_member_failed,
	.message = raidx_pool_message,
	.heat = raidx_heat_read,
};
