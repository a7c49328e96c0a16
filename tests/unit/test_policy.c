// SPDX-License-Identifier: GPL-2.0-only
/* Policies on a simulated set: time, accesses, and an owner that does what was decided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <raidx/heat.h>
#include <raidx/policy.h>

#define STRIPES		2000u
#define STRIPE_BYTES	(256u << 10)
#define STEP_MS		100u

struct sim {
	struct tss_policy policy;
	struct tss_input input;
	struct raidx_heat_clock clock;
	u8 level[STRIPES];
	struct raidx_heat heat[STRIPES];
	u64 looks, most_looks, moves, promoted, demoted;
	int last;
	const char *reason;
	bool keep_heat;		/* an owner that does not reset */
	bool refuse;		/* every move fails */
};

static u32 seed;

static u32 random_below(u32 limit)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % limit;
}

static u8 sim_level(void *context, u64 stripe)
{
	struct sim *sim = context;

	assert_true(stripe < sim->input.stripes);
	sim->looks++;
	return sim->level[stripe];
}

static struct raidx_disk_heat sim_heat(void *context, u64 stripe)
{
	struct sim *sim = context;

	assert_true(stripe < sim->input.stripes);
	assert_int_not_equal(sim->level[stripe], RAIDX_LEVEL_NONE);
	raidx_heat_age(&sim->heat[stripe], &sim->clock);
	return sim->heat[stripe].disk;
}

/* The first @mapped stripes are mapped, all in RAID 5. */
static void sim_start(struct sim *sim, u32 mapped)
{
	struct tss_tunables tune;
	u32 i;

	memset(sim, 0, sizeof(*sim));
	seed = 42;
	tss_tunables_default(&tune);
	tss_policy_init(&sim->policy, &tune, STRIPE_BYTES);
	sim->clock.ticks_per_decay = tune.decay_interval_ms / tune.aging_interval_ms;
	sim->clock.decay_shift = tune.decay_shift;
	sim->input.now_ms = 1000000;
	sim->input.stripes = STRIPES;
	sim->input.raid1_room = STRIPES;
	sim->input.touched = 1;
	sim->input.idle = true;
	sim->input.mapped[RAIDX_LEVEL_RAID5] = mapped;
	for (i = 0; i < mapped; i++)
		sim->level[i] = RAIDX_LEVEL_RAID5;
}

static void sim_set_level(struct sim *sim, u32 stripe, u8 level)
{
	sim->input.mapped[sim->level[stripe]]--;
	sim->level[stripe] = level;
	sim->input.mapped[level]++;
}

static void write_stripe(struct sim *sim, u32 stripe)
{
	raidx_heat_touch(&sim->heat[stripe], &sim->clock, true);
	sim->input.touched++;
}

static bool sim_call(struct sim *sim)
{
	struct tss_view view = { .level = sim_level, .heat = sim_heat, .context = sim };
	struct tss_work work = { .stripe = ~0ULL };
	u64 before = sim->looks;

	sim->reason = NULL;
	sim->last = tss_policy_next(&sim->policy, &sim->input, &view, &work, &sim->reason);
	assert_non_null(sim->reason);
	sim->most_looks = max(sim->most_looks, sim->looks - before);
	if (sim->last) {
		assert_true(sim->last == -ENODATA || sim->last == -EAGAIN);
		return false;
	}
	assert_true(work.stripe < sim->input.stripes);
	assert_int_equal(sim->level[work.stripe], work.from);
	assert_int_not_equal(work.from, RAIDX_LEVEL_NONE);
	assert_int_not_equal(work.from, work.level);
	sim->moves++;
	if (!sim->refuse) {
		if (work.level == RAIDX_LEVEL_RAID1) {
			assert_false(sim->input.short_of_space);
			assert_true(sim->input.raid1_room > 0);
			sim->promoted++;
			sim->input.raid1_room--;
		} else {
			assert_int_equal(work.level, RAIDX_LEVEL_RAID5);
			sim->demoted++;
			sim->input.raid1_room++;
		}
		sim_set_level(sim, work.stripe, work.level);
		if (!sim->keep_heat)
			raidx_heat_reset(&sim->heat[work.stripe], &sim->clock);
	}
	tss_policy_done(&sim->policy, &work, !sim->refuse);
	return true;
}

/* Run for @seconds; @load is called once an aging interval. */
static void sim_run(struct sim *sim, u32 seconds, void (*load)(struct sim *sim, u32 from, u32 to), u32 from, u32 to)
{
	u64 end = sim->input.now_ms + seconds * 1000ULL;

	while (sim->input.now_ms < end) {
		if (sim->input.now_ms % 10000 == 0) {
			sim->clock.tick++;
			if (load)
				load(sim, from, to);
		}
		while (sim_call(sim))
			;
		sim->input.now_ms += STEP_MS;
	}
}

