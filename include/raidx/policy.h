/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policy decides, pool/migrate.c does.  tss_policy.c knows no bio and no device; it is compiled in user
 * space too.
 */
#ifndef RAIDX_POLICY_H
#define RAIDX_POLICY_H

#include <raidx/types.h>

enum tss_policy_kind {
	TSS_POLICY_WATERMARK = 0,
	TSS_POLICY_FIVE_MINUTE = 1,
	TSS_POLICY_AUTO = 2,
	TSS_POLICY_USER = 3,
	TSS_NR_POLICIES
};

/**
 * struct tss_input - what a policy may know at a tick.
 * @now_ms: monotonic milliseconds.
 * @stripes: logical stripes of the set.
 * @mapped: stripes mapped, by enum raidx_level.
 * @raid1_room: stripes that may still move to RAID 1 without touching what is promised.
 * @touched: accesses noted in the heat so far, so that nothing is looked at while nothing happens; 0 = not counted.
 * @idle: no foreground I/O for idle_ms; without it the rate limit is a quarter.
 * @degraded: a member is missing: decide nothing.
 * @short_of_space: decide no promotion.
 */
struct tss_input {
	u64 now_ms;
	u64 stripes;
	u64 mapped[RAIDX_NR_LEVELS];
	u64 raid1_room;
	u64 touched;
	bool idle;
	bool degraded;
	bool short_of_space;
};

/*
 * struct tss_tunables - in CPU order; defaults by tss_tunables_default().
 * Percent are of the mapped stripes; high = 0: default low and high.  Intervals in ms; 0 = computed or default.
 * migrate_kbps_max = 0 is unlimited.
 */
struct tss_tunables {
	u8 policy;
	u8 decay_shift;
	u8 low[3], high[3];		/* raid1, raid5, craid5 */
	u32 raid1_raid5_interval_ms;
	u32 raid5_craid5_interval_ms;
	u32 aging_interval_ms;
	u32 decay_interval_ms;
	u32 migrate_kbps_max;
	u32 idle_ms;
};

/* One decision: move this stripe to that level. */
struct tss_work {
	u64 stripe;
	u8 from;
	u8 level;
};

/**
 * struct tss_view - how a policy looks at stripes; filled by its owner.
 * @level: present level of a stripe (enum raidx_level, NONE = unmapped); also NONE for "not known now"
 *         and for stripes that may not be moved (pinned, on their way).
 * @heat: temperature of a stripe, brought up to date.
 * @context: passed back.
 */
struct tss_view {
	u8 (*level)(void *context, u64 stripe);
	struct raidx_disk_heat (*heat)(void *context, u64 stripe);
	void *context;
};

struct tss_policy;

/**
 * struct tss_policy_ops - one policy. None of these may block.
 * @name: word on the table line and in sysfs.
 * @next_work: 0 and *work; -ENODATA when there is nothing to do now (then *reason says why); -EAGAIN when it has
 *             looked at enough for one call.
 */
struct tss_policy_ops {
	const char *name;
	int (*next_work)(struct tss_policy *policy, const struct tss_input *input, const struct tss_view *view,
			 struct tss_work *work, const char **reason);
};

/**
 * struct tss_hand - a clock hand that looks for hot stripes outside RAID 1, or for cold ones in it.
 * @at: next stripe.
 * @left: stripes until its revolution ends.
 * @seen: most extreme temperature that it passed in this revolution; -1 = none.
 * @limit: what a stripe must reach to be taken, from the revolution before; -1 = take none.
 * @quiet: revolutions ended since the last decision.
 */
struct tss_hand {
	u64 at;
	u64 left;
	s16 seen;
	s16 limit;
	u8 quiet;
};

/**
 * struct tss_policy - state of a policy; small, fixed, no allocation.
 * @ops: which one; follows @tune.policy.
 * @tune: live tunables; the owner changes them under its own lock.
 * @hot: looks for stripes to promote.
 * @cold: looks for stripes to demote.
 * @budget_bytes: left of the rate limit; refilled by tss_policy_next().
 * @filled_ms: up to when it was refilled.
 * @last_ms: of the last call.
 * @swap_in: stripe + 1 that takes the place of the one just demoted; 0 = none.
 * @swaps_left: exchanges left in this decay interval.
 * @swaps_ms: when it began.
 * @sweep_ms: when the hands began to look.
 * @touched_ms: when @touched changed last.
 * @touched: last value of the input.
 * @rest_ms: a sweep found nothing then; valid if @resting.
 * @hold_ms: after failed moves: decide nothing before.
 * @failures: in a row.
 * @stripes: of the set when the sweep began.
 * @stripe_bytes: a logical stripe.
 * @want: what the marks asked for when the sweep began.
 * @resting: nothing to do until something changes.
 */
struct tss_policy {
	const struct tss_policy_ops *ops;
	struct tss_tunables tune;
	struct tss_hand hot;
	struct tss_hand cold;
	s64 budget_bytes;
	u64 filled_ms;
	u64 last_ms;
	u64 swap_in;
	u64 swaps_left;
	u64 swaps_ms;
	u64 sweep_ms;
	u64 touched_ms;
	u64 touched;
	u64 rest_ms;
	u64 hold_ms;
	u64 stripes;
	u32 stripe_bytes;
	u32 failures;
	u8 want;
	bool resting;
};

extern const struct tss_policy_ops *const tss_policies[TSS_NR_POLICIES];

void tss_tunables_default(struct tss_tunables *tune);
void tss_policy_init(struct tss_policy *policy, const struct tss_tunables *tune, u32 stripe_bytes);
/* enum tss_policy_kind of a name; -EOPNOTSUPP: named in the interface, but not in this version; -EINVAL: unknown. */
int tss_policy_by_name(const char *name);
/*
 * Next decision within the rate budget; looks at a bounded number of stripes.  0; -ENODATA: nothing before the next tick;
 * -EAGAIN: ask again shortly (budget used up, or not all stripes looked at yet).  *reason is a static string, "" = none.
 * One decision at a time: tss_policy_done() before the next call, with @input brought up to date.
 */
int tss_policy_next(struct tss_policy *policy, const struct tss_input *input, const struct tss_view *view,
		    struct tss_work *work, const char **reason);
/* The owner did (or could not do) the work.  Failures are not refunded, and in a row they slow the policy down. */
void tss_policy_done(struct tss_policy *policy, const struct tss_work *work, bool ok);

#endif /* RAIDX_POLICY_H */
