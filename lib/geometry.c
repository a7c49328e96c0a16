// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx geometry: where things are.  Pure arithmetic; holds no state.
 *
 * A set's layout is planned once, at creation, and kept in its superblocks.  Rows of a block group are
 * found from (level, width, row) alone, so that a map entry of 32 bytes names every block of a stripe.
 */
#include <raidx/geometry.h>
#ifdef __KERNEL__
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#endif

#define MIB_BLOCKS	256u
#define ANCHOR_START	16u	/* blocks; superblock A is block 1 */

u32 raidx_row_chunk_blocks(const struct raidx_geometry *geo, u8 level, u32 width)
{
	switch (level) {
	case RAIDX_LEVEL_RAID1:
		return DIV_ROUND_UP(geo->stripe_blocks * geo->copies, width);
	case RAIDX_LEVEL_RAID5:
		return DIV_ROUND_UP(geo->stripe_blocks, width - 1);
	case RAIDX_LEVEL_RAID6:
		return DIV_ROUND_UP(geo->stripe_blocks, width - 2);
	default:
		return geo->extent_blocks;
	}
}

u32 raidx_group_nr_rows(const struct raidx_geometry *geo, u8 level, u32 width)
{
	return min(geo->extent_blocks / raidx_row_chunk_blocks(geo, level, width), geo->group_rows);
}

u32 raidx_row_parity_blocks(const struct raidx_geometry *geo, u8 level, u32 width)
{
	if (level == RAIDX_LEVEL_RAID5)
		return raidx_row_chunk_blocks(geo, level, width);
	if (level == RAIDX_LEVEL_RAID6)
		return 2 * raidx_row_chunk_blocks(geo, level, width);
	return 0;
}

u32 raidx_row_nr_crcs(const struct raidx_geometry *geo, u8 level, u32 width)
{
	return geo->stripe_blocks + raidx_row_parity_blocks(geo, level, width);
}

u32 raidx_row_data_column(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, u32 data)
{
	u32 parity = level == RAIDX_LEVEL_RAID6 ? 2 : 1;

	return (width - 1 - row % width + parity + data) % width;
}

void raidx_row_place(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, u32 block,
		     u32 copy, struct raidx_place *place)
{
	u32 chunk = raidx_row_chunk_blocks(geo, level, width);
	u32 offset;

	if (level == RAIDX_LEVEL_RAID1) {
		u32 linear = copy * geo->stripe_blocks + block;

		place->column = (linear / chunk + row) % width;
		offset = linear % chunk;
	} else {
		place->column = raidx_row_data_column(geo, level, width, row, block / chunk);
		offset = block % chunk;
	}
	place->block = row * chunk + offset;
	place->run = min(chunk - offset, geo->stripe_blocks - block);
}

void raidx_row_parity_place(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, u32 index,
			    struct raidx_place *place)
{
	u32 chunk = raidx_row_chunk_blocks(geo, level, width);
	u32 offset = index % chunk;

	place->column = (width - 1 - row % width + index / chunk) % width;
	place->block = row * chunk + offset;
	place->run = chunk - offset;
}

static bool is_pool(u8 level)
{
	return level == RAIDX_LEVEL_RAID5 || level == RAIDX_LEVEL_RAID6 || level == RAIDX_LEVEL_CRAID5 ||
	       level == RAIDX_LEVEL_TSS;
}

static const char *plan_stripe(const struct raidx_plan *plan, u32 members, struct raidx_geometry *geo)
{
	u32 chunk = plan->chunk_sectors ? plan->chunk_sectors : 128;
	u32 data;

	if (chunk % RAIDX_BLOCK_SECTORS || chunk > 2048)
		return "chunk_sectors: not a multiple of 8 sectors up to 2048";
	geo->chunk_blocks = chunk / RAIDX_BLOCK_SECTORS;
	if (!is_pool(geo->level)) {
		geo->stripe_blocks = geo->chunk_blocks;
		return NULL;
	}
	data = members - geo->parity;
	geo->stripe_blocks = min_t(u32, data * geo->chunk_blocks, RAIDX_MAX_STRIPE_BLOCKS);
	geo->chunk_blocks = DIV_ROUND_UP(geo->stripe_blocks, data);
	return NULL;
}

static const char *plan_extent(const struct raidx_plan *plan, u64 smallest, struct raidx_geometry *geo)
{
	u64 blocks;

	if (plan->extent_sectors) {
		blocks = div_u64(plan->extent_sectors, RAIDX_BLOCK_SECTORS);
		if (blocks * RAIDX_BLOCK_SECTORS != plan->extent_sectors || blocks & (blocks - 1) ||
		    blocks < MIB_BLOCKS || blocks > 1024 * MIB_BLOCKS)
			return "extent_sectors: not a power of two from 2048 to 2097152";
	} else {
		blocks = MIB_BLOCKS;
		while (blocks < 1024 * MIB_BLOCKS && blocks < div_u64(smallest, 512))
			blocks *= 2;
	}
	while (is_pool(geo->level) && blocks < geo->stripe_blocks)
		blocks *= 2;
	while (is_pool(geo->level) && div_u64(blocks, geo->chunk_blocks) > RAIDX_MAX_GROUP_ROWS)
		blocks = div_u64(blocks, 2);
	geo->extent_blocks = blocks;
	return NULL;
}