static void load_range(struct sim *sim, u32 from, u32 to)
{
	for (; from < to; from++)
		write_stripe(sim, from);
}

/* Every stripe is written with the same chance. */
static void load_even(struct sim *sim, u32 from, u32 to)
{
	for (; from < to; from++)
		if (random_below(100) < 22)
			write_stripe(sim, from);
}

static u32 in_raid1(const struct sim *sim, u32 from, u32 to)
{
	u32 n = 0;

	for (; from < to; from++)
		n += sim->level[from] == RAIDX_LEVEL_RAID1;
	return n;
}

static void defaults_and_names(void **state)
{
	struct tss_tunables tune;

	(void)state;
	tss_tunables_default(&tune);
	assert_int_equal(tune.policy, TSS_POLICY_WATERMARK);
	assert_int_equal(tune.low[0], 10);
	assert_int_equal(tune.high[0], 30);
	assert_int_equal(tune.aging_interval_ms, 10000);
	assert_int_equal(tune.decay_interval_ms, 60000);
	assert_int_equal(tune.decay_shift, 1);
	assert_int_equal(tune.migrate_kbps_max, 51200);
	assert_int_equal(tune.idle_ms, 1000);
	assert_int_equal(tss_policy_by_name("watermark"), TSS_POLICY_WATERMARK);
	assert_int_equal(tss_policy_by_name("user"), TSS_POLICY_USER);
	assert_int_equal(tss_policy_by_name("five_minute"), -EOPNOTSUPP);
	assert_int_equal(tss_policy_by_name("auto"), -EOPNOTSUPP);
	assert_int_equal(tss_policy_by_name(""), -EINVAL);
	assert_int_equal(tss_policy_by_name("watermarks"), -EINVAL);
}

static void hot_set_ends_in_raid1_and_follows(void **state)
{
	struct sim sim;
	u64 moves;

	(void)state;
	sim_start(&sim, STRIPES);
	sim_run(&sim, 600, load_range, 100, 500);
	assert_int_equal(in_raid1(&sim, 100, 500), 400);
	/* It shifts, with no place left for both below the high mark. */
	sim_run(&sim, 3600, load_range, 1000, 1500);
	assert_int_equal(in_raid1(&sim, 1000, 1500), 500);
	assert_true(in_raid1(&sim, 0, STRIPES) <= 600);
	assert_true(sim.moves <= 400 + 500 + 400);
	/* And stays. */
	moves = sim.moves;
	sim_run(&sim, 7200, load_range, 1000, 1500);
	assert_int_equal(sim.moves, moves);
	assert_true(sim.most_looks <= 256);
}

static void scattered_hot_set(void **state)
{
	struct sim sim;
	u32 i, n, round;

	(void)state;
	sim_start(&sim, STRIPES);
	for (round = 0; round < 60; round++) {
		for (i = 0; i < STRIPES; i += 5)
			write_stripe(&sim, i);
		sim_run(&sim, 10, NULL, 0, 0);
	}
	for (i = n = 0; i < STRIPES; i += 5)
		n += sim.level[i] == RAIDX_LEVEL_RAID1;
	assert_int_equal(n, STRIPES / 5);
	assert_int_equal(in_raid1(&sim, 0, STRIPES), STRIPES / 5);
}

/* Much more is hot than may be in RAID 1: it fills up and then nothing is gained by moving. */
static void steady_heat_does_not_oscillate(void **state)
{
	struct sim sim;
	u32 keep;

	(void)state;
	for (keep = 0; keep < 2; keep++) {
		sim_start(&sim, STRIPES);
		sim.keep_heat = keep;
		sim_run(&sim, 24 * 3600, load_range, 0, 1500);
		assert_int_equal(in_raid1(&sim, 0, STRIPES), 600);
		assert_int_equal(sim.moves, 600);
	}
}

/* With even random load some stripes look hot by chance; exchanges stay within their share. */
static void chance_moves_little(void **state)
{
	const u32 minutes = 240;
	struct sim sim;

	(void)state;
	sim_start(&sim, STRIPES);
	sim_run(&sim, minutes * 60, load_even, 0, STRIPES);
	assert_true(in_raid1(&sim, 0, STRIPES) <= 600);
	assert_true(sim.demoted <= (minutes + 1) * 600 / 16);
	assert_true(sim.promoted <= 600 + sim.demoted);
}

