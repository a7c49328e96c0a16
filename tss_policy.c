// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx policies: which stripe is to move where.  Pure: no bio, no lock, no allocation; never blocks.
 *
 * watermark keeps the share of mapped stripes in RAID 1 between two marks.  Marks alone are static: once they are met
 * nothing would move any more, however the load changes.  So temperature goes on to decide who is in RAID 1:
 *   below low     the hottest written stripes go in;
 *   above high    the coldest go out;
 *   in between    a stripe that is steadily written goes in while there is room below high; after that it is exchanged
 *                 for a cold one, if it is clearly hotter.
 * "Hottest" and "coldest" come from two clock hands.  Each measures in one revolution how extreme the temperatures are
 * and in the next takes what is within a quarter of that; so it needs no list and no sorting.
 *
 * What keeps it from moving stripes to and fro: hysteresis; stripes that were moved are not judged before they had time
 * to warm up (RAIDX_HEAT_SETTLING); a share of RAID 1 that may be exchanged in a decay interval, because with evenly
 * spread random writes some stripes always look hot by chance; the rate limit.
 */
#include <raidx/heat.h>
#include <raidx/policy.h>
#ifdef __KERNEL__
#include <linux/math64.h>
#include <linux/minmax.h>
#endif

#define LOOKS_PER_CALL		256u	/* stripes looked at in one call */
#define WARM			4	/* written in four intervals of late: worth a move that no mark asks for */
#define QUIET_REVOLUTIONS	2	/* one to measure, one to take */
#define SWAP_SHARE		16	/* of RAID 1 that may be exchanged in a decay interval */
#define SWAP_LEAST		16
#define BUSY_SHARE		4	/* of the rate limit while there is foreground I/O */
#define LEAST_REFILL		256u	/* bytes; so that rounding takes little */
#define HOLD_MS			100	/* per failure in a row */
#define HOLD_MAX_FAILURES	100

static const char nothing_to_move[] = "nothing to move";
static const char short_of_space[] = "short of space";
static const char rate_limit[] = "rate limit";

enum want {
	WANT_UNKNOWN,
	WANT_MORE,		/* below low */
	WANT_LESS,		/* above high */
	WANT_BETTER,		/* marks are met, or more is wanted and there is no room */
};

void tss_tunables_default(struct tss_tunables *tune)
{
	memset(tune, 0, sizeof(*tune));
	tune->policy = TSS_POLICY_WATERMARK;
	tune->decay_shift = 1;
	tune->low[0] = 10;
	tune->high[0] = 30;
	tune->high[1] = 100;
	tune->high[2] = 100;
	tune->aging_interval_ms = 10000;
	tune->decay_interval_ms = 60000;
	tune->migrate_kbps_max = 51200;
	tune->idle_ms = 1000;
}

static u32 aging_ms(const struct tss_policy *policy)
{
	return policy->tune.aging_interval_ms ? policy->tune.aging_interval_ms : 10000;
}

static u32 decay_ms(const struct tss_policy *policy)
{
	return policy->tune.decay_interval_ms ? policy->tune.decay_interval_ms : 60000;
}

/* The marks of RAID 1 in stripes. */
static void marks(const struct tss_policy *policy, u64 mapped, u64 *low, u64 *high)
{
	u32 low_percent = policy->tune.low[0], high_percent = policy->tune.high[0];

	if (!high_percent) {
		low_percent = 10;
		high_percent = 30;
	}
	*high = div_u64(mapped * min(high_percent, 100u) + 99, 100);
	*low = min_t(u64, div_u64(mapped * min(low_percent, 100u), 100), *high);
}

/* ---- clock hands ---------------------------------------------------------------------------- */

static void hand_start(struct tss_hand *hand, u64 stripes)
{
	hand->left = stripes;
	hand->seen = -1;
	hand->quiet = 0;
}

static void hand_init(struct tss_hand *hand)
{
	memset(hand, 0, sizeof(*hand));
	hand->seen = -1;
	hand->limit = -1;
}

/* Go past a stripe; @heat is -1 if it does not count. */
static void hand_pass(struct tss_hand *hand, bool hot, int heat)
{
	if (heat >= 0 && (hand->seen < 0 || (hot ? heat > hand->seen : heat < hand->seen)))
		hand->seen = heat;
	hand->at++;
	if (hand->left)
		hand->left--;
}

