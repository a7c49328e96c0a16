/* SPDX-License-Identifier: GPL-2.0-only */
/* The contract between dm-raidx.c / set/ above and a level below. */
#ifndef RAIDX_LEVEL_H
#define RAIDX_LEVEL_H

#include <raidx/set.h>

/*
 * struct raidx_request - dm's per-bio data: the life of one bio from map to end_io.
 * Levels use it as they like; dm-raidx.c only reserves the space.
 */
struct raidx_request {
	struct bio *bio;
	struct raidx_set *set;
	union {
		struct list_head list;
		struct llist_node node;
	};
	atomic_t pending;	/* parts under way */
	blk_status_t status;	/* first error */
	u64 value[4];		/* level's own */
	void *private[2];
};

/*
 * struct raidx_level_status - numbers for the status line; sectors unless said.
 */
struct raidx_level_status {
	u64 action_done, action_total;
	const char *action;	/* "idle", "destage", "migrate", "compact", ... */
	u64 mismatches;
	u64 log_used, log_total;
	u64 used[RAIDX_NR_LEVELS];	/* by tier level: logical sectors mapped there */
	u64 total[RAIDX_NR_LEVELS];	/* by tier: logical sectors its block groups have room for */
	u64 free_sectors;	/* raw sectors of free extents */
	u64 lost_blocks;
	u64 dirty_pages, cached_pages;
	u64 promoted, demoted, compressed;
	const char *wait_reason;	/* why migration waits, "" = it does not */
};

/**
 * struct raidx_level_ops - a level (or a pool of levels).
 * @name: word on the table line.
 * @level: enum raidx_level.
 * @min_members: without spares.
 * @format: create: write the level's initial structures (anchor pages; the log is empty because epoch
 *	is 1 and nothing matches). Superblocks are written by the caller afterwards. set->lock held.
 * @start: first preresume: set->super, geo, members are ready; load tables, replay, start threads. set->lock
 *	held; may call raidx_set_write_supers(). The caller has already raised the epoch in set->super (not
 *	yet written): start must replay entries of the *old* epoch (super->epoch - 1), checkpoint, and then
 *	write the superblocks with the new epoch and tail before the first write is accepted.
 *	0, or -errno with *error set to a static sentence.
 * @stop: end of the set (last table destroyed); all bios are done; threads are stopped, state freed. Must cope
 *	with a set that was never started. No lock held.
 * @map: one bio (any op); DM_MAPIO_SUBMITTED or DM_MAPIO_REMAPPED or DM_MAPIO_KILL. Never waits for I/O.
 * @end_io: optional; for DM_MAPIO_REMAPPED bios.
 * @suspend: all bios of the table are done: stop background work, make everything durable, checkpoint. No lock held.
 * @resume: background work may run again. No lock held.
 * @status: fill numbers; must not sleep for I/O, no side effects.
 * @member_failed: a slot was failed and that is recorded. set->lock held.
 * @message: level messages (destage, migrate, pin, stats, stats_reset, set after the common keys). No lock
 *	held. 0; -EINVAL with *error; 1 when the message is not known; result text goes to @result.
 * @heat: copy heat records of stripes [first, first + count) to @to. Optional. Return: records copied or -errno.
 */
struct raidx_level_ops {
	const char *name;
	enum raidx_level level;
	unsigned int min_members;
	int (*format)(struct raidx_set *set);
	int (*start)(struct raidx_set *set, const char **error);
	void (*stop)(struct raidx_set *set);
	int (*map)(struct raidx_set *set, struct bio *bio, struct raidx_request *request);
	int (*end_io)(struct raidx_set *set, struct bio *bio, struct raidx_request *request, blk_status_t *error);
	void (*suspend)(struct raidx_set *set);
	void (*resume)(struct raidx_set *set);
	void (*status)(struct raidx_set *set, struct raidx_level_status *status);
	void (*member_failed)(struct raidx_set *set, unsigned int slot);
	int (*message)(struct raidx_set *set, unsigned int argc, char **argv, char *result, unsigned int maxlen,
		       const char **error);
	ssize_t (*heat)(struct raidx_set *set, u64 first, u32 count, struct raidx_heat_record *to);
};

/* What pools need once for the module. */
int raidx_pool_module_init(void);
void raidx_pool_module_exit(void);

extern const struct raidx_level_ops raidx_raid0_ops;
extern const struct raidx_level_ops raidx_raid1_ops;
extern const struct raidx_level_ops raidx_raid10_ops;
extern const struct raidx_level_ops raidx_raid5_ops;	/* a pool with the RAID 5 tier alone */
extern const struct raidx_level_ops raidx_tss_ops;

#endif /* RAIDX_LEVEL_H */