static void set_heat(struct sim *sim, u32 stripe, u8 write)
{
	sim->heat[stripe].disk = (struct raidx_disk_heat){ .write = write };
	sim->heat[stripe].tick = sim->clock.tick;
}

/* 100 mapped, @cold in RAID 1 up to the high mark, one stripe of @hot outside: is it exchanged? */
static bool exchanges(u8 hot, u8 cold)
{
	struct sim sim;
	u32 i;

	sim_start(&sim, 100);
	for (i = 0; i < 30; i++) {
		sim_set_level(&sim, i, RAIDX_LEVEL_RAID1);
		set_heat(&sim, i, cold);
	}
	set_heat(&sim, 77, hot);
	for (i = 0; i < 200; i++) {
		sim_call(&sim);
		sim.input.now_ms += STEP_MS;
	}
	assert_int_equal(in_raid1(&sim, 0, 100), 30);
	assert_true(sim.moves == 0 || sim.moves == 2);
	assert_int_equal(sim.level[77], sim.moves ? RAIDX_LEVEL_RAID1 : RAIDX_LEVEL_RAID5);
	return sim.moves;
}

static void hysteresis(void **state)
{
	(void)state;
	assert_true(exchanges(12, 0));
	assert_true(exchanges(12, 6));
	assert_false(exchanges(12, 7));
	assert_false(exchanges(12, 12));
	assert_true(exchanges(4, 2));
	assert_false(exchanges(4, 3));
	assert_false(exchanges(3, 0));
	assert_false(exchanges(0, 0));
	assert_true(exchanges(255, 127));
	assert_false(exchanges(255, 128));
	assert_false(exchanges(255, 255));
}

static void low_mark_takes_the_hottest(void **state)
{
	struct sim sim;
	u32 i;

	(void)state;
	sim_start(&sim, STRIPES);
	for (i = 0; i < STRIPES; i++)
		set_heat(&sim, i, i < 1000 ? 1 : i < 1100 ? 2 : i < 1150 ? 3 : 0);
	for (i = 0; i < 1000; i++) {
		sim_call(&sim);
		sim.input.now_ms += STEP_MS;
	}
	assert_int_equal(in_raid1(&sim, 1000, 1150), 150);
	assert_int_equal(in_raid1(&sim, 0, STRIPES), 200);
	assert_int_equal(sim.moves, 200);
	assert_string_equal(sim.reason, "nothing to move");
	assert_int_equal(sim.last, -ENODATA);
}

static void high_mark_drops_the_coldest(void **state)
{
	struct sim sim;
	u32 i;

	(void)state;
	sim_start(&sim, STRIPES);
	for (i = 0; i < 1000; i++) {
		sim_set_level(&sim, i, RAIDX_LEVEL_RAID1);
		set_heat(&sim, i, i < 600 ? 3 : i % 2);
	}
	sim.input.short_of_space = true;	/* hinders no demotion */
	sim.input.raid1_room = 0;
	for (i = 0; i < 1000; i++) {
		sim_call(&sim);
		sim.input.now_ms += STEP_MS;
	}
	assert_int_equal(in_raid1(&sim, 0, 600), 600);
	assert_int_equal(in_raid1(&sim, 600, STRIPES), 0);
	assert_int_equal(sim.demoted, 400);
	assert_int_equal(sim.last, -ENODATA);
	assert_string_equal(sim.reason, "short of space");
}

static void budget_is_obeyed(void **state)
{
	static const u32 kbps[] = { 1, 100, 1000, 51200, 4000000000u };
	u32 i, idle;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kbps); i++)
		for (idle = 0; idle < 2; idle++) {
			const u32 seconds = 100;
			u64 rate = kbps[i] * 1024ULL / (idle ? 1 : 4), most;
			struct sim sim;
			u32 s;

			sim_start(&sim, STRIPES);
			sim.policy.tune.migrate_kbps_max = kbps[i];
			sim.policy.tune.low[0] = sim.policy.tune.high[0] = 100;
			sim.input.idle = idle;
			for (s = 0; s < STRIPES; s++)
				set_heat(&sim, s, 100);
			sim_run(&sim, seconds, NULL, 0, 0);
			most = (rate * seconds + max(rate, (u64)STRIPE_BYTES)) / STRIPE_BYTES;
			assert_true(sim.moves <= most);
			assert_true(sim.moves >= min((u64)STRIPES, rate * (seconds - 10) / STRIPE_BYTES));
			if (sim.moves < STRIPES && most < STRIPES) {
				assert_int_equal(sim.last, -EAGAIN);
				assert_string_equal(sim.reason, "rate limit");
			}
		}
}

