// SPDX-License-Identifier: GPL-2.0-only
/*
 * This target will look for superblocks that are accepted although later code would divide by zero, index beyond an
 * array or leave the member.  Byte 0 of the input chooses level and members, the rest is XORed onto the superblock.
 */
#include "fuzz.h"

static void use(const struct raidx_disk_super *super, u64 device_blocks)
{
	struct raidx_geometry geo, again;
	struct raidx_disk_super copy;
	u32 i, width;

	raidx_super_get_geometry(super, &geo);
	require(!raidx_geometry_check(&geo));
	require(geo.data_start < device_blocks && super->slot < geo.nr_slots);
	for (i = 0; i < geo.nr_segments; i++)
		require(super->segment[i].lane < geo.nr_lanes);
	copy = *super;
	raidx_super_set_geometry(&copy, &geo);
	raidx_super_get_geometry(&copy, &again);
	require(!memcmp(&geo, &again, sizeof(geo)));
	if (!geo.row_record_bytes)
		return;
	require(raidx_rows_per_page(&geo));
	for (width = geo.copies; width <= RAIDX_MAX_MEMBERS; width++) {
		u8 level = geo.parity == 2 ? RAIDX_LEVEL_RAID6 : RAIDX_LEVEL_RAID5;

		require(raidx_group_nr_rows(&geo, level, width) <= geo.group_rows);
		require(raidx_row_chunk_blocks(&geo, level, width) <= geo.extent_blocks);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	u64 data_blocks[RAIDX_MAX_MEMBERS];
	struct raidx_geometry geo;
	union {
		struct raidx_disk_super super;
		u8 byte[RAIDX_BLOCK_BYTES];
	} block;
	size_t i;

	if (!bytes || sample_plan(data[0] % 8, 1 + (data[0] >> 3) % 2, 2 + (data[0] >> 4), SAMPLE_MEMBER_BLOCKS, &geo,
				  data_blocks))
		return 0;
	sample_super(&block.super, &geo, data_blocks, SAMPLE_MEMBER_BLOCKS);
	for (i = 1; i < bytes && i + 7 < RAIDX_BLOCK_BYTES; i++)
		block.byte[i + 7] ^= data[i];
	sample_fix_crc(&block);
	if (!raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS))
		use(&block.super, SAMPLE_MEMBER_BLOCKS);
	/* Without the checksum put right: a block as it comes. */
	memset(&block, 0, sizeof(block));
	lay_over(block.byte, data, bytes, false);
	raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS);
	return 0;
}
