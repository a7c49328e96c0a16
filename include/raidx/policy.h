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
 * @idle: no foreground I/O for idle_ms.
 * @degraded: a member is missing: decide nothing.
 * @short_of_space: decide no promotion.
 */
struct tss_input {
	u64 now_ms;
	u64 stripes;
	u64 mapped[RAIDX_NR_LEVELS];
	u64 raid1_room;
	bool idle;
	bool degraded;
	bool short_of_space;
};

/**
 * struct tss_tunables - in CPU order; defaults by tss_tunables_default().
 * Percent are of the mapped stripes.  Intervals in ms; 0 = computed or default.
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
 * @level: present level of a stripe (enum raidx_level, NONE = unmapped); may return NONE for "not known now".
 * @heat: temperature of a stripe.
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
 * @next_work: 0 and *work; -ENODATA when there is nothing to do now (then *reason says why).
 */
struct tss_policy_ops {
	const char *name;
	int (*next_work)(struct tss_policy *policy, const struct tss_input *input, const struct tss_view *view,
			 struct tss_work *work, const char **reason);
};

/**
 * struct tss_policy - state of a policy; small, fixed, no allocation.
 * @ops: which one.
 * @tune: live tunables; the owner changes them under its own lock.
 * @cursor: clock hand over the stripes.
 * @budget_bytes: left of the rate limit; refilled by tss_policy_tick().
 * @filled_ms: when it was refilled.
 */
struct tss_policy {
	const struct tss_policy_ops *ops;
	struct tss_tunables tune;
	u64 cursor;
	s64 budget_bytes;
	u64 filled_ms;
	u32 stripe_bytes;
	u64 scratch[8];
};

extern const struct tss_policy_ops *const tss_policies[TSS_NR_POLICIES];

void tss_tunables_default(struct tss_tunables *tune);
void tss_policy_init(struct tss_policy *policy, const struct tss_tunables *tune, u32 stripe_bytes);
/* The policy of a name or NULL (five_minute and auto are named in the interface, but not in this version). */
int tss_policy_by_name(const char *name);
/* Next decision within the rate budget. 0, -ENODATA, -EAGAIN (budget used up). *reason is a static string, "" = none. */
int tss_policy_next(struct tss_policy *policy, const struct tss_input *input, const struct tss_view *view,
		    struct tss_work *work, const char **reason);
/* The owner did (or could not do) the work. */
void tss_policy_done(struct tss_policy *policy, const struct tss_work *work, bool ok);

#endif /* RAIDX_POLICY_H */
