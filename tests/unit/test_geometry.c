// SPDX-License-Identifier: GPL-2.0-only
/* These tests will check where rows put their blocks, and that every plan of a set fits its members. */
#include "unit.h"
#include "sample.h"

static const u64 sizes[] = {	/* MiB */
	64, 100, 256, 1000, 1024, 10240, 102400, 953675, 1048576, 4194304, 19073487,
};
static const u32 chunks[] = { 0, 8, 24, 64, 256, 512, 1024, 2048 };
static const u8 levels[] = {
	RAIDX_LEVEL_RAID0, RAIDX_LEVEL_RAID1, RAIDX_LEVEL_RAID10, RAIDX_LEVEL_RAID5, RAIDX_LEVEL_RAID6,
	RAIDX_LEVEL_CRAID5, RAIDX_LEVEL_TSS,
};

static bool is_pool(u8 level)
{
	return level >= RAIDX_LEVEL_RAID5;
}

static void small_plan(struct raidx_plan *plan, u8 level, u8 parity, u8 members, u64 blocks)
{
	u32 i;

	memset(plan, 0, sizeof(*plan));
	plan->level = level;
	plan->parity = parity;
	plan->nr_slots = members;
	for (i = 0; i < members; i++)
		plan->device_blocks[i] = blocks;
}

/* ---- rows ---------------------------------------------------------------------------------- */

struct row_map {
	u32 width;
	u32 depth;	/* blocks of a column */
	u8 *used;	/* per block of the group */
};

static void take(struct row_map *map, const struct raidx_place *place, const char *what)
{
	check(place->column < map->width && place->block < map->depth, "%s outside: column %u of %u, block %u of %u",
	      what, place->column, map->width, place->block, map->depth);
	check(!map->used[place->column * map->depth + place->block], "%s: two blocks at column %u, block %u", what,
	      place->column, place->block);
	map->used[place->column * map->depth + place->block] = 1;
}

/* @run promises that the next blocks follow. */
static void check_run(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, u32 block, u32 copy,
		      const struct raidx_place *place)
{
	struct raidx_place last;

	check(place->run >= 1 && block + place->run <= geo->stripe_blocks, "run %u at block %u", place->run, block);
	raidx_row_place(geo, level, width, row, block + place->run - 1, copy, &last);
	check(last.column == place->column && last.block == place->block + place->run - 1, "a run is not contiguous");
}

static void check_data(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, struct row_map *map)
{
	u32 copies = level == RAIDX_LEVEL_RAID1 ? geo->copies : 1, block, copy;
	struct raidx_place place;

	for (block = 0; block < geo->stripe_blocks; block++) {
		u64 columns = 0;

		for (copy = 0; copy < copies; copy++) {
			raidx_row_place(geo, level, width, row, block, copy, &place);
			take(map, &place, "data");
			check(!(columns & 1ULL << place.column), "two copies on one column");
			columns |= 1ULL << place.column;
			check_run(geo, level, width, row, block, copy, &place);
		}
	}
}

/* No parity block of a data block may share its column, and P of offset o covers offset o of each column. */
static void check_parity(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, struct row_map *map,
			 u32 share[RAIDX_MAX_MEMBERS])
{
	u32 chunk = raidx_row_chunk_blocks(geo, level, width), nr = raidx_row_parity_blocks(geo, level, width);
	u32 parity = level == RAIDX_LEVEL_RAID6 ? 2 : 1, i, data;
	struct raidx_place place;

	assert_int_equal(nr, parity * chunk);
	for (i = 0; i < nr; i++) {
		raidx_row_parity_place(geo, level, width, row, i, &place);
		take(map, &place, "parity");
		assert_int_equal(place.block, row * chunk + i % chunk);
		assert_int_equal(place.run, chunk - i % chunk);
		share[place.column]++;
		for (data = 0; data < width - parity; data++)
			assert_int_not_equal(raidx_row_data_column(geo, level, width, row, data), place.column);
	}
}

