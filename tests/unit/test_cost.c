// SPDX-License-Identifier: GPL-2.0-only
/* These tests will check that the cost model learns a device and that destage takes the way that is cheaper there. */
#include "unit.h"
#include <raidx/cost.h>

static const struct raidx_destage_case one_block = {
	.level = RAIDX_LEVEL_RAID5, .width = 5, .parity = 1, .copies = 2, .stripe_blocks = 64,
	.dirty_blocks = 1, .dirty_runs = 1, .missing_in_memory = 63, .can_in_place = true,
};

static void teach(struct raidx_cost_model *model, u64 position, u64 per_block)
{
	u32 i;

	memset(model, 0, sizeof(*model));
	for (i = 0; i < 200; i++) {
		raidx_cost_sample(model, 1 + i % 4, position + (1 + i % 4) * per_block);
		raidx_cost_sample(model, 64 + i, position + (64 + i) * per_block);
	}
}

static void check_near(u64 value, u64 expected, u32 percent)
{
	u64 off = value > expected ? value - expected : expected - value;

	check(off * 100 <= expected * percent, "%llu, expected about %llu", value, expected);
}

static void test_defaults_until_enough_samples(void **state)
{
	struct raidx_cost_model model = { 0 };
	u32 i;

	assert_int_equal(raidx_cost_io(&model, 1, 0), 100000);
	assert_int_equal(raidx_cost_io(&model, 0, 1), 8000);
	for (i = 0; i < 15; i++)
		raidx_cost_sample(&model, 1, 4000000);
	assert_int_equal(raidx_cost_io(&model, 3, 2), 3 * 100000 + 2 * 8000);
	raidx_cost_sample(&model, 1, 4000000);
	check_near(raidx_cost_io(&model, 1, 0), 4000000, 1);
	/* No large command yet: the transfer time is still the default. */
	assert_int_equal(raidx_cost_io(&model, 0, 1), 8000);
}

static void test_learns_a_disk_and_an_ssd(void **state)
{
	struct raidx_cost_model model;

	teach(&model, 4000000, 27000);
	check_near(raidx_cost_io(&model, 1, 0), 4000000, 3);
	check_near(raidx_cost_io(&model, 0, 100), 2700000, 5);
	teach(&model, 80000, 2000);
	check_near(raidx_cost_io(&model, 1, 0), 80000, 5);
	check_near(raidx_cost_io(&model, 0, 100), 200000, 5);
}

static void test_follows_a_change(void **state)
{
	struct raidx_cost_model model;
	u32 i;

	teach(&model, 80000, 2000);
	for (i = 0; i < 200; i++) {
		raidx_cost_sample(&model, 1, 4000000 + 2000);
		raidx_cost_sample(&model, 256, 4000000 + 256 * 2000);
	}
	check_near(raidx_cost_io(&model, 1, 0), 4000000, 5);
}

static void test_survives_nonsense(void **state)
{
	struct raidx_cost_model model = { 0 };
	u32 i;

	for (i = 0; i < 100; i++) {
		raidx_cost_sample(&model, 1, i & 1 ? ~0ULL : 0);
		raidx_cost_sample(&model, 64, 1);
		raidx_cost_sample(&model, 0, 5);
		raidx_cost_sample(&model, ~0u, ~0ULL);
	}
	assert_true(raidx_cost_io(&model, ~0u, ~0u) >= raidx_cost_io(&model, ~0u, 1));
	assert_true(raidx_cost_io(&model, 1, 1) <= 2000000000ULL);
}

