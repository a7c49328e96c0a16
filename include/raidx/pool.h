/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pool: everything with parity.  Map, block groups, tables, log and the threads that move data.
 *
 * Locks, inside set->lock:
 *   pool->index_lock   spinlock: log index, map pages' content and lookup, reader epoch
 * Lookups for reads take index_lock alone; whoever changes what they see holds set->lock and index_lock.
 * Freed rows and log space wait for a reader grace period (raidx_readers_*).
 */
#ifndef RAIDX_POOL_H
#define RAIDX_POOL_H

#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/mempool.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <raidx/codec.h>
#include <raidx/level.h>

struct raidx_pool;
struct raidx_log;

/* ---- tables and anchor -------------------------------------------------------------------- */

/**
 * struct raidx_table_page - one cached page of a paged table.
 * @page: content, with its head.
 * @number: page number in its table.
 * @table: enum raidx_table.
 * @dirty: differs from its durable home.
 * @writing: a checkpoint writes a copy of it.
 * @used: touched since the clock hand passed.
 */
struct raidx_table_page {
	struct page *page;
	u64 number;
	u8 table;
	bool dirty;
	bool writing;
	bool used;
};

/**
 * struct raidx_group - a block group in memory.
 * @image: what its anchor page says (or will say at the next checkpoint).
 * @dirty: @image changed since the last checkpoint.
 * @home: anchor home of its last durable version.
 * @nr_used: rows in @image->used.
 * @nr_busy: rows in @busy.
 * @next_row: where the search for a free row starts.
 * @busy: rows that may not be allocated: used, being written, or waiting for their MAP record or readers.
 */
struct raidx_group {
	struct raidx_disk_group image;
	bool dirty;
	u8 home;
	u32 nr_used;
	u32 nr_busy;
	u32 next_row;
	unsigned long busy[BITS_TO_LONGS(RAIDX_MAX_GROUP_ROWS)];
};

/*
 * struct raidx_lost - a range of lost blocks.
 */
struct raidx_lost {
	u64 first;
	u32 count;
};

/* ---- log ----------------------------------------------------------------------------------- */

/**
 * struct raidx_node - newest logged version of one block.
 * @hash: in log_index.
 * @in_entry: in its entry's list.
 * @entry: the entry that holds it.
 * @block: logical block.
 * @page: our copy of the data; NULL = read it from the log.
 * @crc: crc32c of the data.
 * @index: payload block within the entry.
 * @zero: the block is zero; no payload.
 */
struct raidx_node {
	struct hlist_node hash;
	struct list_head in_entry;
	struct raidx_log_entry *entry;
	u64 block;
	struct page *page;
	u32 crc;
	u16 index;
	bool zero;
};

/*
 * struct raidx_log_entry - an entry from its first block until the tail has passed it.
 */
struct raidx_log_entry {
	struct list_head list;		/* log->entries, by seq */
	struct list_head nodes;		/* blocks of which it has the newest version */
	struct list_head requests;	/* writes to acknowledge */
	struct llist_node completed;
	struct raidx_log *log;
	u64 seq;
	u64 lane_seq;
	u32 segment;
	u32 block;
	u16 nr_blocks;
	u16 nr_nodes;
	u8 lane;
	bool complete;
	bool fua;
	bool trimmed;			/* its nodes' pages were given back */
	struct raidx_batch batch;
	struct page *header;
	struct page **pages;		/* header, payload; until complete */
};

#define RAIDX_LOG_HASH_BITS	16

struct raidx_lane {
	u64 next_seq;		/* lane sequence of the next entry */
	u32 first;		/* index of the append segment within the lane, 0..per_lane-1 */
	u32 block;		/* append position in it */
	u32 tail;		/* index of the segment that holds the durable tail */
};

/*
 * struct raidx_record_item - a record that waits for its commit.
 * @list: pool->pending_records or the commit's.
 * @row_group: row freed when the record is durable (level NONE: none).
 * @bytes: size of @record.
 * @record: encoded.
 */