static void check_group(const struct raidx_geometry *geo, u8 level, u32 width)
{
	u32 rows = raidx_group_nr_rows(geo, level, width), share[RAIDX_MAX_MEMBERS] = { 0 }, row, column;
	struct row_map map = { .width = width, .depth = geo->extent_blocks };

	/* One whole turn of the parity and the last row. */
	u32 some = min(rows, width);

	check(rows && rows <= geo->group_rows, "level %u width %u: %u rows", level, width, rows);
	check((u64)rows * raidx_row_chunk_blocks(geo, level, width) <= geo->extent_blocks, "rows leave the extent");
	assert_int_equal(raidx_row_nr_crcs(geo, level, width),
			 geo->stripe_blocks + raidx_row_parity_blocks(geo, level, width));
	map.used = calloc(map.width, map.depth);
	for (row = 0; row < some; row++) {
		check_data(geo, level, width, row, &map);
		if (level != RAIDX_LEVEL_RAID1)
			check_parity(geo, level, width, row, &map, share);
	}
	if (some < rows)
		check_data(geo, level, width, rows - 1, &map);
	if (some == width)
		for (column = 1; column < width; column++)
			check(share[column] == share[0], "level %u width %u: parity of column %u: %u, of 0: %u", level,
			      width, column, share[column], share[0]);
	free(map.used);
}

static void test_rows_are_a_bijection(void **state)
{
	static const u32 members[] = { 3, 4, 5, 6, 7, 8, 12, 17, 18, 33, 64 };
	u32 parity, i, c, width;

	for (parity = 1; parity <= 2; parity++)
		for (i = 0; i < ARRAY_SIZE(members); i++)
			for (c = 0; c < ARRAY_SIZE(chunks); c++) {
				struct raidx_geometry geo;
				struct raidx_plan plan;
				u64 data[RAIDX_MAX_MEMBERS];

				if (members[i] < parity + 2)
					continue;
				small_plan(&plan, RAIDX_LEVEL_TSS, parity, members[i], 100 * 256);
				plan.chunk_sectors = chunks[c];
				if (raidx_geometry_plan(&plan, &geo, data))
					continue;
				for (width = geo.copies; width <= members[i]; width += 1 + width / 8) {
					check_group(&geo, RAIDX_LEVEL_RAID1, width);
					check_group(&geo, parity == 2 ? RAIDX_LEVEL_RAID6 : RAIDX_LEVEL_RAID5, width);
				}
			}
}

static void test_left_symmetric_as_documented(void **state)
{
	struct raidx_geometry geo;
	struct raidx_place place;
	u64 data[RAIDX_MAX_MEMBERS];

	assert_null(sample_plan(RAIDX_LEVEL_TSS, 1, 5, SAMPLE_MEMBER_BLOCKS, &geo, data));
	assert_int_equal(geo.chunk_blocks, 16);
	assert_int_equal(geo.stripe_blocks, 64);
	raidx_row_parity_place(&geo, RAIDX_LEVEL_RAID5, 5, 0, 0, &place);
	assert_int_equal(place.column, 4);
	raidx_row_place(&geo, RAIDX_LEVEL_RAID5, 5, 0, 0, 0, &place);
	assert_int_equal(place.column, 0);
	raidx_row_parity_place(&geo, RAIDX_LEVEL_RAID5, 5, 1, 0, &place);
	assert_int_equal(place.column, 3);
	assert_int_equal(place.block, 16);
	raidx_row_place(&geo, RAIDX_LEVEL_RAID5, 5, 1, 0, 0, &place);
	assert_int_equal(place.column, 4);
	raidx_row_place(&geo, RAIDX_LEVEL_RAID5, 5, 1, 20, 0, &place);
	assert_int_equal(place.column, 0);
	assert_int_equal(place.block, 20);
	assert_int_equal(place.run, 12);
	/* RAID 1 on five columns: chunk ceil(128 / 5) = 26, copy 1 of block 0 is block 64 of the run. */
	raidx_row_place(&geo, RAIDX_LEVEL_RAID1, 5, 1, 0, 1, &place);
	assert_int_equal(place.column, 3);
	assert_int_equal(place.block, 26 + 12);
	assert_int_equal(place.run, 14);
}

/* ---- plans ---------------------------------------------------------------------------------- */

static void check_areas(const struct raidx_geometry *geo, const struct raidx_plan *plan,
			const u64 data[RAIDX_MAX_MEMBERS])
{
	u32 i;

	assert_true(geo->anchor_start >= 16);
	assert_true(geo->log_start >= geo->anchor_start + raidx_anchor_blocks(geo));
	assert_int_equal(geo->log_start % 256, 0);
	assert_true(geo->data_start >= geo->log_start + (u64)geo->segment_slots * geo->segment_blocks);
	assert_int_equal(geo->data_start % 256, 0);
	for (i = 0; i < plan->nr_slots; i++) {
		/* The last block is superblock B. */
		check(geo->data_start + data[i] <= plan->device_blocks[i] - 1, "slot %u: data beyond its end", i);
		if (is_pool(geo->level))
			assert_int_equal(data[i] % geo->extent_blocks, 0);
	}
}

