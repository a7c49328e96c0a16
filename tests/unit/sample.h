/* SPDX-License-Identifier: GPL-2.0-only */
/* Things to test with: plans, superblocks, entries.  Shared by the unit tests and the fuzzers. */
#ifndef RAIDX_TESTS_SAMPLE_H
#define RAIDX_TESTS_SAMPLE_H

#include <raidx/codec.h>

#define SAMPLE_MEMBER_BLOCKS	262144ULL	/* 1 GiB */

static const u8 sample_uuid[RAIDX_UUID_BYTES] = "a set for tests";

static inline const char *sample_plan(u8 level, u8 parity, u8 members, u64 blocks, struct raidx_geometry *geo,
				      u64 data_blocks[RAIDX_MAX_MEMBERS])
{
	struct raidx_plan plan = { .level = level, .parity = parity, .nr_slots = members };
	u32 i;

	for (i = 0; i < members; i++)
		plan.device_blocks[i] = blocks;
	return raidx_geometry_plan(&plan, geo, data_blocks);
}

/* Copies of the log's segments, rotated over the members. */
static inline void sample_segments(struct raidx_disk_super *super, const struct raidx_geometry *geo)
{
	u8 next[RAIDX_MAX_MEMBERS] = { 0 };
	u32 members = geo->nr_slots - geo->nr_spares, at = 0, i, copy;

	for (i = 0; i < geo->nr_segments; i++) {
		struct raidx_disk_segment *segment = &super->segment[i];

		memset(segment->slot, RAIDX_NO_SLOT, sizeof(segment->slot));
		segment->lane = i % geo->nr_lanes;
		for (copy = 0; copy < geo->copies; copy++) {
			segment->slot[copy] = at % members;
			segment->index[copy] = next[at % members]++;
			at++;
		}
	}
	for (i = 0; i < geo->nr_lanes; i++)
		super->lane_tail[i].segment = cpu_to_le32(i);
}

/* The superblock of slot 1 of a new set, sealed. */
static inline void sample_super(struct raidx_disk_super *super, const struct raidx_geometry *geo,
				const u64 data_blocks[RAIDX_MAX_MEMBERS], u64 device_blocks)
{
	u32 i;

	memset(super, 0, sizeof(*super));
	memcpy(super->set_uuid, sample_uuid, RAIDX_UUID_BYTES);
	memcpy(super->set_name, "sample", 6);
	raidx_super_set_geometry(super, geo);
	super->slot = 1;
	super->events = cpu_to_le64(1);
	super->epoch = cpu_to_le64(1);
	super->super_b_sector = cpu_to_le64((device_blocks - 1) * RAIDX_BLOCK_SECTORS);
	for (i = 0; i < geo->nr_slots; i++) {
		super->member[i].member_uuid[0] = i + 1;
		super->member[i].state = i < (u32)geo->nr_slots - geo->nr_spares ? RAIDX_SLOT_IN_SYNC : RAIDX_SLOT_SPARE;
		super->member[i].data_sectors = cpu_to_le64(data_blocks[i] * RAIDX_BLOCK_SECTORS);
	}
	sample_segments(super, geo);
	raidx_super_seal(super);
}

/* A RAID 5 or RAID 6 block group as wide as the set. */
static inline void sample_group(struct raidx_disk_group *group, const struct raidx_geometry *geo)
{
	u32 i;

	memset(group, 0, sizeof(*group));
	group->level = geo->parity == 2 ? RAIDX_LEVEL_RAID6 : RAIDX_LEVEL_RAID5;
	group->width = geo->nr_slots - geo->nr_spares;
	group->rows = cpu_to_le32(raidx_group_nr_rows(geo, group->level, group->width));
	for (i = 0; i < group->width; i++) {
		group->column[i].slot = i;
		group->column[i].extent = cpu_to_le32(7);
	}
	group->used[0] = 0x81;
}

/* An entry with a record of every type that a pool uses, sealed.  4 payload blocks. */
static inline void sample_entry(struct raidx_disk_entry *entry, const struct raidx_geometry *geo)
{
	u8 level = geo->parity == 2 ? RAIDX_LEVEL_RAID6 : RAIDX_LEVEL_RAID5;
	struct raidx_disk_record_data *data;
	struct raidx_disk_record_zero *range;
	struct raidx_disk_record_map *map;
	struct raidx_disk_record_group *group;
	struct raidx_disk_record_in_place *in_place;
	struct raidx_disk_record_active *active;
	u8 type;
	u32 i;

	memset(entry, 0, RAIDX_BLOCK_BYTES);
	data = raidx_entry_add(entry, RAIDX_RECORD_DATA, sizeof(*data) + 3 * 4, 3);
	data->block = cpu_to_le64(17);
	range = raidx_entry_add(entry, RAIDX_RECORD_ZERO, sizeof(*range), 0);
	range->block = cpu_to_le64(64);
	range->blocks = cpu_to_le64(geo->length_blocks - 64);
	map = raidx_entry_add(entry, RAIDX_RECORD_MAP, sizeof(*map) + 4 * geo->stripe_blocks, geo->stripe_blocks);
	map->stripe = cpu_to_le64(geo->nr_stripes - 1);
	map->new.level = level;
	map->new.group = cpu_to_le32(1);
	group = raidx_entry_add(entry, RAIDX_RECORD_GROUP, sizeof(*group) + 3 * sizeof(group->column[0]), 3);
	group->group = cpu_to_le32(2);
	group->level = RAIDX_LEVEL_RAID1;
	group->rows = cpu_to_le32(raidx_group_nr_rows(geo, RAIDX_LEVEL_RAID1, 3));
	for (i = 0; i < 3; i++)
		group->column[i].slot = i;
	raidx_entry_add(entry, RAIDX_RECORD_REVOKE, sizeof(struct raidx_disk_record_revoke), 0);
	for (type = RAIDX_RECORD_PARITY; type <= RAIDX_RECORD_IN_PLACE; type++) {
		in_place = raidx_entry_add(entry, type, sizeof(*in_place) + 4, 1);
		in_place->first = cpu_to_le32(geo->stripe_blocks);
	}
	active = raidx_entry_add(entry, RAIDX_RECORD_ACTIVE, sizeof(*active) + 8, 2);
	active->region[0] = cpu_to_le32(5);
	for (type = RAIDX_RECORD_LOST; type <= RAIDX_RECORD_WRITTEN; type++) {
		range = raidx_entry_add(entry, type, sizeof(*range), 0);
		range->blocks = cpu_to_le64(1);
	}
	entry->epoch = cpu_to_le64(3);
	entry->seq = cpu_to_le64(100);
	entry->nr_blocks = cpu_to_le16(4);
	raidx_entry_seal(entry, sample_uuid);
}

/* Put the checksum right that offset 4 of a block holds, as every sealed block has it. */
static inline void sample_fix_crc(void *block)
{
	u32 crc;

	memset((u8 *)block + 4, 0, 4);
	crc = cpu_to_le32(raidx_crc32c(block, RAIDX_BLOCK_BYTES));
	memcpy((u8 *)block + 4, &crc, 4);
}

#endif /* RAIDX_TESTS_SAMPLE_H */