static void hand_revolved(struct tss_hand *hand, bool hot, u64 stripes)
{
	int seen = hand->seen;

	if (seen >= 0)
		seen = hot ? seen - seen / 4 : seen + seen / 4;
	hand->limit = seen;
	hand->seen = -1;
	hand->left = stripes;
	if (hand->quiet < U8_MAX)
		hand->quiet++;
}

static bool hand_done(const struct tss_hand *hand)
{
	return hand->quiet >= QUIET_REVOLUTIONS;
}

/*
 * Temperature of a stripe that @view lets us judge at @level; -1 for all others.  What counts is writes: RAID 5 reads
 * as fast as RAID 1.
 */
static int judge(const struct tss_view *view, u64 stripe, u8 level)
{
	struct raidx_disk_heat heat;

	if (view->level(view->context, stripe) != level)
		return -1;
	heat = view->heat(view->context, stripe);
	if (heat.flags & RAIDX_HEAT_SETTLING)
		return -1;
	return heat.write;
}

/*
 * Turn @hand until it stands at a stripe to take.  Returns its temperature; -1 if the hand is done (hand_done()) or
 * *looks are used up.  A hand that stands at such a stripe stays there.
 */
static int hand_find(struct tss_hand *hand, bool hot, int least, const struct tss_input *input,
		     const struct tss_view *view, u32 *looks)
{
	u8 level = hot ? RAIDX_LEVEL_RAID5 : RAIDX_LEVEL_RAID1;

	while (!hand_done(hand)) {
		int heat;

		if (!hand->left) {
			hand_revolved(hand, hot, input->stripes);
			continue;
		}
		if (!*looks)
			return -1;
		--*looks;
		if (hand->at >= input->stripes)
			hand->at = 0;
		heat = judge(view, hand->at, level);
		if (heat >= 0 && hand->limit >= 0 && (hot ? heat >= hand->limit && heat >= least : heat <= hand->limit))
			return heat;
		hand_pass(hand, hot, heat);
	}
	return -1;
}

/* ---- watermark ------------------------------------------------------------------------------ */

static void sweep_start(struct tss_policy *policy, const struct tss_input *input, u8 want)
{
	hand_start(&policy->hot, input->stripes);
	hand_start(&policy->cold, input->stripes);
	policy->stripes = input->stripes;
	policy->sweep_ms = input->now_ms;
	policy->resting = false;
	policy->want = want;
}

/* The last sweep found nothing: is there a reason to look again? */
static bool still_resting(const struct tss_policy *policy, const struct tss_input *input, u8 want)
{
	if (!policy->resting || want != policy->want || input->stripes != policy->stripes)
		return false;
	if (input->now_ms - policy->rest_ms < aging_ms(policy))
		return true;
	/*
	 * Without an access nothing gets hotter.  The sweep must have begun when the last one had become warmth.  Above
	 * the high mark stripes to demote may turn up as they settle.
	 */
	return input->touched && want != WANT_LESS && policy->sweep_ms >= policy->touched_ms + 2ULL * aging_ms(policy);
}

static int decide(struct tss_policy *policy, struct tss_hand *hand, u8 from, u8 level, struct tss_work *work)
{
	work->stripe = hand->at;
	work->from = from;
	work->level = level;
	hand_pass(hand, false, -1);
	policy->hot.quiet = 0;
	policy->cold.quiet = 0;
	return 0;
}

static int promote(struct tss_policy *policy, struct tss_work *work)
{
	return decide(policy, &policy->hot, RAIDX_LEVEL_RAID5, RAIDX_LEVEL_RAID1, work);
}

static int demote(struct tss_policy *policy, struct tss_work *work)
{
	return decide(policy, &policy->cold, RAIDX_LEVEL_RAID1, RAIDX_LEVEL_RAID5, work);
}

static bool clearly_hotter(int hot, int cold)
{
	return hot >= 2 * cold && hot >= cold + 2;
}

static int nothing_found(struct tss_policy *policy, const struct tss_input *input, const struct tss_hand *hand,
			 const char **reason)
{
	if (!hand_done(hand)) {
		*reason = "";
		return -EAGAIN;
	}
	policy->resting = true;
	policy->rest_ms = input->now_ms;
	*reason = nothing_to_move;
	return -ENODATA;
}