static void check_log_plan(const struct raidx_geometry *geo, u32 members)
{
	u32 others = members > geo->copies ? members - 1 : members;

	if (geo->level == RAIDX_LEVEL_RAID0) {
		assert_int_equal(geo->nr_segments, 0);
		assert_int_equal(raidx_anchor_blocks(geo), 0);
		return;
	}
	assert_in_range(geo->nr_lanes, 1, 4);
	assert_int_equal(geo->nr_segments % geo->nr_lanes, 0);
	assert_in_range(geo->nr_segments, 4 * geo->nr_lanes, RAIDX_MAX_SEGMENTS);
	assert_true(geo->segment_blocks >= 128);
	/* All copies still have room when one member is gone. */
	assert_true(geo->segment_slots * others >= geo->nr_segments * geo->copies);
	assert_true(geo->segment_slots <= 255);
}

static void check_pool_plan(const struct raidx_geometry *geo, u64 smallest, u32 members)
{
	u64 rows = (u64)geo->max_groups * geo->group_rows, stripes = smallest * members / geo->stripe_blocks;
	u64 pages = geo->map_pages + geo->row_pages + geo->heat_pages;

	assert_int_equal(geo->copies, geo->parity + 1);
	assert_int_equal(geo->stripe_blocks, geo->chunk_blocks * (members - geo->parity));
	assert_in_range(geo->stripe_blocks, 1, RAIDX_MAX_STRIPE_BLOCKS);
	assert_true(raidx_rows_per_page(geo) >= 1);
	assert_true(geo->map_pages * RAIDX_MAPS_PER_PAGE >= 2 * stripes);
	assert_true(geo->heat_pages * RAIDX_HEATS_PER_PAGE >= 2 * stripes);
	assert_true(geo->row_pages * raidx_rows_per_page(geo) >= rows);
	assert_true((u64)geo->root_pages * RAIDX_ROOTS_PER_PAGE >= pages);
	assert_true(geo->max_groups >= 2 * (smallest / geo->extent_blocks));
	/* A row of the narrowest mirror fits an extent. */
	assert_true(raidx_group_nr_rows(geo, RAIDX_LEVEL_RAID1, geo->copies) >= 1);
}

/* Tables of a full set, two groups and what invariant 4 keeps back fit beside the promise. */
static void check_promise(const struct raidx_geometry *geo, const u64 data[RAIDX_MAX_MEMBERS], u32 members)
{
	u8 level = geo->parity == 2 ? RAIDX_LEVEL_RAID6 : RAIDX_LEVEL_RAID5;
	u64 extents = data[0] / geo->extent_blocks, unit = raidx_unit_pages(geo);
	u32 rows = raidx_group_nr_rows(geo, level, members);
	u64 groups = (geo->nr_stripes + rows - 1) / rows, units, kept;

	units = (geo->nr_stripes / RAIDX_MAPS_PER_PAGE + unit) / unit;
	units += (geo->nr_stripes / RAIDX_HEATS_PER_PAGE + unit) / unit;
	units += ((groups + units) * geo->group_rows / raidx_rows_per_page(geo) + unit) / unit;
	kept = extents - groups - (units * geo->copies + members - 1) / members;
	check(groups < extents && kept <= extents, "promise of %llu groups with %llu extents", groups, extents);
	check(kept >= 2 && (kept - 1) * rows >= 64 && (kept - 1) * 256 >= extents, "%llu groups kept back of %llu", kept,
	      extents);
}

