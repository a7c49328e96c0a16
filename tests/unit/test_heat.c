// SPDX-License-Identifier: GPL-2.0-only
/* Temperature: lazy aging gives what a visit at each tick would give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <raidx/heat.h>

static u32 seed = 1;

static u32 random_below(u32 limit)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % limit;
}

/* A record that is visited at each tick. */
struct eager {
	u32 read, write, settling;
	bool was_read, was_written;
};

static void eager_tick(struct eager *eager, const struct raidx_heat_clock *clock)
{
	if (eager->was_read && eager->read < 255)
		eager->read++;
	if (eager->was_written && eager->write < 255)
		eager->write++;
	eager->was_read = eager->was_written = false;
	if (clock->tick % clock->ticks_per_decay)
		return;
	eager->read -= (eager->read + (1u << clock->decay_shift) - 1) >> clock->decay_shift;
	eager->write -= (eager->write + (1u << clock->decay_shift) - 1) >> clock->decay_shift;
	if (eager->settling)
		eager->settling--;
}

static void lazy_is_eager_from(u32 start, u32 per_decay, u8 shift)
{
	struct raidx_heat_clock clock = { .tick = start, .ticks_per_decay = per_decay, .decay_shift = shift };
	struct raidx_heat heat = { .tick = start };
	struct eager eager = { 0 };
	u32 i;

	for (i = 0; i < 20000; i++) {
		u32 what = random_below(16);

		if (what == 0) {
			raidx_heat_touch(&heat, &clock, true);
			eager.was_written = true;
		} else if (what == 1) {
			raidx_heat_touch(&heat, &clock, false);
			eager.was_read = true;
		} else if (what == 2 && !random_below(50)) {
			raidx_heat_reset(&heat, &clock);
			eager = (struct eager){ .settling = RAIDX_HEAT_SETTLING_DECAYS };
		} else if (what < 5) {
			u32 steps = random_below(10) ? random_below(4) : random_below(100);

			while (steps--) {
				clock.tick++;
				eager_tick(&eager, &clock);
			}
		} else if (what == 5) {
			raidx_heat_age(&heat, &clock);
			assert_int_equal(heat.disk.read, eager.read);
			assert_int_equal(heat.disk.write, eager.write);
			assert_int_equal(heat.disk.flags >> RAIDX_HEAT_SETTLING_SHIFT, eager.settling);
			assert_int_equal(heat.disk.reserved, 0);
		}
	}
}

static void lazy_is_eager(void **state)
{
	static const u32 per_decay[] = { 1, 2, 6, 7, 600 };
	u32 i;
	u8 shift;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(per_decay); i++)
		for (shift = 0; shift <= 8; shift++) {
			lazy_is_eager_from(0, per_decay[i], shift);
			lazy_is_eager_from(12345, per_decay[i], shift);
			lazy_is_eager_from(U32_MAX - 2000, per_decay[i], shift);
		}
}

static void burst_counts_once(void **state)
{
	struct raidx_heat_clock clock = { .tick = 1, .ticks_per_decay = 6, .decay_shift = 1 };
	struct raidx_heat heat = { .tick = 1 };
	u32 i;

	(void)state;
	for (i = 0; i < 1000; i++)
		raidx_heat_touch(&heat, &clock, true);
	assert_int_equal(heat.disk.write, 0);
	clock.tick++;
	raidx_heat_age(&heat, &clock);
	assert_int_equal(heat.disk.write, 1);
	assert_int_equal(heat.disk.read, 0);
	raidx_heat_age(&heat, &clock);
	assert_int_equal(heat.disk.write, 1);
}

static void saturates(void **state)
{
	struct raidx_heat_clock clock = { .tick = 0, .ticks_per_decay = 1000000, .decay_shift = 1 };
	struct raidx_heat heat = { .tick = 0 };

	(void)state;
	for (; clock.tick < 1000; clock.tick++) {
		raidx_heat_touch(&heat, &clock, true);
		raidx_heat_touch(&heat, &clock, false);
	}
	raidx_heat_age(&heat, &clock);
	assert_int_equal(heat.disk.write, 255);
	assert_int_equal(heat.disk.read, 255);
}

static void cools_to_nothing(void **state)
{
	u32 shift;

	(void)state;
	for (shift = 0; shift <= 255; shift++) {
		struct raidx_heat_clock clock = { .tick = 5, .ticks_per_decay = 1, .decay_shift = shift };
		struct raidx_heat heat = { .disk = { .read = 255, .write = 1 }, .tick = 5 };

		clock.tick += 255;
		raidx_heat_age(&heat, &clock);
		assert_int_equal(heat.disk.read, 0);
		assert_int_equal(heat.disk.write, 0);
		/* A very long absence, and no ticks_per_decay. */
		heat.disk.write = 200;
		clock.ticks_per_decay = 0;
		clock.tick += 0xf0000000u;
		raidx_heat_age(&heat, &clock);
		assert_int_equal(heat.disk.write, 0);
	}
}

static void old_clock_changes_nothing(void **state)
{
	struct raidx_heat_clock clock = { .tick = 0, .ticks_per_decay = 1, .decay_shift = 1 };
	struct raidx_heat heat = { .disk = { .write = 100 }, .tick = 0 };

	(void)state;
	clock.tick = U32_MAX;
	raidx_heat_age(&heat, &clock);
	assert_int_equal(heat.disk.write, 100);
	assert_int_equal(heat.tick, 0);
	raidx_heat_touch(&heat, &clock, true);
	clock.tick = 1;
	raidx_heat_age(&heat, &clock);
	assert_int_equal(heat.disk.write, 50);
}

static void reset_settles(void **state)
{
	struct raidx_heat_clock clock = { .tick = 7, .ticks_per_decay = 6, .decay_shift = 1 };
	struct raidx_heat heat = { .disk = { .read = 9, .write = 9, .flags = 3 }, .tick = 3 };

	(void)state;
	raidx_heat_reset(&heat, &clock);
	assert_int_equal(heat.disk.read + heat.disk.write, 0);
	assert_int_equal(heat.disk.flags & (RAIDX_HEAT_READ | RAIDX_HEAT_WRITTEN), 0);
	clock.tick = 17;
	raidx_heat_touch(&heat, &clock, true);
	assert_true(heat.disk.flags & RAIDX_HEAT_SETTLING);
	assert_true(heat.disk.flags & RAIDX_HEAT_WRITTEN);
	clock.tick = 18;
	raidx_heat_age(&heat, &clock);
	assert_false(heat.disk.flags & RAIDX_HEAT_SETTLING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lazy_is_eager),
		cmocka_unit_test(burst_counts_once),
		cmocka_unit_test(saturates),
		cmocka_unit_test(cools_to_nothing),
		cmocka_unit_test(old_clock_changes_nothing),
		cmocka_unit_test(reset_settles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