static const char *plan_log(const struct raidx_plan *plan, u64 smallest, u32 members, struct raidx_geometry *geo)
{
	u64 wanted, most = div_u64(smallest * members, 8 * geo->copies);
	u32 unit, spread;

	if (!geo->copies || geo->level == RAIDX_LEVEL_RAID0)
		return NULL;
	geo->nr_lanes = clamp_t(u32, members / geo->copies, 1, RAIDX_MAX_LANES);
	if (plan->log_sectors)
		wanted = div_u64(plan->log_sectors, RAIDX_BLOCK_SECTORS);
	else
		wanted = clamp_t(u64, div_u64(smallest * members, 64), 32 * MIB_BLOCKS, 8192 * MIB_BLOCKS);
	if (plan->log_sectors && wanted > most)
		return "log_sectors: more than an eighth of the members";
	wanted = min(wanted, most);
	/* At least four segments a lane, each with room for a whole entry. */
	unit = 4 * geo->nr_lanes;
	if (wanted < (u64)unit * 128) {
		if (plan->log_sectors)
			return "log_sectors: too small for four segments of 512 KiB in each lane";
		wanted = unit * 128;
	}
	geo->nr_segments = min_t(u64, RAIDX_MAX_SEGMENTS, div_u64(wanted, MIB_BLOCKS));
	geo->nr_segments = max(geo->nr_segments - geo->nr_segments % geo->nr_lanes, unit);
	geo->segment_blocks = div_u64(wanted, geo->nr_segments);
	spread = members > geo->copies ? members - 1 : members;
	geo->segment_slots = DIV_ROUND_UP(geo->nr_segments * geo->copies, spread) + 1;
	return NULL;
}

static void plan_tables(u64 raw_extents, u32 members, struct raidx_geometry *geo)
{
	u64 stripes, pages;
	u32 rows;

	geo->lost_pages = geo->extent_blocks >= 16 * MIB_BLOCKS ? 64 : 8;
	if (!is_pool(geo->level)) {
		if (geo->level != RAIDX_LEVEL_RAID0)
			geo->written_pages = div_u64(2 * raw_extents * geo->extent_blocks, 16 * RAIDX_WRITTEN_PER_PAGE) + 1;
		else
			geo->lost_pages = 0;
		return;
	}
	rows = geo->extent_blocks / geo->chunk_blocks;
	geo->group_rows = min_t(u32, roundup_pow_of_two(2 * rows), RAIDX_MAX_GROUP_ROWS);
	geo->row_record_bytes = sizeof(struct raidx_disk_row) + 4 * geo->stripe_blocks * (1 + geo->parity);
	geo->row_record_bytes = roundup(geo->row_record_bytes, 8);
	geo->max_groups = 2 * div_u64(raw_extents + members - 1, members) + 64;
	stripes = div_u64(2 * raw_extents * geo->extent_blocks, geo->stripe_blocks);
	geo->map_pages = div_u64(stripes, RAIDX_MAPS_PER_PAGE) + 1;
	geo->heat_pages = div_u64(stripes, RAIDX_HEATS_PER_PAGE) + 1;
	geo->row_pages = div_u64((u64)geo->max_groups * geo->group_rows, raidx_rows_per_page(geo)) + 1;
	pages = geo->map_pages + geo->heat_pages + geo->row_pages;
	geo->root_pages = div_u64(pages, RAIDX_ROOTS_PER_PAGE) + 1;
}

/* Whole extents that the table pages of @stripes mapped stripes take on the set. */
static u64 table_extents(const struct raidx_geometry *geo, u64 stripes)
{
	u32 unit = raidx_unit_pages(geo);
	u64 units;

	units = div_u64(div_u64(stripes, RAIDX_MAPS_PER_PAGE) + unit, unit) +
		div_u64(div_u64(stripes, RAIDX_HEATS_PER_PAGE) + unit, unit);
	/* The row table has gaps: its records are numbered by group. */
	units += div_u64(div_u64(stripes * 2, raidx_rows_per_page(geo)) + unit, unit) + 1;
	return units * geo->copies;
}

/*
 * What a pool promises (invariant 4): whole free block groups at RAID 5 efficiency, less the tables of a
 * full set and what is kept back: two groups (one for destage, one to compact into) or 1/256.
 */
