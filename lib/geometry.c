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

#define MIB_BLOCKS		256u
#define ANCHOR_START		16u	/* superblock A is block 1 */
#define MAX_EXTENT_BLOCKS	(1024 * MIB_BLOCKS)
#define MIN_SEGMENT_BLOCKS	(RAIDX_ENTRY_MAX_BLOCKS + 1)
#define MAX_SEGMENT_BLOCKS	(1u << 24)
#define MAX_MEMBER_BLOCKS	(1ULL << 42)
#define MAX_GROUPS		(1u << 20)
#define MAX_ROOT_PAGES		(1u << 18)
#define TERABYTE_BLOCKS		(1000000000000ULL / RAIDX_BLOCK_BYTES)
#define WRITTEN_UNIT_BLOCKS	(RAIDX_WRITTEN_UNIT_SECTORS / RAIDX_BLOCK_SECTORS)

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

u32 raidx_group_nr_rows(const struct raidx_geometry *geo, u8 level, u32 width)
{
	u32 record = sizeof(struct raidx_disk_row) + 4 * raidx_row_nr_crcs(geo, level, width);

	if (record > geo->row_record_bytes)
		return 0;
	return min(geo->extent_blocks / raidx_row_chunk_blocks(geo, level, width), geo->group_rows);
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

/* The level of a pool's rows with parity. */
static u8 parity_level(const struct raidx_geometry *geo)
{
	return geo->parity == 2 ? RAIDX_LEVEL_RAID6 : RAIDX_LEVEL_RAID5;
}

static u32 record_bytes(const struct raidx_geometry *geo, u8 level, u32 width)
{
	return round_up(sizeof(struct raidx_disk_row) + 4 * raidx_row_nr_crcs(geo, level, width), 8);
}

/* A pool's stripe fills its data columns whole: a chunk that would make it too long is cut, not the stripe. */
static const char *plan_stripe(const struct raidx_plan *plan, u32 members, struct raidx_geometry *geo)
{
	u32 chunk = plan->chunk_sectors ? plan->chunk_sectors : 128;
	u32 data;

	if (chunk % RAIDX_BLOCK_SECTORS || chunk > RAIDX_MAX_STRIPE_BLOCKS * RAIDX_BLOCK_SECTORS)
		return "chunk_sectors: not a multiple of 8 up to 2048";
	geo->chunk_blocks = chunk / RAIDX_BLOCK_SECTORS;
	if (!is_pool(geo->level)) {
		geo->stripe_blocks = geo->chunk_blocks;
		return NULL;
	}
	data = members - geo->parity;
	geo->chunk_blocks = min_t(u32, geo->chunk_blocks, RAIDX_MAX_STRIPE_BLOCKS / data);
	geo->stripe_blocks = geo->chunk_blocks * data;
	return NULL;
}

static const char *plan_extent(const struct raidx_plan *plan, u64 smallest, struct raidx_geometry *geo)
{
	u64 most = MAX_EXTENT_BLOCKS, blocks;

	if (is_pool(geo->level))
		while (most > MIB_BLOCKS && most > (u64)geo->chunk_blocks * RAIDX_MAX_GROUP_ROWS)
			most >>= 1;
	if (plan->extent_sectors) {
		blocks = plan->extent_sectors >> (RAIDX_BLOCK_SHIFT - 9);
		if (plan->extent_sectors % RAIDX_BLOCK_SECTORS || blocks & (blocks - 1) || blocks < MIB_BLOCKS ||
		    blocks > MAX_EXTENT_BLOCKS)
			return "extent_sectors: not a power of two from 2048 to 2097152";
		if (blocks > most)
			return "extent_sectors: a block group would have more than 16384 rows of this chunk size";
	} else {
		/* Small members get small extents, or what is kept back would be most of them. */
		blocks = smallest < 512 * MIB_BLOCKS ? MIB_BLOCKS : 4 * MIB_BLOCKS;
		while (blocks < most && blocks < div_u64(smallest, 512))
			blocks *= 2;
	}
	geo->extent_blocks = blocks;
	return NULL;
}

/* Default size of the log's ring, before copies: 1/64 of the capacity; where that is much, 1/400 of the raw space. */
static u64 default_log_blocks(u64 raw, u32 members, const struct raidx_geometry *geo)
{
	u64 blocks = div_u64(div_u64(raw, members) * (members - geo->parity), 64);

	blocks = clamp_t(u64, round_down(blocks, (u64)MIB_BLOCKS), 32 * MIB_BLOCKS, 8192 * MIB_BLOCKS);
	if (blocks > 3072 * MIB_BLOCKS)
		blocks = max_t(u64, 3072 * MIB_BLOCKS, min(blocks, div_u64(raw, 400 * geo->copies)));
	return blocks;
}

static const char *plan_log(const struct raidx_plan *plan, u64 smallest, u32 members, struct raidx_geometry *geo)
{
	u64 raw = smallest * members, most = div_u64(raw, 8 * geo->copies), wanted;
	u32 unit;

	if (geo->level == RAIDX_LEVEL_RAID0)
		return NULL;
	geo->nr_lanes = clamp_t(u32, members / geo->copies, 1, RAIDX_MAX_LANES);
	if (plan->log_sectors)
		wanted = plan->log_sectors >> (RAIDX_BLOCK_SHIFT - 9);
	else
		wanted = default_log_blocks(raw, members, geo);
	if (plan->log_sectors && wanted > most)
		return "log_sectors: its copies would take more than an eighth of the members";
	wanted = min(wanted, most);
	/* At least four segments a lane, each with room for a whole entry. */
	unit = 4 * geo->nr_lanes;
	if (wanted < (u64)unit * MIN_SEGMENT_BLOCKS) {
		if (plan->log_sectors)
			return "log_sectors: too small for four segments of 512 KiB in each lane";
		wanted = unit * MIN_SEGMENT_BLOCKS;
	}
	geo->nr_segments = min_t(u64, RAIDX_MAX_SEGMENTS, div_u64(wanted, 2 * MIN_SEGMENT_BLOCKS));
	geo->nr_segments = max(geo->nr_segments - geo->nr_segments % geo->nr_lanes, unit);
	geo->segment_blocks = min_t(u64, div_u64(wanted, geo->nr_segments), MAX_SEGMENT_BLOCKS);
	/* One slot to spare: after a failure the copies that were lost find room on the others. */
	if (members > geo->copies)
		geo->segment_slots = DIV_ROUND_UP(geo->nr_segments * geo->copies, members - 1) + 1;
	else
		geo->segment_slots = DIV_ROUND_UP(geo->nr_segments * geo->copies, members);
	return NULL;
}

/*
 * How generously the row table is laid out.  Its gaps (rows that a group of the present width has not) and its
 * longer records (parity checksums of narrower groups) cost space on the disk, so that big members, where tables,
 * log and what is kept back may take 2 % together, take the first of these that does not exceed it.
 */
static const struct table_thrift {
	u8 quarters;	/* rows that a group may come to have, in quarters of the present number */
	u8 narrowest;	/* narrowest group with parity that a record serves, in quarters of the members; 0 = any */
} table_thrift[] = { { 8, 0 }, { 6, 0 }, { 4, 0 }, { 4, 2 }, { 4, 3 }, { 4, 4 } };

static void plan_rows(u32 members, const struct table_thrift *thrift, struct raidx_geometry *geo)
{
	u8 level = parity_level(geo);
	u32 rows = geo->extent_blocks / geo->chunk_blocks;
	u32 narrowest = max(DIV_ROUND_UP(members * thrift->narrowest, 4), geo->parity + 1u);

	if (thrift->quarters == 8)
		rows = roundup_pow_of_two(2 * rows);
	else
		rows = round_up(rows * thrift->quarters / 4, 8);
	geo->group_rows = min_t(u32, rows, RAIDX_MAX_GROUP_ROWS);
	geo->row_record_bytes = record_bytes(geo, level, narrowest);
}

static void plan_tables(u64 smallest, u32 members, const struct table_thrift *thrift, struct raidx_geometry *geo)
{
	u64 extents = div_u64(smallest, geo->extent_blocks), stripes, pages;

	geo->lost_pages = smallest >= 1024 * MIB_BLOCKS ? 64 : 8;
	if (geo->level == RAIDX_LEVEL_RAID0)
		geo->lost_pages = 0;
	if (!is_pool(geo->level)) {
		/* Twice the present capacity: the set may grow. */
		pages = geo->level == RAIDX_LEVEL_RAID1 ? 2 * smallest : smallest * members;
		if (geo->level != RAIDX_LEVEL_RAID0)
			geo->written_pages = div_u64(pages, WRITTEN_UNIT_BLOCKS * RAIDX_WRITTEN_PER_PAGE) + 1;
		return;
	}
	plan_rows(members, thrift, geo);
	geo->max_groups = min_t(u64, 2 * extents + 64, ~0u);
	stripes = div_u64(2 * smallest * members, geo->stripe_blocks);
	geo->map_pages = div_u64(stripes, RAIDX_MAPS_PER_PAGE) + 1;
	geo->heat_pages = div_u64(stripes, RAIDX_HEATS_PER_PAGE) + 1;
	geo->row_pages = div_u64((u64)geo->max_groups * geo->group_rows, raidx_rows_per_page(geo)) + 1;
	pages = geo->map_pages + geo->heat_pages + geo->row_pages;
	geo->root_pages = min_t(u64, div_u64(pages, RAIDX_ROOTS_PER_PAGE) + 1, ~0u);
}

static const char *plan_areas(u64 smallest, struct raidx_geometry *geo)
{
	if (geo->max_groups > MAX_GROUPS || geo->root_pages > MAX_ROOT_PAGES)
		return "extent_sectors: too many extents for members of this size";
	geo->anchor_start = ANCHOR_START;
	geo->log_start = round_up(ANCHOR_START + raidx_anchor_blocks(geo), (u64)MIB_BLOCKS);
	geo->data_start = round_up(geo->log_start + (u64)geo->segment_slots * geo->segment_blocks, (u64)MIB_BLOCKS);
	if (geo->data_start + 4ULL * geo->extent_blocks + 1 > smallest)
		return "the members are too small for this log and extent size";
	return NULL;
}

static u64 units_of(const struct raidx_geometry *geo, u64 records, u32 per_page)
{
	u64 pages = div_u64(records + per_page - 1, per_page);

	return div_u64(pages + raidx_unit_pages(geo) - 1, raidx_unit_pages(geo));
}

/* Units, an extent on each of copies members, that the tables take when @groups groups are full. */
static u64 table_units(const struct raidx_geometry *geo, u64 groups, u32 rows)
{
	u64 units = units_of(geo, groups * rows, RAIDX_MAPS_PER_PAGE) +
		    units_of(geo, groups * rows, RAIDX_HEATS_PER_PAGE);

	/* The row table is numbered by group, and the units are groups too: room for their numbers. */
	units += units_of(geo, groups * geo->group_rows, raidx_rows_per_page(geo));
	return units + units_of(geo, units * geo->group_rows, raidx_rows_per_page(geo));
}

/*
 * What a pool promises (invariant 4): whole free block groups at RAID 5 efficiency, less the tables of a
 * full set, less what is kept back - one group, 64 rows or 1/256 - and one group to destage and compact into.
 */
static void plan_promise(u64 extents_each, u32 members, struct raidx_geometry *geo)
{
	u32 rows = raidx_group_nr_rows(geo, parity_level(geo), members);
	u64 units = table_units(geo, extents_each, rows);
	u64 groups = extents_each, keep;

	keep = max_t(u64, div_u64(groups + 255, 256), DIV_ROUND_UP(64, rows));
	groups -= min(groups, div_u64(units * geo->copies + members - 1, members) + keep + 1);
	geo->nr_stripes = groups * rows;
	geo->length_blocks = geo->nr_stripes * geo->stripe_blocks;
}

/* From 1 TB on, log, tables and what is kept back are to take at most 2 % of what plain parity would offer. */
static bool is_too_dear(const struct raidx_geometry *geo, u64 smallest, u32 members)
{
	return smallest >= TERABYTE_BLOCKS && geo->length_blocks * 50 < smallest * (members - geo->parity) * 49;
}

static const char *plan_pool(u64 smallest, u32 members, struct raidx_geometry *geo)
{
	const char *error;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table_thrift); i++) {
		plan_tables(smallest, members, &table_thrift[i], geo);
		error = plan_areas(smallest, geo);
		if (error)
			continue;
		plan_promise(div_u64(smallest - 1 - geo->data_start, geo->extent_blocks), members, geo);
		if (!is_too_dear(geo, smallest, members))
			break;
	}
	return error;
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
	if (plan->level <= RAIDX_LEVEL_NONE || plan->level > RAIDX_LEVEL_TSS)
		return "unknown level";
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
	if (smallest > MAX_MEMBER_BLOCKS)
		return "a member is larger than 16 PiB";
	error = plan_stripe(plan, members, geo);
	if (!error)
		error = plan_extent(plan, smallest, geo);
	if (!error)
		error = plan_log(plan, smallest, members, geo);
	if (error)
		return error;
	if (is_pool(geo->level)) {
		error = plan_pool(smallest, members, geo);
	} else {
		plan_tables(smallest, members, NULL, geo);
		error = plan_areas(smallest, geo);
	}
	if (error)
		return error;
	for (i = 0; i < plan->nr_slots; i++) {
		usable = min(plan->device_blocks[i], MAX_MEMBER_BLOCKS) - 1 - geo->data_start;
		data_blocks[i] = is_pool(geo->level) ? round_down(usable, (u64)geo->extent_blocks) : usable;
	}
	if (!is_pool(geo->level))
		plan_static_promise(data_blocks, members, smallest - 1 - geo->data_start, geo);
	if (!geo->length_blocks)
		return "the members are too small to promise any space";
	return raidx_geometry_check(geo);
}