struct raidx_record_item {
	struct list_head list;
	struct completion *waiter;	/* readers_wait: nothing else counts */
	bool frees_row;
	u32 row_group;
	u32 row;
	u32 bytes;
	struct raidx_disk_record record[];
};

enum raidx_commit_state {
	RAIDX_COMMIT_IDLE,
	RAIDX_COMMIT_DRAIN,	/* waits for the entries it covers */
	RAIDX_COMMIT_FLUSH,
	RAIDX_COMMIT_RECORD,	/* its record entries are being written */
};

struct raidx_log {
	struct raidx_pool *pool;
	u32 per_lane;			/* segments of a lane */
	u64 last_seq;			/* last sequence given out */
	u64 complete_seq;		/* all entries up to here are complete */
	u64 durable_seq;		/* all entries up to here are durable */
	u32 in_flight;
	u8 next_lane;
	bool failed;			/* an entry could not be written anywhere */
	struct raidx_lane lane[RAIDX_MAX_LANES];
	struct list_head entries;	/* by seq */
	struct llist_head completed;
	struct hlist_head *hash;	/* of nodes; index_lock */
	u64 nr_nodes;
	u64 cached_blocks;		/* pages held by nodes */
	u64 cache_limit;
	struct list_head *trim;		/* where cache trimming goes on */

	enum raidx_commit_state commit_state;
	struct list_head commit_waiters;	/* requests that wait for the next commit */
	struct list_head commit_requests;	/* of the running one */
	struct list_head commit_records;	/* of the running one, not yet in an entry */
	struct list_head commit_written;	/* of the running one, in entries */
	u64 commit_target;
	u32 commit_entries;		/* record entries in flight */
	struct raidx_batch commit_batch;
	bool commit_flushed;
	bool commit_gate;		/* no new entry may start */
	u64 commit_count;		/* commits finished */
	u64 commit_started;
	bool commit_wanted;
};

/* ---- row write from our own copy of the data ------------------------------------------------- */

/*
 * struct raidx_row_write - a whole stripe on its way to a new row.
 * @list: the caller's.
 * @requests: whole-stripe writes to acknowledge.
 * @stripe: logical stripe.
 * @absorbed_seq: logged blocks up to here are in it.
 * @old: folds: the home it was read from; void if the stripe has moved since.
 * @new: the row it goes to.
 * @fold: made by destage or migration.
 * @pages: data blocks, then parity blocks.
 * @crcs: of @pages.
 */
struct raidx_row_write {
	struct list_head list;
	struct list_head requests;
	struct raidx_pool *pool;
	u64 stripe;
	u64 absorbed_seq;
	struct raidx_home old;
	struct raidx_home new;
	bool fold;
	u32 nr_pages;
	u32 *crcs;
	struct page *pages[];
};

#define RAIDX_RUN_ROWS	16

/*
 * struct raidx_row_run - rows that follow each other in one block group, written with one command a member.
 */
struct raidx_row_run {
	struct raidx_batch batch;
	struct llist_node completed;
	struct raidx_pool *pool;
	struct completion *waiter;	/* folds wait; NULL: the worker reaps it */
	u32 nr;
	struct raidx_row_write *write[RAIDX_RUN_ROWS];
	struct page **columns;
};

struct raidx_pool_stats {
	u64 promoted, demoted, folds, direct_rows, logged_blocks, commits, checkpoints, merged;
};

struct raidx_pool {
	struct raidx_set *set;
	spinlock_t index_lock;		/* see the head of this file */