static void slow_budget_adds_up_with_quick_calls(void **state)
{
	struct sim sim;
	u32 i;

	(void)state;
	sim_start(&sim, STRIPES);
	sim.policy.tune.migrate_kbps_max = 3;
	sim.policy.tune.low[0] = sim.policy.tune.high[0] = 100;
	sim.input.idle = false;
	for (i = 0; i < STRIPES; i++)
		set_heat(&sim, i, 100);
	for (i = 0; i < 3500000; i++) {		/* 3500 s at 768 bytes/s = 10.25 stripes, and the first one */
		sim_call(&sim);
		sim.input.now_ms++;
	}
	assert_in_range(sim.moves, 10, 11);
}

static void unlimited(void **state)
{
	struct sim sim;
	u32 i;

	(void)state;
	sim_start(&sim, STRIPES);
	sim.policy.tune.migrate_kbps_max = 0;
	for (i = 0; i < 500; i++)
		set_heat(&sim, i, 20);
	for (i = 0; i < 600; i++)
		sim_call(&sim);
	assert_int_equal(sim.moves, 500);
}

static void frozen_when_degraded(void **state)
{
	struct sim sim;

	(void)state;
	sim_start(&sim, STRIPES);
	sim.input.degraded = true;
	sim_run(&sim, 600, load_range, 0, 300);
	assert_int_equal(sim.moves, 0);
	assert_int_equal(sim.looks, 0);
	assert_int_equal(sim.last, -ENODATA);
	assert_string_equal(sim.reason, "degraded");
	sim.input.degraded = false;
	sim_run(&sim, 600, load_range, 0, 300);
	assert_int_equal(in_raid1(&sim, 0, 300), 300);
}

static void no_promotion_when_short_of_space(void **state)
{
	struct sim sim;

	(void)state;
	sim_start(&sim, STRIPES);
	sim.input.short_of_space = true;
	sim_run(&sim, 600, load_range, 0, 300);
	assert_int_equal(sim.moves, 0);
	assert_string_equal(sim.reason, "short of space");
	/* No room, which is not quite the same: what is in RAID 1 may still be exchanged. */
	sim_start(&sim, STRIPES);
	sim.input.raid1_room = 50;
	sim_run(&sim, 600, load_range, 0, 300);
	assert_int_equal(sim.moves, 50);
	sim_run(&sim, 3600, load_range, 1000, 1040);
	assert_int_equal(in_raid1(&sim, 1000, 1040), 40);
	assert_int_equal(in_raid1(&sim, 0, STRIPES), 50);
	assert_string_equal(sim.reason, "short of space");
}

static void policy_user_never_decides(void **state)
{
	struct sim sim;

	(void)state;
	sim_start(&sim, STRIPES);
	sim.policy.tune.policy = TSS_POLICY_USER;
	sim_run(&sim, 600, load_range, 0, 300);
	assert_int_equal(sim.moves + sim.looks, 0);
	assert_int_equal(sim.last, -ENODATA);
	assert_string_equal(sim.reason, "policy user");
	/* Kinds that this version lacks decide nothing either. */
	sim.policy.tune.policy = TSS_POLICY_AUTO;
	sim_run(&sim, 60, load_range, 0, 300);
	sim.policy.tune.policy = 200;
	sim_run(&sim, 60, load_range, 0, 300);
	assert_int_equal(sim.moves + sim.looks, 0);
	/* Changed while it runs. */
	sim.policy.tune.policy = TSS_POLICY_WATERMARK;
	sim_run(&sim, 600, load_range, 0, 300);
	assert_int_equal(in_raid1(&sim, 0, 300), 300);
}

/* sim_call() and sim_heat() assert it; here most of the set is unmapped, and all of it. */
static void unmapped_stripes_are_left_alone(void **state)
{
	struct sim sim;

	(void)state;
	sim_start(&sim, 100);
	sim_run(&sim, 1200, load_range, 0, STRIPES);
	assert_int_equal(in_raid1(&sim, 0, 100), 30);
	assert_int_equal(in_raid1(&sim, 100, STRIPES), 0);
	sim_start(&sim, 0);
	sim_run(&sim, 600, load_range, 0, STRIPES);
	assert_int_equal(sim.moves + sim.looks, 0);
	assert_string_equal(sim.reason, "nothing to move");
	sim.input.stripes = 0;
	sim_run(&sim, 60, NULL, 0, 0);
	assert_int_equal(sim.moves + sim.looks, 0);
}