static const char *check_pool_tables(const struct raidx_geometry *geo)
{
	u64 pages;

	if (geo->map_pages > 1ULL << 40 || geo->row_pages > 1ULL << 40 || geo->heat_pages > 1ULL << 40)
		return "superblock: table sizes out of range";
	pages = geo->map_pages + geo->row_pages + geo->heat_pages;
	if (geo->root_pages > MAX_ROOT_PAGES || pages > (u64)geo->root_pages * RAIDX_ROOTS_PER_PAGE)
		return "superblock: table sizes out of range";
	if (div_u64(geo->nr_stripes - 1, RAIDX_MAPS_PER_PAGE) >= geo->map_pages ||
	    div_u64(geo->nr_stripes - 1, RAIDX_HEATS_PER_PAGE) >= geo->heat_pages ||
	    div_u64((u64)geo->max_groups * geo->group_rows - 1, raidx_rows_per_page(geo)) >= geo->row_pages)
		return "superblock: a table is too small for the capacity";
	return NULL;
}

static const char *check_pool(const struct raidx_geometry *geo)
{
	u32 members = geo->nr_slots - geo->nr_spares;

	if (geo->parity < 1 || geo->parity > 2 || geo->copies != geo->parity + 1 ||
	    (geo->level == RAIDX_LEVEL_RAID6 && geo->parity != 2))
		return "superblock: parity and copies do not agree";
	if (members < geo->parity + 2u)
		return "superblock: too few members for its level";
	if (geo->extent_blocks < geo->stripe_blocks)
		return "superblock: an extent is smaller than a stripe";
	if (!geo->group_rows || geo->group_rows > RAIDX_MAX_GROUP_ROWS)
		return "superblock: rows of a block group out of range";
	if (!geo->max_groups || geo->max_groups > MAX_GROUPS)
		return "superblock: number of block groups out of range";
	if (geo->row_record_bytes < record_bytes(geo, parity_level(geo), members) ||
	    geo->row_record_bytes > RAIDX_PAGE_PAYLOAD || geo->row_record_bytes % 8)
		return "superblock: size of a row record out of range";
	return check_pool_tables(geo);
}