static void plan_promise(u64 extents_each, u32 members, struct raidx_geometry *geo)
{
	u8 level = geo->parity == 2 ? RAIDX_LEVEL_RAID6 : RAIDX_LEVEL_RAID5;
	u32 rows = raidx_group_nr_rows(geo, level, members);
	u64 tables = table_extents(geo, extents_each * rows);
	u64 groups = extents_each, keep;

	tables = div_u64(tables + members - 1, members);
	keep = max_t(u64, 2, div_u64(groups + 255, 256));
	keep = max_t(u64, keep, DIV_ROUND_UP(64, rows) + 1);
	groups -= min(groups, tables + keep);
	geo->nr_stripes = groups * rows;
	geo->length_blocks = geo->nr_stripes * geo->stripe_blocks;
}

static void plan_static_promise(const u64 *usable, u32 members, u64 smallest, struct raidx_geometry *geo)
{
	u64 total = 0;
	u32 i;

	switch (geo->level) {
	case RAIDX_LEVEL_RAID0:
		for (i = 0; i < members; i++)
			total += div_u64(usable[i], geo->chunk_blocks) * geo->chunk_blocks;
		break;
	case RAIDX_LEVEL_RAID1:
		total = smallest;
		break;
	default:
		total = div_u64(div_u64(smallest, geo->chunk_blocks) * members, 2) * geo->chunk_blocks;
	}
	geo->length_blocks = total;
	geo->nr_stripes = div_u64(total + geo->stripe_blocks - 1, geo->stripe_blocks);
}

static const char *plan_level(const struct raidx_plan *plan, u32 members, struct raidx_geometry *geo)
{
	geo->level = plan->level;
	switch (plan->level) {
	case RAIDX_LEVEL_RAID0:
		geo->copies = 1;
		return members < 2 ? "raid0: needs at least 2 members" : NULL;
	case RAIDX_LEVEL_RAID1:
	case RAIDX_LEVEL_RAID10:
		geo->copies = 2;
		return members < 2 ? "raid1, raid10: need at least 2 members" : NULL;
	case RAIDX_LEVEL_RAID6:
		geo->parity = 2;
		break;
	default:
		geo->parity = plan->parity ? plan->parity : 1;
	}
	if (geo->parity > 2)
		return "parity: neither 1 nor 2";
	geo->copies = geo->parity + 1;
	if (members < geo->parity + 2u)
		return geo->parity == 2 ? "double parity: needs at least 4 members" :
					  "raid5, tss: need at least 3 members";
	return NULL;
}

const char *raidx_geometry_plan(const struct raidx_plan *plan, struct raidx_geometry *geo,
				u64 data_blocks[RAIDX_MAX_MEMBERS])
{
	u32 members = plan->nr_slots - plan->nr_spares, i;
	u64 smallest = ~0ULL, usable;
	const char *error;

	memset(geo, 0, sizeof(*geo));
	if (plan->nr_slots > RAIDX_MAX_MEMBERS || plan->nr_spares >= plan->nr_slots)
		return "more members or spares than a set can have";
	geo->nr_slots = plan->nr_slots;
	geo->nr_spares = plan->nr_spares;
	error = plan_level(plan, members, geo);
	if (error)
		return error;
	for (i = 0; i < plan->nr_slots; i++)
		smallest = min(smallest, plan->device_blocks[i]);
	if (smallest < 32 * MIB_BLOCKS)
		return "a member is smaller than 32 MiB";
	error = plan_stripe(plan, members, geo);
	if (!error)
		error = plan_extent(plan, smallest, geo);
	if (!error)
		error = plan_log(plan, smallest, members, geo);
	if (error)
		return error;
	plan_tables(div_u64(smallest, geo->extent_blocks) * members, members, geo);
	geo->anchor_start = ANCHOR_START;
	geo->log_start = roundup(ANCHOR_START + raidx_anchor_blocks(geo), (u64)MIB_BLOCKS);
	geo->data_start = roundup(geo->log_start + (u64)geo->segment_slots * geo->segment_blocks, (u64)MIB_BLOCKS);
	if (geo->data_start + 4ULL * geo->extent_blocks + 1 > smallest)
		return "the members are too small for this log and extent size";
	for (i = 0; i < plan->nr_slots; i++) {
		usable = plan->device_blocks[i] - 1 - geo->data_start;
		data_blocks[i] = is_pool(geo->level) ? div_u64(usable, geo->extent_blocks) * geo->extent_blocks : usable;
	}
	usable = smallest - 1 - geo->data_start;
	if (is_pool(geo->level))
		plan_promise(div_u64(usable, geo->extent_blocks), members, geo);
	else
		plan_static_promise(data_blocks, members, usable, geo);
	if (!geo->length_blocks)
		return "the members are too small to promise any space";
	return NULL;
}