	/* anchor and tables; set->lock */
	struct raidx_group **group;	/* by number; NULL = free */
	u8 *group_home;			/* anchor home last written, by group number */
	unsigned long *group_dirty;
	u32 groups_used;		/* numbers below this may be in use */
	u64 groups_created;		/* last creation number */
	u8 *roots;
	u8 *root_home;
	unsigned long *root_dirty;	/* bit per root page */
	struct raidx_lost *lost;	/* sorted by nothing; nr_lost ranges */
	u32 nr_lost, max_lost;
	bool lost_dirty;
	u8 *lost_home;
	struct xarray pages[RAIDX_NR_TABLES];	/* of struct raidx_table_page; index_lock for lookups */
	u32 nr_pages, nr_dirty_pages, max_pages;
	u64 clock_hand[RAIDX_NR_TABLES];
	u32 *unit_group[RAIDX_NR_TABLES];	/* unit -> group + 1 */
	u32 nr_units[RAIDX_NR_TABLES];
	unsigned long *extent_busy[RAIDX_MAX_MEMBERS];
	u32 extent_free[RAIDX_MAX_MEMBERS];
	u32 open_group[RAIDX_NR_LEVELS];	/* + 1 */
	u64 rows_used[RAIDX_NR_LEVELS];
	u64 rows_total[RAIDX_NR_LEVELS];
	u64 checkpoint;
	u64 checkpoint_seq;		/* records up to here are in checkpointed pages */
	struct mutex checkpoint_mutex;	/* one checkpoint at a time; outside set->lock */

	/* rows that wait */
	struct list_head pending_records;	/* made, not yet logged; set->lock */
	u32 nr_pending_records;
	struct list_head grave[2];	/* rows that wait for readers, by epoch; set->lock */
	atomic_t readers[2];
	int epoch;			/* index_lock */
	u32 graves;			/* items in grave[] */

	struct raidx_log log;

	/* requests */
	struct llist_head incoming;
	struct list_head queue;		/* writes and discards in order; set->lock */
	u32 queued;
	struct llist_head rows_completed;
	u32 rows_in_flight;
	u64 last_write_block;		/* where the last write ended, to see sequential ones */
	u64 hold_until;			/* ns; a sequential partial stripe waits until then */
	unsigned long last_write_jiffies;
	unsigned long last_commit_jiffies;
	struct task_struct *worker;
	wait_queue_head_t worker_wait;
	bool worker_kick;
	struct workqueue_struct *slow;	/* reads that need more than a clone */
	struct workqueue_struct *merger;	/* writes below 4 KiB, one at a time */
	wait_queue_head_t progress;	/* commit finished, space freed */

	struct task_struct *destager;
	wait_queue_head_t destage_wait;
	bool destage_forced;
	bool paused;			/* suspended: no background work */
	bool parked;			/* the destager has seen it */
	const char *action;
	u64 action_done, action_total;

	/* policy */
	struct raidx_heat_map *heat;
	struct tss_policy *policy;
	struct list_head migrations;	/* work items; set->lock */
	u32 nr_migrations;
	const char *wait_reason;
	bool raid1_tier;		/* tss: mirrored rows allowed */

	struct raidx_pool_stats stats;
};

/* pool.c */
void raidx_pool_wake(struct raidx_pool *pool);
u32 raidx_readers_enter(struct raidx_pool *pool);	/* index_lock held */
void raidx_readers_exit(struct raidx_pool *pool, u32 epoch);
void raidx_readers_wait(struct raidx_pool *pool);	/* process context; no lock held */
void raidx_graves_step(struct raidx_pool *pool);	/* set->lock held */
void raidx_grave_add(struct raidx_pool *pool, struct raidx_record_item *item);	/* set->lock held */

/* map.c: homes of stripes */
int raidx_map_lookup(struct raidx_pool *pool, u64 stripe, struct raidx_home *home);	/* index_lock held; -EAGAIN: page in */
int raidx_map_page_in(struct raidx_pool *pool, u64 stripe);				/* may sleep, set->lock not held */
int raidx_map_set(struct raidx_pool *pool, u64 stripe, const struct raidx_home *home);	/* set->lock held; -EAGAIN */
bool raidx_home_equal(const struct raidx_home *a, const struct raidx_home *b);
void raidx_home_to_disk(const struct raidx_home *home, struct raidx_disk_map *map);
void raidx_home_from_disk(const struct raidx_disk_map *map, struct raidx_home *home);
int raidx_map_switch(struct raidx_pool *pool, u64 stripe, const struct raidx_home *old, const struct raidx_home *new,
		     u64 absorbed_seq, const u32 *crcs, u32 nr_crcs);