static void check_plan(const struct raidx_plan *plan)
{
	u32 members = plan->nr_slots - plan->nr_spares, i;
	u64 data[RAIDX_MAX_MEMBERS], raw = 0, smallest = ~0ULL;
	struct raidx_geometry geo;
	const char *error = raidx_geometry_plan(plan, &geo, data);

	for (i = 0; i < members; i++) {
		smallest = min(smallest, plan->device_blocks[i]);
		raw += plan->device_blocks[i];
	}
	/* Huge chunks leave too few rows on small members. */
	if (error && smallest <= 256 * 1024 && plan->chunk_sectors > 256 && strstr(error, "too small"))
		return;
	/* Tiny extents on huge members are refused too. */
	if (error && plan->chunk_sectors && plan->chunk_sectors <= 24 && strstr(error, "too many"))
		return;
	check(!error, "level %u parity %u, %u members of %llu blocks, chunk %u: %s", plan->level, plan->parity, members,
	      smallest, plan->chunk_sectors, error);
	assert_null(raidx_geometry_check(&geo));
	check_areas(&geo, plan, data);
	check_log_plan(&geo, members);
	assert_true(geo.length_blocks);
	assert_int_equal(geo.nr_stripes, (geo.length_blocks + geo.stripe_blocks - 1) / geo.stripe_blocks);
	if (is_pool(plan->level)) {
		check_pool_plan(&geo, smallest, members);
		check_promise(&geo, data, members);
		assert_true(geo.length_blocks < smallest * (members - geo.parity));
	} else if (plan->level == RAIDX_LEVEL_RAID0) {
		assert_true(geo.length_blocks < raw);
	} else if (plan->level == RAIDX_LEVEL_RAID1) {
		assert_true(geo.length_blocks < smallest);
	} else {
		assert_true(geo.length_blocks <= smallest * members / 2);
		assert_int_equal(geo.length_blocks % geo.chunk_blocks, 0);
	}
}

static void test_every_plan_fits(void **state)
{
	u32 level, parity, members, size, chunk;
	struct raidx_plan plan;

	for (level = 0; level < ARRAY_SIZE(levels); level++)
		for (parity = 1; parity <= 2; parity++)
			for (members = 2; members <= 64; members++)
				for (size = 0; size < ARRAY_SIZE(sizes); size++)
					for (chunk = 0; chunk < ARRAY_SIZE(chunks); chunk++) {
						if (is_pool(levels[level]) && members < parity + 2)
							continue;
						if (levels[level] == RAIDX_LEVEL_RAID6 && members < 4)
							continue;
						small_plan(&plan, levels[level], parity, members, sizes[size] * 256);
						plan.chunk_sectors = chunks[chunk];
						check_plan(&plan);
					}
}

static void test_members_of_different_size_and_spares(void **state)
{
	u32 level, members, i;
	struct raidx_plan plan;

	for (level = 0; level < ARRAY_SIZE(levels); level++)
		for (members = 4; members <= 12; members++) {
			small_plan(&plan, levels[level], 1, members + 2, 0);
			plan.nr_spares = 2;
			for (i = 0; i < members + 2; i++)
				plan.device_blocks[i] = 100000 + i * 12345;
			check_plan(&plan);
		}
}

/* Log, tables and what is kept back: at most 2 % from 1 TB on, at the default chunk size. */
static void test_big_members_lose_two_percent(void **state)
{
	u32 parity, members;
	u64 gib, data[RAIDX_MAX_MEMBERS];

	for (parity = 1; parity <= 2; parity++)
		for (members = parity + 2; members <= 64; members++)
			for (gib = 932; gib <= 20000; gib += gib / 3) {
				struct raidx_geometry geo;
				u64 plain = (gib << 18) * (members - parity);

				assert_null(sample_plan(RAIDX_LEVEL_TSS, parity, members, gib << 18, &geo, data));
				check(geo.length_blocks * 50 >= plain * 49, "%u members of %llu GiB, parity %u: %.2f %%",
				      members, gib, parity, 100 - 100.0 * geo.length_blocks / plain);
			}
}

static void test_default_log(void **state)
{
	struct raidx_geometry geo;
	u64 data[RAIDX_MAX_MEMBERS], ring, gib;

	for (gib = 1; gib <= 16384; gib *= 4) {
		assert_null(sample_plan(RAIDX_LEVEL_TSS, 1, 5, gib << 18, &geo, data));
		ring = (u64)geo.nr_segments * geo.segment_blocks;
		assert_in_range(ring, 32 * 256, 8192 * 256);
		if (ring > 65 * 256)
			check(ring <= (gib << 18) * 4 / 64, "%llu GiB: a log of %llu MiB", gib, ring / 256);
	}
}