static const char *check_static(const struct raidx_geometry *geo)
{
	u64 units = div_u64(geo->length_blocks + WRITTEN_UNIT_BLOCKS - 1, WRITTEN_UNIT_BLOCKS);

	if (geo->parity)
		return "superblock: parity at a level that has none";
	if (geo->max_groups || geo->group_rows || geo->root_pages || geo->map_pages || geo->row_pages ||
	    geo->heat_pages || geo->row_record_bytes)
		return "superblock: tables of a pool at a level that has none";
	if (geo->level != RAIDX_LEVEL_RAID0 && (u64)geo->written_pages * RAIDX_WRITTEN_PER_PAGE < units)
		return "superblock: too few written bits for the capacity";
	return NULL;
}

static const char *check_log(const struct raidx_geometry *geo)
{
	if (geo->level == RAIDX_LEVEL_RAID0)
		return geo->nr_segments || geo->segment_slots || geo->nr_lanes ? "superblock: raid0 with a log" : NULL;
	if (geo->nr_lanes < 1 || geo->nr_lanes > RAIDX_MAX_LANES || geo->nr_segments > RAIDX_MAX_SEGMENTS ||
	    geo->nr_segments < 4u * geo->nr_lanes || geo->nr_segments % geo->nr_lanes)
		return "superblock: lanes or segments of the log out of range";
	if (geo->segment_blocks < MIN_SEGMENT_BLOCKS || geo->segment_blocks > MAX_SEGMENT_BLOCKS ||
	    !geo->segment_slots || geo->segment_slots > 255)
		return "superblock: size of a log segment out of range";
	return NULL;
}