int raidx_row_record_replay(struct raidx_pool *pool, const struct raidx_home *home, u64 stripe, const __le32 *crcs,
			    u32 nr, u64 seq);

/* paged_table.c */
struct raidx_table_page *raidx_table_find(struct raidx_pool *pool, u8 table, u64 number);	/* index_lock or set->lock */
int raidx_table_load(struct raidx_pool *pool, u8 table, u64 number);	/* may sleep; set->lock held by caller: no */
int raidx_table_load_locked(struct raidx_pool *pool, u8 table, u64 number);	/* set->lock held; waits for I/O */
void raidx_table_dirty(struct raidx_pool *pool, struct raidx_table_page *page);
int raidx_table_init(struct raidx_pool *pool);
void raidx_table_exit(struct raidx_pool *pool);
void *raidx_table_payload(struct raidx_table_page *page);
int raidx_checkpoint(struct raidx_pool *pool);
u64 raidx_root_index(struct raidx_pool *pool, u8 table, u64 number);
int raidx_table_unit(struct raidx_pool *pool, u8 table, u64 number, bool create);

/* anchor.c */
int raidx_anchor_load(struct raidx_pool *pool, const char **error);
int raidx_anchor_format(struct raidx_set *set);

/* block_group.c */
int raidx_row_alloc(struct raidx_pool *pool, u8 level, bool reserve, struct raidx_home *home);
void raidx_row_free_busy(struct raidx_pool *pool, u32 group, u32 row);	/* was allocated or left; now reusable */
void raidx_row_mark_used(struct raidx_pool *pool, u32 group, u32 row, bool used);	/* image only */
int raidx_group_create(struct raidx_pool *pool, u8 level, u8 table, u32 unit, bool reserve, u32 *number);
void raidx_group_install(struct raidx_pool *pool, u32 number, const struct raidx_disk_group *image);
void raidx_group_remove(struct raidx_pool *pool, u32 number);
int raidx_groups_init(struct raidx_pool *pool);
void raidx_groups_exit(struct raidx_pool *pool);
u32 raidx_free_groups(struct raidx_pool *pool);
void raidx_groups_avoid(struct raidx_pool *pool, unsigned int slot);
u8 raidx_parity_level(const struct raidx_pool *pool);
struct raidx_record_item *raidx_record_new(u8 type, u32 bytes, u32 count);
void raidx_record_queue(struct raidx_pool *pool, struct raidx_record_item *item);

/* row_io.c */
struct raidx_row_write *raidx_row_write_new(struct raidx_pool *pool, u64 stripe);
void raidx_row_write_free(struct raidx_row_write *write);
int raidx_row_run_start(struct raidx_pool *pool, struct raidx_row_write **writes, u32 nr, struct completion *waiter,
			struct raidx_row_run **result);
void raidx_row_run_finish(struct raidx_row_run *run);	/* set->lock held */
int raidx_row_read(struct raidx_pool *pool, const struct raidx_home *home, u32 first, u32 nr, struct page **pages);

/* request.c */
int raidx_pool_map(struct raidx_set *set, struct bio *bio, struct raidx_request *request);
void raidx_requests_collect(struct raidx_pool *pool);
int raidx_request_queue_run(struct raidx_pool *pool);
void raidx_request_end(struct raidx_request *request, blk_status_t status);
void raidx_rows_reap(struct raidx_pool *pool);

