/* SPDX-License-Identifier: GPL-2.0-only */
/* Pure arithmetic of layout: no lock, no allocation, any context; compiled in user space too. */
#ifndef RAIDX_GEOMETRY_H
#define RAIDX_GEOMETRY_H

#include <raidx/types.h>

/**
 * struct raidx_geometry - layout of a set; fixed at creation, all sizes in 4 KiB blocks.
 * @level: enum raidx_level of the set.
 * @parity: failures tolerated by rows with parity: 0, 1, 2.
 * @copies: copies of log, tables and mirrored rows.
 * @nr_slots: members with their spares.
 * @nr_spares: of these, spares.
 * @nr_lanes: lanes of the log.
 * @chunk_blocks: chunk of a full-width parity row.
 * @stripe_blocks: logical stripe.
 * @extent_blocks: extent.
 * @segment_blocks: log segment.
 * @nr_segments: segments in the ring.
 * @segment_slots: segment slots in each member's log area.
 * @max_groups: block groups the anchor area has room for.
 * @group_rows: row records per block group.
 * @root_pages: anchor pages of roots.
 * @lost_pages: anchor pages of lost blocks.
 * @written_pages: anchor pages of written bits (static mirrors).
 * @row_record_bytes: a row record.
 * @anchor_start: first block of the anchor area.
 * @log_start: first block of the log area.
 * @data_start: first block of the extent area.
 * @map_pages: pages of the map table.
 * @row_pages: pages of the row table.
 * @heat_pages: pages of the heat table.
 * @length_blocks: capacity promised.
 * @nr_stripes: logical stripes (the last one may be cut short by the length).
 */
struct raidx_geometry {
	u8 level;
	u8 parity;
	u8 copies;
	u8 nr_slots;
	u8 nr_spares;
	u8 nr_lanes;
	u32 chunk_blocks;
	u32 stripe_blocks;
	u32 extent_blocks;
	u32 segment_blocks;
	u32 nr_segments;
	u32 segment_slots;
	u32 max_groups;
	u32 group_rows;
	u32 root_pages;
	u32 lost_pages;
	u32 written_pages;
	u32 row_record_bytes;
	u64 anchor_start;
	u64 log_start;
	u64 data_start;
	u64 map_pages;
	u64 row_pages;
	u64 heat_pages;
	u64 length_blocks;
	u64 nr_stripes;
};

/**
 * struct raidx_plan - what the user asked for at creation; 0 = default.
 * @level: enum raidx_level.
 * @parity: 1 or 2 for pools; ignored for static levels.
 * @nr_slots: members with spares.
 * @nr_spares: the last so many are spares.
 * @chunk_sectors: 0 = 128.
 * @log_sectors: ring size before copies.
 * @extent_sectors: extent.
 * @device_blocks: whole size of each member, in blocks.
 */
struct raidx_plan {
	u8 level;
	u8 parity;
	u8 nr_slots;
	u8 nr_spares;
	u32 chunk_sectors;
	u64 log_sectors;
	u64 extent_sectors;
	u64 device_blocks[RAIDX_MAX_MEMBERS];
};

/**
 * raidx_geometry_plan() - lay out a new set.
 * @plan: what is wanted.
 * @geo: result; @geo->length_blocks is the largest capacity that can be promised.
 * @data_blocks: result: extent area of each slot (whole extents; static levels: usable blocks).
 *
 * Return: NULL, or a static sentence that names the wrong argument.
 */
const char *raidx_geometry_plan(const struct raidx_plan *plan, struct raidx_geometry *geo,
				u64 data_blocks[RAIDX_MAX_MEMBERS]);

/**
 * raidx_geometry_check() - range-check a geometry that was decoded from a superblock.
 * @geo: the geometry.
 *
 * Every value that later code divides by, indexes with or allocates from is checked here.
 * Return: NULL, or a static sentence.
 */
const char *raidx_geometry_check(const struct raidx_geometry *geo);

/* Blocks that one row takes on each column of a @width-wide group of @level (RAID1, RAID5, RAID6). */
u32 raidx_row_chunk_blocks(const struct raidx_geometry *geo, u8 level, u32 width);

/* Rows of a @width-wide group of @level: extent / chunk, at most group_rows. */
u32 raidx_group_nr_rows(const struct raidx_geometry *geo, u8 level, u32 width);

/* Parity blocks of one row: 0 for RAID1, chunk for RAID5, 2 * chunk for RAID6. */
u32 raidx_row_parity_blocks(const struct raidx_geometry *geo, u8 level, u32 width);

/* Checksums that a row carries: stripe_blocks + parity blocks. */
u32 raidx_row_nr_crcs(const struct raidx_geometry *geo, u8 level, u32 width);

/**
 * struct raidx_place - where a block of a row is.
 * @column: column of the block group.
 * @block: block offset within the extent.
 * @run: this block and so many minus one that follow it in the stripe are contiguous there.
 */
struct raidx_place {
	u32 column;
	u32 block;
	u32 run;
};

/**
 * raidx_row_place() - place of a data block.
 * @geo: geometry.
 * @level: RAIDX_LEVEL_RAID1, RAID5 or RAID6.
 * @width: columns of the group.
 * @row: row number.
 * @block: block within the stripe, below stripe_blocks.
 * @copy: RAID1: which copy, below geo->copies; else 0.
 * @place: result.
 *
 * RAID5/6: left-symmetric: P on column (width - 1 - row % width), Q on the next, data after them, each
 * wrapping round.  RAID1: the columns, starting at column row % width, are one run of blocks; copy k
 * of block b is at k * stripe_blocks + b of that run, so that copies are always on distinct columns.
 */
void raidx_row_place(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, u32 block,
		     u32 copy, struct raidx_place *place);

/* Place of parity block @index: P blocks 0..chunk-1, then Q blocks. */
void raidx_row_parity_place(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, u32 index,
			    struct raidx_place *place);

/* Data column number (0..width-parity-1) -> column of the group, RAID5/6. */
u32 raidx_row_data_column(const struct raidx_geometry *geo, u8 level, u32 width, u32 row, u32 data);

/* A table page's place: unit of that table and block offset within the unit's extent. */
static inline u32 raidx_unit_pages(const struct raidx_geometry *geo)
{
	return geo->extent_blocks / 2;	/* two homes each */
}

/* Anchor pages before each table's, in the order GROUP, ROOT, LOST, WRITTEN; page p, home h is at
 * anchor_start + 2 * (base + p) + h on every member.
 */
static inline u32 raidx_anchor_base(const struct raidx_geometry *geo, u8 table)
{
	u32 base = 0;

	if (table > RAIDX_TABLE_GROUP)
		base += geo->max_groups;
	if (table > RAIDX_TABLE_ROOT)
		base += geo->root_pages;
	if (table > RAIDX_TABLE_LOST)
		base += geo->lost_pages;
	return base;
}

/* Row records that fit in one page. */
static inline u32 raidx_rows_per_page(const struct raidx_geometry *geo)
{
	return RAIDX_PAGE_PAYLOAD / geo->row_record_bytes;
}

static inline u64 raidx_anchor_blocks(const struct raidx_geometry *geo)
{
	return 2ULL * ((u64)geo->max_groups + geo->root_pages + geo->lost_pages + geo->written_pages);
}

#endif /* RAIDX_GEOMETRY_H */