/* Marks are met: see that the right stripes are in RAID 1. */
static int watermark_better(struct tss_policy *policy, const struct tss_input *input, const struct tss_view *view,
			    u64 high, struct tss_work *work, const char **reason)
{
	u32 looks = LOOKS_PER_CALL;
	int hot, cold;

	for (;;) {
		hot = hand_find(&policy->hot, true, WARM, input, view, &looks);
		if (hot < 0)
			return nothing_found(policy, input, &policy->hot, reason);
		if (input->mapped[RAIDX_LEVEL_RAID1] < high && input->raid1_room)
			return promote(policy, work);
		if (!policy->swaps_left) {
			*reason = rate_limit;
			return -ENODATA;
		}
		cold = hand_find(&policy->cold, false, 0, input, view, &looks);
		if (cold < 0)
			return nothing_found(policy, input, &policy->cold, reason);
		if (clearly_hotter(hot, cold)) {
			/* Out first: its room may be what the other one needs. */
			policy->swaps_left--;
			policy->swap_in = policy->hot.at + 1;
			hand_pass(&policy->hot, true, -1);
			return demote(policy, work);
		}
		/* The cold one is among the coldest there are. */
		hand_pass(&policy->hot, true, hot);
	}
}

static int watermark_next(struct tss_policy *policy, const struct tss_input *input, const struct tss_view *view,
			  struct tss_work *work, const char **reason)
{
	u64 raid1 = input->mapped[RAIDX_LEVEL_RAID1], mapped = 0, low, high;
	bool may_promote = !input->short_of_space && input->raid1_room;
	u32 level, looks = LOOKS_PER_CALL;
	u8 want;

	for (level = RAIDX_LEVEL_NONE + 1; level < RAIDX_NR_LEVELS; level++)
		mapped += input->mapped[level];
	marks(policy, mapped, &low, &high);
	if (raid1 > high)
		want = WANT_LESS;
	else if (raid1 < low && may_promote)
		want = WANT_MORE;
	else
		want = WANT_BETTER;

	if (input->touched != policy->touched) {
		policy->touched = input->touched;
		policy->touched_ms = input->now_ms;
	}
	if (input->now_ms - policy->swaps_ms >= decay_ms(policy) || !policy->swaps_ms) {
		policy->swaps_ms = max_t(u64, input->now_ms, 1);
		policy->swaps_left = max_t(u64, div_u64(raid1, SWAP_SHARE), SWAP_LEAST);
	}

	*reason = nothing_to_move;
	if (!mapped || !input->stripes)
		return -ENODATA;

	if (policy->swap_in && want != WANT_LESS && may_promote) {
		u64 stripe = policy->swap_in - 1;

		policy->swap_in = 0;
		if (stripe < input->stripes && judge(view, stripe, RAIDX_LEVEL_RAID5) >= WARM) {
			work->stripe = stripe;
			work->from = RAIDX_LEVEL_RAID5;
			work->level = RAIDX_LEVEL_RAID1;
			return 0;
		}
	}

	if (want == WANT_BETTER && input->short_of_space) {
		*reason = short_of_space;
		return -ENODATA;
	}
	if (still_resting(policy, input, want)) {
		if (raid1 < low && !may_promote)
			*reason = short_of_space;
		return -ENODATA;
	}
	if (policy->resting || want != policy->want || input->stripes != policy->stripes)
		sweep_start(policy, input, want);

	switch (want) {
	case WANT_MORE:
		if (hand_find(&policy->hot, true, 1, input, view, &looks) < 0)
			return nothing_found(policy, input, &policy->hot, reason);
		return promote(policy, work);
	case WANT_LESS:
		if (hand_find(&policy->cold, false, 0, input, view, &looks) < 0)
			return nothing_found(policy, input, &policy->cold, reason);
		return demote(policy, work);
	default:
		return watermark_better(policy, input, view, high, work, reason);
	}
}

static const struct tss_policy_ops watermark_ops = {
	.name = "watermark",
	.next_work = watermark_next,
};

/* ---- user ----------------------------------------------------------------------------------- */