static void test_ways_on_a_disk(void **state)
{
	struct raidx_destage_case which = one_block;
	struct raidx_cost_model model;
	u64 cost, more;

	teach(&model, 4000000, 27000);
	/* One block: 4 + 2 positionings, 8 blocks in place; 4 reads, a quarter of 5 writes and 143 blocks to fold. */
	assert_int_equal(raidx_cost_destage(&model, &which, &cost), RAIDX_DESTAGE_PARITY_IN_PLACE);
	check_near(cost, 6 * 4000000 + 6 * 27000, 3);
	/* A second run turns it. */
	which.dirty_runs = which.dirty_blocks = 2;
	assert_int_equal(raidx_cost_destage(&model, &which, &cost), RAIDX_DESTAGE_FOLD_RAID5);
	/* Where positioning is cheap, bytes count. */
	teach(&model, 100, 27000);
	assert_int_equal(raidx_cost_destage(&model, &which, NULL), RAIDX_DESTAGE_PARITY_IN_PLACE);
	teach(&model, 4000000, 27000);
	/* Many runs: only a fold. */
	which.dirty_runs = 16;
	which.dirty_blocks = 16;
	which.missing_in_memory = 48;
	assert_int_equal(raidx_cost_destage(&model, &which, &more), RAIDX_DESTAGE_FOLD_RAID5);
	which.write_hot = true;
	assert_int_equal(raidx_cost_destage(&model, &which, NULL), RAIDX_DESTAGE_FOLD_RAID1);
	/* Nothing to read: cheaper than with reads. */
	which.missing_in_memory = 0;
	which.write_hot = false;
	assert_int_equal(raidx_cost_destage(&model, &which, &cost), RAIDX_DESTAGE_FOLD_RAID5);
	assert_true(cost < more);
}

static void test_raid1_home(void **state)
{
	struct raidx_destage_case which = one_block;
	struct raidx_cost_model model;
	u64 cost;

	teach(&model, 4000000, 27000);
	which.level = RAIDX_LEVEL_RAID1;
	which.write_hot = true;
	assert_int_equal(raidx_cost_destage(&model, &which, &cost), RAIDX_DESTAGE_RAID1_IN_PLACE);
	check_near(cost, 2 * 4027000, 5);
	which.log_reads = 1;
	assert_int_equal(raidx_cost_destage(&model, &which, &cost), RAIDX_DESTAGE_RAID1_IN_PLACE);
	check_near(cost, 3 * 4027000, 5);
	which.dirty_runs = which.dirty_blocks = 32;
	which.missing_in_memory = 32;
	assert_int_equal(raidx_cost_destage(&model, &which, NULL), RAIDX_DESTAGE_FOLD_RAID1);
}

static void test_never_in_place_where_it_may_not(void **state)
{
	static const u8 levels[] = { RAIDX_LEVEL_NONE, RAIDX_LEVEL_RAID1, RAIDX_LEVEL_RAID5, RAIDX_LEVEL_RAID6,
				     RAIDX_LEVEL_CRAID5 };
	struct raidx_destage_case which = one_block;
	struct raidx_cost_model model;
	enum raidx_destage_way way;
	u32 i, disk;

	for (disk = 0; disk < 2; disk++) {
		teach(&model, disk ? 4000000 : 1000, 27000);
		for (i = 0; i < ARRAY_SIZE(levels); i++) {
			which = one_block;
			which.level = levels[i];
			which.can_in_place = false;
			way = raidx_cost_destage(&model, &which, NULL);
			assert_int_equal(way, RAIDX_DESTAGE_FOLD_RAID5);
			which.can_in_place = true;
			way = raidx_cost_destage(&model, &which, NULL);
			if (levels[i] == RAIDX_LEVEL_NONE || levels[i] == RAIDX_LEVEL_CRAID5)
				assert_int_equal(way, RAIDX_DESTAGE_FOLD_RAID5);
			else if (levels[i] == RAIDX_LEVEL_RAID1)
				assert_int_not_equal(way, RAIDX_DESTAGE_PARITY_IN_PLACE);
			else
				assert_int_not_equal(way, RAIDX_DESTAGE_RAID1_IN_PLACE);
		}
	}
}

static void test_odd_cases_do_not_divide_by_zero(void **state)
{
	struct raidx_destage_case which = { 0 };
	struct raidx_cost_model model = { 0 };

	assert_int_equal(raidx_cost_destage(&model, &which, NULL), RAIDX_DESTAGE_FOLD_RAID5);
	which.parity = 2;
	which.width = 2;
	which.stripe_blocks = 256;
	assert_int_equal(raidx_cost_destage(&model, &which, NULL), RAIDX_DESTAGE_FOLD_RAID5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_until_enough_samples),
		cmocka_unit_test(test_learns_a_disk_and_an_ssd),
		cmocka_unit_test(test_follows_a_change),
		cmocka_unit_test(test_survives_nonsense),
		cmocka_unit_test(test_ways_on_a_disk),
		cmocka_unit_test(test_raid1_home),
		cmocka_unit_test(test_never_in_place_where_it_may_not),
		cmocka_unit_test(test_odd_cases_do_not_divide_by_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