static void test_user_values_are_taken_or_refused(void **state)
{
	struct raidx_geometry geo;
	struct raidx_plan plan, good;
	u64 data[RAIDX_MAX_MEMBERS];
	u32 sectors;

	small_plan(&good, RAIDX_LEVEL_TSS, 1, 5, 4 << 18);
	for (sectors = 2048; sectors <= 65536; sectors *= 2) {
		plan = good;
		plan.extent_sectors = sectors;
		assert_null(raidx_geometry_plan(&plan, &geo, data));
		assert_int_equal(geo.extent_blocks, sectors / 8);
	}
	for (sectors = 1; sectors < 4096; sectors += 2) {
		plan = good;
		plan.extent_sectors = sectors * 512 + 8;
		assert_non_null(strstr(raidx_geometry_plan(&plan, &geo, data), "extent_sectors"));
		plan = good;
		plan.chunk_sectors = sectors;
		assert_non_null(strstr(raidx_geometry_plan(&plan, &geo, data), "chunk_sectors"));
	}
	plan = good;
	plan.log_sectors = 1 << 20;
	assert_null(raidx_geometry_plan(&plan, &geo, data));
	assert_int_equal(geo.nr_segments * geo.segment_blocks * 8, 1 << 20);
	plan.log_sectors = 1000;
	assert_non_null(strstr(raidx_geometry_plan(&plan, &geo, data), "log_sectors"));
	plan.log_sectors = ~0ULL;
	assert_non_null(strstr(raidx_geometry_plan(&plan, &geo, data), "log_sectors"));
	plan = good;
	plan.parity = 3;
	assert_non_null(raidx_geometry_plan(&plan, &geo, data));
}

static void test_too_few_or_too_small(void **state)
{
	static const u8 least[RAIDX_NR_LEVELS] = { 0, 2, 2, 2, 3, 4, 3, 3 };
	struct raidx_geometry geo;
	struct raidx_plan plan;
	u64 data[RAIDX_MAX_MEMBERS];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		assert_null(sample_plan(levels[i], 0, least[levels[i]], 64 * 256, &geo, data));
		assert_non_null(sample_plan(levels[i], 0, least[levels[i]] - 1, 64 * 256, &geo, data));
		assert_non_null(sample_plan(levels[i], 0, least[levels[i]], 1000, &geo, data));
		assert_non_null(sample_plan(levels[i], 0, least[levels[i]], 0, &geo, data));
		assert_non_null(sample_plan(levels[i], 0, least[levels[i]], ~0ULL, &geo, data));
		small_plan(&plan, levels[i], 0, 4, 64 * 256);
		plan.nr_spares = 4;
		assert_non_null(raidx_geometry_plan(&plan, &geo, data));
		plan.nr_spares = 255;
		assert_non_null(raidx_geometry_plan(&plan, &geo, data));
	}
	assert_non_null(sample_plan(RAIDX_LEVEL_NONE, 0, 4, 64 * 256, &geo, data));
	assert_non_null(sample_plan(RAIDX_LEVEL_TABLE, 0, 4, 64 * 256, &geo, data));
	assert_non_null(sample_plan(255, 0, 4, 64 * 256, &geo, data));
}

/* Records that were cut short for big sets refuse groups too narrow for them; nothing else may. */
static void test_narrow_groups(void **state)
{
	struct raidx_geometry geo;
	u64 data[RAIDX_MAX_MEMBERS];
	u32 width;

	assert_null(sample_plan(RAIDX_LEVEL_TSS, 2, 30, 1ULL << 28, &geo, data));
	assert_int_equal(raidx_group_nr_rows(&geo, RAIDX_LEVEL_RAID6, 3), 0);
	for (width = 3; width <= 64; width++)
		assert_true(raidx_group_nr_rows(&geo, RAIDX_LEVEL_RAID1, width));
	for (width = 30; width <= 64; width++)
		assert_true(raidx_group_nr_rows(&geo, RAIDX_LEVEL_RAID6, width));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_a_bijection),
		cmocka_unit_test(test_left_symmetric_as_documented),
		cmocka_unit_test(test_every_plan_fits),
		cmocka_unit_test(test_members_of_different_size_and_spares),
		cmocka_unit_test(test_big_members_lose_two_percent),
		cmocka_unit_test(test_default_log),
		cmocka_unit_test(test_user_values_are_taken_or_refused),
		cmocka_unit_test(test_too_few_or_too_small),
		cmocka_unit_test(test_narrow_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