/* log.c */
int raidx_log_init(struct raidx_pool *pool);
void raidx_log_exit(struct raidx_pool *pool);
struct raidx_log_entry *raidx_log_entry_new(struct raidx_log *log);
bool raidx_log_room(struct raidx_log *log, u32 blocks, bool reserve);
int raidx_log_submit(struct raidx_log *log, struct raidx_log_entry *entry, bool fua, bool reserve);
void raidx_log_reap(struct raidx_log *log);
void raidx_log_commit_step(struct raidx_log *log);
int raidx_log_commit_wait(struct raidx_pool *pool);	/* no lock held */
u64 raidx_log_used_blocks(struct raidx_log *log);
u64 raidx_log_total_blocks(struct raidx_log *log);
void raidx_log_release(struct raidx_log *log, u64 tail_seq);
u32 raidx_log_segment(struct raidx_log *log, u32 lane, u32 index);
u64 raidx_log_copy_block(struct raidx_pool *pool, u32 segment, u32 copy, u32 block, unsigned int *slot);
void raidx_log_replace_segments(struct raidx_log *log);
void raidx_log_entry_free(struct raidx_log_entry *entry);

/* log_index.c */
struct raidx_node *raidx_index_find(struct raidx_log *log, u64 block);	/* index_lock held */
int raidx_index_add(struct raidx_log *log, struct raidx_log_entry *entry, u64 block, struct page *page, u32 crc,
		    u16 index, bool zero);
void raidx_index_drop(struct raidx_log *log, struct raidx_node *node);	/* index_lock held */
void raidx_index_drop_range(struct raidx_log *log, u64 first, u32 nr, u64 max_seq);
void raidx_index_trim(struct raidx_log *log);
int raidx_index_init(struct raidx_log *log);
void raidx_index_exit(struct raidx_log *log);

/* replay.c */
int raidx_log_replay(struct raidx_pool *pool, const char **error);
int raidx_log_read_block(struct raidx_pool *pool, const struct raidx_log_entry *entry, u16 index, u32 crc, struct page *page);

/* destage.c */
int raidx_destager(void *data);

/* migrate.c */
struct raidx_fold_item {
	u64 stripe;
	u8 level;	/* wanted level; NONE = keep or the parity level */
	bool only_if_mapped;
};

int raidx_fold(struct raidx_pool *pool, const struct raidx_fold_item *items, u32 nr, bool reserve);
int raidx_migrate_queue(struct raidx_pool *pool, u64 first, u64 count, u8 level);
bool raidx_migrate_run(struct raidx_pool *pool);

/* heat.c */
void raidx_heat_note(struct raidx_pool *pool, u64 block, bool write);
int raidx_heat_init(struct raidx_pool *pool);
void raidx_heat_exit(struct raidx_pool *pool);
bool raidx_heat_active(struct raidx_pool *pool);
u32 raidx_heat_decide(struct raidx_pool *pool, struct raidx_fold_item *items, u32 most);
void raidx_heat_done(struct raidx_pool *pool, const struct raidx_fold_item *items, u32 nr, bool ok);
void raidx_heat_moved(struct raidx_pool *pool, const struct raidx_fold_item *items, u32 nr);
void raidx_heat_retune(struct raidx_pool *pool);
ssize_t raidx_heat_read(struct raidx_set *set, u64 first, u32 count, struct raidx_heat_record *to);
void raidx_migrations_drop(struct raidx_pool *pool);

/* lost blocks (map.c) */
bool raidx_lost_find(struct raidx_pool *pool, u64 block, u32 nr);
void raidx_lost_add(struct raidx_pool *pool, u64 block, u32 nr);
void raidx_lost_heal(struct raidx_pool *pool, u64 block, u64 nr);

static inline void *raidx_page_payload(void *page)
{
	return (u8 *)page + sizeof(struct raidx_disk_page);
}

static inline u64 raidx_extent_block(const struct raidx_geometry *geo, const struct raidx_disk_extent *column, u32 block)
{
	return geo->data_start + (u64)le32_to_cpu(column->extent) * geo->extent_blocks + block;
}

#endif /* RAIDX_POOL_H */