static int user_next(struct tss_policy *policy, const struct tss_input *input, const struct tss_view *view,
		     struct tss_work *work, const char **reason)
{
	*reason = "policy user";
	return -ENODATA;
}

static const struct tss_policy_ops user_ops = {
	.name = "user",
	.next_work = user_next,
};

/* ---- all ------------------------------------------------------------------------------------ */

const struct tss_policy_ops *const tss_policies[TSS_NR_POLICIES] = {
	[TSS_POLICY_WATERMARK] = &watermark_ops,
	[TSS_POLICY_USER] = &user_ops,
};

int tss_policy_by_name(const char *name)
{
	u32 kind;

	for (kind = 0; kind < TSS_NR_POLICIES; kind++)
		if (tss_policies[kind] && !strcmp(tss_policies[kind]->name, name))
			return kind;
	if (!strcmp(name, "five_minute") || !strcmp(name, "auto"))
		return -EOPNOTSUPP;
	return -EINVAL;
}

/* A kind that this version lacks may come from a superblock of a later one: then decide nothing. */
static const struct tss_policy_ops *policy_ops(u8 kind)
{
	return kind < TSS_NR_POLICIES && tss_policies[kind] ? tss_policies[kind] : &user_ops;
}

void tss_policy_init(struct tss_policy *policy, const struct tss_tunables *tune, u32 stripe_bytes)
{
	memset(policy, 0, sizeof(*policy));
	policy->tune = *tune;
	policy->ops = policy_ops(tune->policy);
	policy->stripe_bytes = stripe_bytes;
	hand_init(&policy->hot);
	hand_init(&policy->cold);
}

/* Refill by the time passed; at most what a second gives, or one stripe. */
static void refill(struct tss_policy *policy, u64 now_ms, u64 rate)
{
	s64 most = max_t(u64, rate, policy->stripe_bytes);
	u64 passed, bytes;

	if (now_ms < policy->filled_ms)
		policy->filled_ms = now_ms;
	passed = now_ms - policy->filled_ms;
	if (passed > 1u << 20) {
		passed = 1u << 20;
		policy->filled_ms = now_ms - passed;
	}
	bytes = div_u64(rate * passed, 1000);
	if (bytes < LEAST_REFILL)
		return;
	/* Only the time that became bytes, rounded up, so that none counts twice. */
	policy->filled_ms += min(passed, div64_u64(bytes * 1000 + rate - 1, rate));
	policy->budget_bytes = min_t(s64, policy->budget_bytes + (s64)bytes, most);
}

int tss_policy_next(struct tss_policy *policy, const struct tss_input *input, const struct tss_view *view,
		    struct tss_work *work, const char **reason)
{
	const struct tss_policy_ops *ops = policy_ops(policy->tune.policy);
	u64 rate = policy->tune.migrate_kbps_max * 1024ULL;
	int ret;

	if (ops != policy->ops) {
		policy->ops = ops;
		policy->swap_in = 0;
		policy->want = WANT_UNKNOWN;
	}
	policy->last_ms = input->now_ms;
	if (input->degraded) {
		*reason = "degraded";
		return -ENODATA;
	}
	if (policy->failures && input->now_ms < policy->hold_ms) {
		*reason = "a move failed";
		return -EAGAIN;
	}
	if (rate) {
		if (!input->idle)
			rate /= BUSY_SHARE;
		refill(policy, input->now_ms, rate);
		if (policy->budget_bytes < policy->stripe_bytes && ops != &user_ops) {
			*reason = rate_limit;
			return -EAGAIN;
		}
	}

	ret = ops->next_work(policy, input, view, work, reason);
	if (ret)
		return ret;
	*reason = "";
	if (rate)
		policy->budget_bytes -= policy->stripe_bytes;
	return 0;
}

void tss_policy_done(struct tss_policy *policy, const struct tss_work *work, bool ok)
{
	if (ok) {
		policy->failures = 0;
		return;
	}
	/* Its place did not become free. */
	if (work->from == RAIDX_LEVEL_RAID1)
		policy->swap_in = 0;
	policy->failures = min(policy->failures + 1, (u32)HOLD_MAX_FAILURES);
	policy->hold_ms = policy->last_ms + policy->failures * HOLD_MS;
}
