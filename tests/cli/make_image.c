// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_image: images of the members of a small tss set, made through lib/format.c, to test raidxctl on.
 *
 *   make_image DIRECTORY MEMBERS MIB_EACH
 *
 * DIRECTORY/0 ... are in sync: a checkpoint, a RAID 5 block group, a map page, and three log entries.
 * Prints shell variables that say where things are, in blocks, so that a test can damage them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <raidx/codec.h>

#define CHECKPOINT	5
#define ENTRIES		3

static const u8 set_uuid[RAIDX_UUID_BYTES] = { 0x52, 0x41, 0x49, 0x44, 0x58, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };
static struct raidx_geometry geo;
static struct raidx_disk_super super;
static u64 device_blocks;
static int fds[RAIDX_MAX_MEMBERS];

static void die(const char *what)
{
	fprintf(stderr, "make_image: %s\n", what);
	exit(1);
}

static void put(u32 slot, u64 block, const void *from)
{
	if (pwrite(fds[slot], from, RAIDX_BLOCK_BYTES, block * RAIDX_BLOCK_BYTES) != RAIDX_BLOCK_BYTES)
		die("cannot write");
}

static void put_everywhere(u64 block, const void *from)
{
	u32 slot;

	for (slot = 0; slot < geo.nr_slots; slot++)
		put(slot, block, from);
}

static void build_super(const u64 *data_blocks)
{
	u8 used[RAIDX_MAX_MEMBERS] = { 0 };
	u32 at = 0, i, copy;

	raidx_super_set_geometry(&super, &geo);
	memcpy(super.set_uuid, set_uuid, sizeof(set_uuid));
	strcpy((char *)super.set_name, "image");
	super.events = cpu_to_le64(3);
	super.epoch = cpu_to_le64(2);
	super.checkpoint = cpu_to_le64(CHECKPOINT);
	super.tail_seq = cpu_to_le64(10);
	super.groups_used = cpu_to_le32(2);
	super.segment_map_generation = cpu_to_le32(1);
	super.create_seconds = cpu_to_le64(1000000000);
	super.super_b_sector = cpu_to_le64((device_blocks - 1) * RAIDX_BLOCK_SECTORS);
	for (i = 0; i < geo.nr_slots; i++) {
		super.member[i].member_uuid[0] = i + 1;
		super.member[i].state = RAIDX_SLOT_IN_SYNC;
		super.member[i].data_sectors = cpu_to_le64(data_blocks[i] * RAIDX_BLOCK_SECTORS);
	}
	for (i = 0; i < geo.nr_segments; i++) {
		memset(super.segment[i].slot, RAIDX_NO_SLOT, sizeof(super.segment[i].slot));
		super.segment[i].lane = i % geo.nr_lanes;
		for (copy = 0; copy < geo.copies; copy++, at++) {
			super.segment[i].slot[copy] = at % geo.nr_slots;
			super.segment[i].index[copy] = used[at % geo.nr_slots]++;
		}
	}
	for (i = 0; i < geo.nr_lanes; i++) {
		super.lane_tail[i].lane_seq = cpu_to_le64(4);
		super.lane_tail[i].segment = cpu_to_le32(i);
	}
}

static void write_supers(void)
{
	u32 slot;

	for (slot = 0; slot < geo.nr_slots; slot++) {
		super.slot = slot;
		memcpy(super.member_uuid, super.member[slot].member_uuid, RAIDX_UUID_BYTES);
		raidx_super_seal(&super);
		put(slot, RAIDX_SUPER_A_BLOCK, &super);
		put(slot, device_blocks - 1, &super);
	}
}

/* An anchor page: the version that counts in home 1, an older one in home 0. */
static u64 put_anchor(u8 table, u32 number, u8 *page)
{
	u64 block = geo.anchor_start + 2ULL * (raidx_anchor_base(&geo, table) + number);

	raidx_page_seal((void *)page, set_uuid, table, number, CHECKPOINT - 1);
	put_everywhere(block, page);
	raidx_page_seal((void *)page, set_uuid, table, number, CHECKPOINT);
	put_everywhere(block + 1, page);
	return block;
}

static void write_groups(void)
{
	u8 page[RAIDX_BLOCK_BYTES] __attribute__((aligned(8))) = { 0 };
	struct raidx_disk_group *group = (void *)(page + sizeof(struct raidx_disk_page));
	u32 i;

	group->level = RAIDX_LEVEL_RAID5;
	group->width = geo.nr_slots;
	group->rows = cpu_to_le32(raidx_group_nr_rows(&geo, group->level, group->width));
	group->created = cpu_to_le64(1);
	group->used[0] = 1;
	for (i = 0; i < geo.nr_slots; i++)
		group->column[i].slot = i;
	printf("GROUP=%llu\n", (unsigned long long)put_anchor(RAIDX_TABLE_GROUP, 0, page));
	memset(group, 0, sizeof(*group));
	group->level = RAIDX_LEVEL_TABLE;
	group->table = RAIDX_TABLE_MAP;
	group->width = geo.copies;
	group->created = cpu_to_le64(2);
	for (i = 0; i < geo.copies; i++) {
		group->column[i].slot = i;
		group->column[i].extent = cpu_to_le32(1);
	}
	put_anchor(RAIDX_TABLE_GROUP, 1, page);
}