static const char *check_pool(const struct raidx_geometry *geo)
{
	u64 pages = geo->map_pages + geo->row_pages + geo->heat_pages;

	if (geo->parity < 1 || geo->parity > 2 || geo->copies != geo->parity + 1)
		return "superblock: parity and copies do not agree";
	if (geo->nr_slots - geo->nr_spares < geo->parity + 2)
		return "superblock: too few members for its level";
	if (!geo->group_rows || geo->group_rows > RAIDX_MAX_GROUP_ROWS)
		return "superblock: rows of a block group out of range";
	if (!geo->max_groups || geo->max_groups > 1u << 24)
		return "superblock: number of block groups out of range";
	if (geo->row_record_bytes < sizeof(struct raidx_disk_row) + 4 * geo->stripe_blocks * (1 + geo->parity) ||
	    geo->row_record_bytes > RAIDX_PAGE_PAYLOAD || geo->row_record_bytes % 8)
		return "superblock: size of a row record out of range";
	if (geo->map_pages > 1ULL << 32 || geo->row_pages > 1ULL << 32 || geo->heat_pages > 1ULL << 32 ||
	    pages > (u64)geo->root_pages * RAIDX_ROOTS_PER_PAGE || geo->root_pages > 1u << 20)
		return "superblock: table sizes out of range";
	if (div_u64(geo->nr_stripes, RAIDX_MAPS_PER_PAGE) >= geo->map_pages ||
	    div_u64(geo->nr_stripes, RAIDX_HEATS_PER_PAGE) >= geo->heat_pages ||
	    div_u64((u64)geo->max_groups * geo->group_rows, raidx_rows_per_page(geo)) >= geo->row_pages)
		return "superblock: a table is too small for the capacity";
	if (geo->extent_blocks < geo->stripe_blocks)
		return "superblock: an extent is smaller than a stripe";
	return NULL;
}

static const char *check_log(const struct raidx_geometry *geo)
{
	if (geo->level == RAIDX_LEVEL_RAID0)
		return geo->nr_segments ? "superblock: raid0 with a log" : NULL;
	if (geo->nr_lanes < 1 || geo->nr_lanes > RAIDX_MAX_LANES || geo->nr_segments > RAIDX_MAX_SEGMENTS ||
	    geo->nr_segments < 4u * geo->nr_lanes || geo->nr_segments % geo->nr_lanes)
		return "superblock: lanes or segments of the log out of range";
	if (geo->segment_blocks < RAIDX_ENTRY_MAX_BLOCKS + 1 || geo->segment_blocks > 1u << 24 ||
	    !geo->segment_slots || geo->segment_slots > 255)
		return "superblock: size of a log segment out of range";
	return NULL;
}

const char *raidx_geometry_check(const struct raidx_geometry *geo)
{
	const char *error;

	if (geo->level <= RAIDX_LEVEL_NONE || geo->level > RAIDX_LEVEL_TSS)
		return "superblock: unknown level";
	if (geo->nr_slots < 2 || geo->nr_slots > RAIDX_MAX_MEMBERS || geo->nr_spares >= geo->nr_slots)
		return "superblock: number of slots out of range";
	if (geo->copies < 1 || geo->copies > RAIDX_MAX_COPIES || geo->copies > geo->nr_slots)
		return "superblock: copies out of range";
	if (!geo->stripe_blocks || geo->stripe_blocks > RAIDX_MAX_STRIPE_BLOCKS ||
	    !geo->chunk_blocks || geo->chunk_blocks > RAIDX_MAX_STRIPE_BLOCKS)
		return "superblock: chunk or stripe out of range";
	if (geo->extent_blocks < 16 || geo->extent_blocks > 1u << 20 || geo->extent_blocks & (geo->extent_blocks - 1))
		return "superblock: extent out of range";
	if (geo->written_pages > 1u << 24 || geo->lost_pages > 1u << 16)
		return "superblock: anchor pages out of range";
	if (!geo->length_blocks || geo->length_blocks > 1ULL << 48 || geo->nr_stripes !=
	    div_u64(geo->length_blocks + geo->stripe_blocks - 1, geo->stripe_blocks))
		return "superblock: capacity out of range";
	error = check_log(geo);
	if (error)
		return error;
	if (is_pool(geo->level)) {
		error = check_pool(geo);
		if (error)
			return error;
	}
	if (geo->anchor_start < ANCHOR_START ||
	    geo->log_start > 1ULL << 44 || geo->data_start > 1ULL << 44 ||
	    geo->log_start < geo->anchor_start + raidx_anchor_blocks(geo) ||
	    geo->data_start < geo->log_start + (u64)geo->segment_slots * geo->segment_blocks)
		return "superblock: areas overlap";
	return NULL;
}