static const char *check_shape(const struct raidx_geometry *geo)
{
	if (geo->level <= RAIDX_LEVEL_NONE || geo->level > RAIDX_LEVEL_TSS)
		return "superblock: unknown level";
	if (geo->nr_slots < 2 || geo->nr_slots > RAIDX_MAX_MEMBERS || geo->nr_spares > geo->nr_slots - 2)
		return "superblock: number of slots out of range";
	if (geo->copies < 1 || geo->copies > RAIDX_MAX_COPIES || geo->copies > geo->nr_slots)
		return "superblock: copies out of range";
	if (!geo->stripe_blocks || geo->stripe_blocks > RAIDX_MAX_STRIPE_BLOCKS ||
	    !geo->chunk_blocks || geo->chunk_blocks > RAIDX_MAX_STRIPE_BLOCKS)
		return "superblock: chunk or stripe out of range";
	if (geo->extent_blocks < MIB_BLOCKS || geo->extent_blocks > MAX_EXTENT_BLOCKS ||
	    geo->extent_blocks & (geo->extent_blocks - 1))
		return "superblock: extent out of range";
	if (geo->written_pages > 1u << 24 || geo->lost_pages > 1u << 16)
		return "superblock: anchor pages out of range";
	if (!geo->length_blocks || geo->length_blocks > 1ULL << 48 ||
	    geo->nr_stripes != div_u64(geo->length_blocks + geo->stripe_blocks - 1, geo->stripe_blocks))
		return "superblock: capacity out of range";
	return NULL;
}

const char *raidx_geometry_check(const struct raidx_geometry *geo)
{
	const char *error = check_shape(geo);

	if (!error)
		error = check_log(geo);
	if (!error)
		error = is_pool(geo->level) ? check_pool(geo) : check_static(geo);
	if (error)
		return error;
	if (geo->anchor_start < ANCHOR_START || geo->anchor_start > MAX_MEMBER_BLOCKS ||
	    geo->log_start > MAX_MEMBER_BLOCKS || geo->data_start > MAX_MEMBER_BLOCKS ||
	    geo->log_start < geo->anchor_start + raidx_anchor_blocks(geo) ||
	    geo->data_start < geo->log_start + (u64)geo->segment_slots * geo->segment_blocks)
		return "superblock: areas overlap";
	return NULL;
}