static void nothing_changes_nothing_done(void **state)
{
	struct sim sim;
	u64 looks;

	(void)state;
	sim_start(&sim, STRIPES);
	sim_run(&sim, 600, load_range, 0, 300);
	assert_int_equal(sim.moves, 300);
	sim_run(&sim, 300, NULL, 0, 0);
	looks = sim.looks;
	sim_run(&sim, 24 * 3600, NULL, 0, 0);
	assert_int_equal(sim.looks, looks);
	assert_int_equal(sim.moves, 300);
	assert_int_equal(sim.last, -ENODATA);
	assert_string_equal(sim.reason, "nothing to move");
	/* It wakes up. */
	sim_run(&sim, 600, load_range, 700, 800);
	assert_int_equal(in_raid1(&sim, 700, 800), 100);
	/* An owner that does not count accesses: a sweep an interval, no more. */
	sim_start(&sim, STRIPES);
	sim.input.touched = 0;
	sim_run(&sim, 3600, NULL, 0, 0);
	assert_int_equal(sim.moves, 0);
	assert_true(sim.looks <= 360 * 2 * STRIPES);
}

static void a_late_warmth_is_not_missed(void **state)
{
	struct sim sim;
	u32 i;

	(void)state;
	sim_start(&sim, STRIPES);
	sim_run(&sim, 300, NULL, 0, 0);
	write_stripe(&sim, 1234);
	for (i = 0; i < 90; i++) {	/* looks before the tick, while it is only a flag */
		sim_call(&sim);
		sim.input.now_ms += STEP_MS;
	}
	assert_int_equal(sim.moves, 0);
	sim_run(&sim, 30, NULL, 0, 0);
	assert_int_equal(sim.level[1234], RAIDX_LEVEL_RAID1);
}

static void failures_slow_down(void **state)
{
	struct sim sim;

	(void)state;
	sim_start(&sim, STRIPES);
	sim.policy.tune.migrate_kbps_max = 0;
	sim.refuse = true;
	sim_run(&sim, 600, load_range, 0, 300);
	assert_in_range(sim.moves, 10, 200);
	sim.refuse = false;
	sim_run(&sim, 600, load_range, 0, 300);
	assert_int_equal(in_raid1(&sim, 0, 300), 300);
}

static void strange_tunables(void **state)
{
	struct sim sim;

	(void)state;
	sim_start(&sim, STRIPES);
	sim.policy.tune.low[0] = 60;	/* low above high */
	sim.policy.tune.high[0] = 20;
	sim_run(&sim, 3600, load_range, 0, 1500);
	assert_int_equal(in_raid1(&sim, 0, STRIPES), 400);
	assert_int_equal(sim.moves, 400);
	sim_start(&sim, STRIPES);
	sim.policy.tune.low[0] = sim.policy.tune.high[0] = 255;
	sim_run(&sim, 3600, load_range, 0, STRIPES);
	assert_int_equal(in_raid1(&sim, 0, STRIPES), STRIPES);
	sim_start(&sim, STRIPES);	/* 0 = default */
	sim.policy.tune.low[0] = sim.policy.tune.high[0] = 0;
	sim.policy.tune.aging_interval_ms = sim.policy.tune.decay_interval_ms = 0;
	sim_run(&sim, 3600, load_range, 0, STRIPES);
	assert_int_equal(in_raid1(&sim, 0, STRIPES), 600);
	/* The set shrinks below the hands, and time goes back. */
	sim.input.stripes = 7;
	sim.input.now_ms = 10000;
	sim_run(&sim, 600, load_range, 0, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_and_names),
		cmocka_unit_test(hot_set_ends_in_raid1_and_follows),
		cmocka_unit_test(scattered_hot_set),
		cmocka_unit_test(steady_heat_does_not_oscillate),
		cmocka_unit_test(chance_moves_little),
		cmocka_unit_test(hysteresis),
		cmocka_unit_test(low_mark_takes_the_hottest),
		cmocka_unit_test(high_mark_drops_the_coldest),
		cmocka_unit_test(budget_is_obeyed),
		cmocka_unit_test(slow_budget_adds_up_with_quick_calls),
		cmocka_unit_test(unlimited),
		cmocka_unit_test(frozen_when_degraded),
		cmocka_unit_test(no_promotion_when_short_of_space),
		cmocka_unit_test(policy_user_never_decides),
		cmocka_unit_test(unmapped_stripes_are_left_alone),
		cmocka_unit_test(nothing_changes_nothing_done),
		cmocka_unit_test(a_late_warmth_is_not_missed),
		cmocka_unit_test(failures_slow_down),
		cmocka_unit_test(strange_tunables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