static void write_tables(void)
{
	u8 page[RAIDX_BLOCK_BYTES] __attribute__((aligned(8))) = { 0 };
	struct raidx_disk_map *map = (void *)(page + sizeof(struct raidx_disk_page));
	u64 block = geo.data_start + geo.extent_blocks;
	u32 i;

	for (i = 0; i < geo.root_pages; i++) {
		u8 *roots = page + sizeof(struct raidx_disk_page);

		memset(page, 0, sizeof(page));
		if (!i)
			roots[0] = RAIDX_ROOT(1, 70);
		put_anchor(RAIDX_TABLE_ROOT, i, page);
	}
	memset(page, 0, sizeof(page));
	for (i = 0; i < geo.lost_pages; i++)
		printf("%s%llu\n", i ? "LAST_LOST=" : "LOST=",
		       (unsigned long long)put_anchor(RAIDX_TABLE_LOST, i, page));
	memset(page, 0, sizeof(page));
	map->level = RAIDX_LEVEL_RAID5;
	raidx_page_seal((void *)page, set_uuid, RAIDX_TABLE_MAP, 0, 70);
	for (i = 0; i < geo.copies; i++)
		put(i, block + 1, page);
	printf("MAP_PAGE=%llu\n", (unsigned long long)block + 1);
}

/* Entries 10, 11, ... in lanes 0, 1, ... round about. */
static void write_log(void)
{
	u8 block[RAIDX_BLOCK_BYTES] __attribute__((aligned(8))), data[RAIDX_BLOCK_BYTES];
	struct raidx_disk_entry *entry = (void *)block;
	u32 i, copy;

	memset(data, 0x5a, sizeof(data));
	for (i = 0; i < ENTRIES; i++) {
		u32 lane = i % geo.nr_lanes, offset = i / geo.nr_lanes * 2;
		struct raidx_disk_record_data *record;

		memset(block, 0, sizeof(block));
		entry->epoch = cpu_to_le64(2);
		entry->seq = cpu_to_le64(10 + i);
		entry->lane_seq = cpu_to_le64(4 + i / geo.nr_lanes);
		entry->tail_seq = cpu_to_le64(10);
		entry->durable_seq = cpu_to_le64(i ? 10 : 0);
		entry->lane = lane;
		entry->nr_blocks = cpu_to_le16(1);
		record = raidx_entry_add(entry, RAIDX_RECORD_DATA, sizeof(*record) + 4, 1);
		record->block = cpu_to_le64(i);
		record->crc[0] = cpu_to_le32(raidx_crc32c(data, sizeof(data)));
		raidx_entry_seal(entry, set_uuid);
		for (copy = 0; copy < geo.copies; copy++) {
			const struct raidx_disk_segment *segment = &super.segment[lane];
			u64 at = geo.log_start + (u64)segment->index[copy] * geo.segment_blocks + offset;

			put(segment->slot[copy], at, block);
			put(segment->slot[copy], at + 1, data);
			printf("ENTRY%u_COPY%u=%llu ENTRY%u_SLOT%u=%u\n", i, copy, (unsigned long long)at, i, copy,
			       segment->slot[copy]);
		}
	}
}

int main(int argc, char **argv)
{
	u64 data_blocks[RAIDX_MAX_MEMBERS];
	struct raidx_plan plan = { .level = RAIDX_LEVEL_TSS, .parity = 1 };
	const char *error;
	char path[256];
	u32 i;

	if (argc != 4)
		die("takes a directory, a number of members and their MiB");
	plan.nr_slots = atoi(argv[2]);
	device_blocks = strtoull(argv[3], NULL, 10) * 256;
	for (i = 0; i < plan.nr_slots && i < RAIDX_MAX_MEMBERS; i++) {
		plan.device_blocks[i] = device_blocks;
		snprintf(path, sizeof(path), "%s/%u", argv[1], i);
		fds[i] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
		if (fds[i] < 0 || ftruncate(fds[i], device_blocks * RAIDX_BLOCK_BYTES))
			die("cannot make an image");
	}
	error = raidx_geometry_plan(&plan, &geo, data_blocks);
	if (error)
		die(error);
	build_super(data_blocks);
	write_supers();
	write_groups();
	write_tables();
	write_log();
	printf("LAST=%llu\n", (unsigned long long)device_blocks - 1);
	return 0;
}
