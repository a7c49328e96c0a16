// SPDX-License-Identifier: GPL-2.0-only
/*
 * This target will look for block group pages and map entries that are accepted although they name columns, rows or
 * levels that the set does not have.  Byte 0 chooses the set; the rest is XORed onto a good group's page.
 */
#include "fuzz.h"

static void use_group(const struct raidx_disk_group *group, const struct raidx_geometry *geo)
{
	struct raidx_place place;
	u32 rows = le32_to_cpu(group->rows), i;

	if (group->level == RAIDX_LEVEL_NONE)
		return;
	require(group->width <= geo->nr_slots && rows <= geo->group_rows);
	for (i = 0; i < group->width; i++)
		require(group->column[i].slot < geo->nr_slots);
	if (group->level == RAIDX_LEVEL_TABLE)
		return;
	require(rows);
	raidx_row_place(geo, group->level, group->width, rows - 1, geo->stripe_blocks - 1, 0, &place);
	require(place.column < group->width && place.block < geo->extent_blocks);
	require(sizeof(struct raidx_disk_row) + 4 * raidx_row_nr_crcs(geo, group->level, group->width) <=
		geo->row_record_bytes);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	u64 data_blocks[RAIDX_MAX_MEMBERS];
	struct raidx_disk_map map = { 0 };
	struct raidx_geometry geo;
	u8 *block;
	size_t i;

	if (!bytes || sample_plan(RAIDX_LEVEL_TSS, 1 + data[0] % 2, 4 + data[0] / 2 % 61, SAMPLE_MEMBER_BLOCKS, &geo,
				  data_blocks))
		return 0;
	block = calloc(1, RAIDX_BLOCK_BYTES);
	sample_group((void *)(block + sizeof(struct raidx_disk_page)), &geo);
	raidx_page_seal((void *)block, sample_uuid, RAIDX_TABLE_GROUP, 3, 9);
	for (i = 1; i < bytes && i + 63 < RAIDX_BLOCK_BYTES; i++)
		block[i + 63] ^= data[i];
	sample_fix_crc(block);
	require(!raidx_page_check((void *)block, sample_uuid, RAIDX_TABLE_GROUP, 3));
	if (!raidx_group_check((void *)(block + sizeof(struct raidx_disk_page)), &geo))
		use_group((void *)(block + sizeof(struct raidx_disk_page)), &geo);
	memcpy(&map, data, min(bytes, sizeof(map)));
	if (raidx_map_valid(&map, &geo) && map.level != RAIDX_LEVEL_NONE)
		require(le32_to_cpu(map.group) < geo.max_groups && le32_to_cpu(map.row) < geo.group_rows);
	/* A page as it comes. */
	lay_over(block, data, bytes, false);
	raidx_page_check((void *)block, sample_uuid, RAIDX_TABLE_GROUP, 3);
	free(block);
	return 0;
}
