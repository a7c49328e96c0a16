// SPDX-License-Identifier: GPL-2.0-only
/* These tests will check that what is sealed is accepted, and that nothing else is: flipped bytes, foreign owners,
 * numbers out of range under a good checksum.
 */
#include "unit.h"
#include "sample.h"

static struct raidx_geometry geo;
static u64 data_blocks[RAIDX_MAX_MEMBERS];

union block {
	u8 byte[RAIDX_BLOCK_BYTES];
	struct raidx_disk_super super;
	struct raidx_disk_entry entry;
	struct raidx_disk_page page;
};

static struct raidx_disk_group *group_of(union block *block)
{
	return (void *)(block->byte + sizeof(struct raidx_disk_page));
}

static int setup(void **state)
{
	return sample_plan(RAIDX_LEVEL_TSS, 1, 5, SAMPLE_MEMBER_BLOCKS, &geo, data_blocks) ? -1 : 0;
}

/* Small deterministic generator; the same on every run. */
static u32 next_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* ---- superblock ----------------------------------------------------------------------------- */

static void test_crc32c_known_answer(void **state)
{
	/* The check value of CRC-32C is inverted at the end; ours is not. */
	assert_int_equal(~raidx_crc32c("123456789", 9), 0xe3069283);
	assert_int_equal(raidx_crc32c("", 0), ~0u);
}

static void test_super_geometry_round_trip(void **state)
{
	static const u8 levels[] = { RAIDX_LEVEL_RAID0, RAIDX_LEVEL_RAID1, RAIDX_LEVEL_RAID10, RAIDX_LEVEL_RAID5,
				     RAIDX_LEVEL_RAID6, RAIDX_LEVEL_CRAID5, RAIDX_LEVEL_TSS };
	struct raidx_geometry made, got;
	u64 blocks[RAIDX_MAX_MEMBERS];
	union block block;
	u32 level, members, parity;

	for (level = 0; level < ARRAY_SIZE(levels); level++)
		for (members = 4; members <= 64; members += 5)
			for (parity = 1; parity <= 2; parity++) {
				memset(&got, 0xa5, sizeof(got));
				assert_null(sample_plan(levels[level], parity, members, SAMPLE_MEMBER_BLOCKS, &made,
							blocks));
				sample_super(&block.super, &made, blocks, SAMPLE_MEMBER_BLOCKS);
				raidx_super_get_geometry(&block.super, &got);
				assert_memory_equal(&made, &got, sizeof(made));
				check(!raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS), "level %u: %s",
				      levels[level], raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS));
			}
}

static void test_super_flipped_byte(void **state)
{
	union block block;
	u32 i, bit;

	sample_super(&block.super, &geo, data_blocks, SAMPLE_MEMBER_BLOCKS);
	for (i = 0; i < RAIDX_BLOCK_BYTES; i++)
		for (bit = 0; bit < 8; bit++) {
			block.byte[i] ^= 1 << bit;
			check(raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS), "byte %u bit %u", i, bit);
			block.byte[i] ^= 1 << bit;
		}
	assert_null(raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS));
	memset(&block, 0, sizeof(block));
	assert_ptr_equal(raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS), RAIDX_SUPER_ABSENT);
}

/* A sound superblock with one field changed and sealed again must be refused. */
#define refuse_super(change) do {								\
	union block block;									\
	struct raidx_disk_super *super = &block.super;						\
												\
	sample_super(super, &geo, data_blocks, SAMPLE_MEMBER_BLOCKS);				\
	change;											\
	sample_fix_crc(super);									\
	check(raidx_super_check(super, SAMPLE_MEMBER_BLOCKS), "accepted: %s", #change);	\
} while (0)

static void test_super_hostile_numbers(void **state)
{
	refuse_super(super->version = cpu_to_le16(2));
	refuse_super(super->bytes = cpu_to_le16(512));
	refuse_super(super->feature_incompat = cpu_to_le32(1u << 31));
	refuse_super(super->level = RAIDX_LEVEL_NONE);
	refuse_super(super->level = RAIDX_LEVEL_TABLE);
	refuse_super(super->level = RAIDX_LEVEL_RAID6);
	refuse_super(super->level = RAIDX_LEVEL_RAID1);
	refuse_super(super->parity = 0);
	refuse_super(super->parity = 2);
	refuse_super(super->copies = 0);
	refuse_super(super->copies = 4);
	refuse_super(super->nr_slots = 0);
	refuse_super(super->nr_slots = 65);
	refuse_super(super->nr_spares = 5);
	refuse_super(super->nr_spares = 3);
	refuse_super(super->nr_lanes = 0);
	refuse_super(super->nr_lanes = 5);
	refuse_super(super->slot = 5);
	refuse_super(super->flags = cpu_to_le32(4));
	refuse_super(super->chunk_sectors = 0);
	refuse_super(super->stripe_sectors = 0);
	refuse_super(super->stripe_sectors = cpu_to_le32(4));
	refuse_super(super->stripe_sectors = cpu_to_le32(8 * 257));
	refuse_super(super->stripe_sectors = cpu_to_le32(~7u));
	refuse_super(super->extent_sectors = 0);
	refuse_super(super->extent_sectors = cpu_to_le32(3 << 12));
	refuse_super(super->extent_sectors = cpu_to_le32(1u << 31));
	refuse_super(super->segment_sectors = cpu_to_le32(8 * 127));
	refuse_super(super->segment_sectors = cpu_to_le32(~7u));
	refuse_super(super->nr_segments = 0);
	refuse_super(super->nr_segments = cpu_to_le32(65));
	refuse_super(super->segment_slots = 0);
	refuse_super(super->segment_slots = cpu_to_le32(256));
	refuse_super(super->max_groups = 0);
	refuse_super(super->max_groups = cpu_to_le32(~0u));
	refuse_super(super->group_rows = 0);
	refuse_super(super->group_rows = cpu_to_le32(RAIDX_MAX_GROUP_ROWS + 1));
	refuse_super(super->root_pages = 0);
	refuse_super(super->root_pages = cpu_to_le32(~0u));
	refuse_super(super->lost_pages = cpu_to_le32(~0u));
	refuse_super(super->written_pages = cpu_to_le32(~0u));
	refuse_super(super->row_record_bytes = 0);
	refuse_super(super->row_record_bytes = cpu_to_le32(36));
	refuse_super(super->row_record_bytes = cpu_to_le32(4040));
	refuse_super(super->map_pages = 0);
	refuse_super(super->map_pages = cpu_to_le64(~0ULL));
	refuse_super(super->row_pages = cpu_to_le64(1));
	refuse_super(super->heat_pages = cpu_to_le64(1ULL << 63));
	refuse_super(super->length_sectors = 0);
	refuse_super(super->length_sectors = cpu_to_le64(~7ULL));
	refuse_super(super->anchor_start = 0);
	refuse_super(super->anchor_start = cpu_to_le64(~7ULL));
	refuse_super(super->log_start = super->anchor_start);
	refuse_super(super->data_start = super->log_start);
	refuse_super(super->data_start = cpu_to_le64(SAMPLE_MEMBER_BLOCKS * 8));
	refuse_super(super->super_b_sector = 0);
	refuse_super(super->super_b_sector = cpu_to_le64(SAMPLE_MEMBER_BLOCKS * 8));
	refuse_super(super->super_b_sector = cpu_to_le64((SAMPLE_MEMBER_BLOCKS - 1) * 8 + 1));
	refuse_super(super->groups_used = cpu_to_le32(~0u));
	refuse_super(super->reserved1[100] = 1);
	refuse_super(super->reserved2[895] = 1);
}

static void test_super_hostile_arrays(void **state)
{
	refuse_super(super->segment[0].lane = 4);
	refuse_super(super->segment[0].lane = 1);
	refuse_super(super->segment[3].reserved = 1);
	refuse_super(super->segment[0].slot[0] = 5);
	refuse_super(super->segment[0].slot[2] = 3);
	refuse_super(super->segment[0].slot[0] = super->segment[0].slot[1]);
	refuse_super(super->segment[0].index[0] = 255);
	refuse_super(super->segment[5] = super->segment[5 - geo.nr_lanes]);
	refuse_super(memset(super->segment[0].slot, RAIDX_NO_SLOT, 3));
	refuse_super(super->lane_tail[0].segment = cpu_to_le32(1));
	refuse_super(super->lane_tail[1].segment = cpu_to_le32(~0u));
	refuse_super(super->lane_tail[1].block = cpu_to_le32(geo.segment_blocks + 1));
	refuse_super(super->member[0].state = RAIDX_NR_SLOT_STATES);
	refuse_super(super->member[0].flags = 1);
	refuse_super(super->member[0].data_sectors = cpu_to_le64(~0ULL));
	refuse_super(super->member[1].data_sectors = cpu_to_le64(SAMPLE_MEMBER_BLOCKS * 8));
	refuse_super(super->tunables.compression = RAIDX_NR_COMPRESSIONS);
	refuse_super(super->tunables.low[0] = 101);
	refuse_super(super->tunables.reserved[0] = 1);
}

/* A mirror whose device was replaced by a smaller one. */
static void test_super_device_too_small(void **state)
{
	union block block;

	sample_super(&block.super, &geo, data_blocks, SAMPLE_MEMBER_BLOCKS);
	assert_null(raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS));
	assert_null(raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS + 1000));
	assert_non_null(raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS - 1));
	assert_non_null(raidx_super_check(&block.super, 0));
}

/* Any bytes under a good checksum: no crash, and what is accepted has a sound geometry. */
static void test_super_random_damage(void **state)
{
	u32 seed = 7, round, i, damaged;

	for (round = 0; round < 20000; round++) {
		struct raidx_geometry got;
		union block block;

		sample_super(&block.super, &geo, data_blocks, SAMPLE_MEMBER_BLOCKS);
		damaged = 1 + next_random(&seed) % 4;
		for (i = 0; i < damaged; i++)
			block.byte[8 + next_random(&seed) % 640] = next_random(&seed);
		sample_fix_crc(&block);
		if (raidx_super_check(&block.super, SAMPLE_MEMBER_BLOCKS))
			continue;
		raidx_super_get_geometry(&block.super, &got);
		assert_null(raidx_geometry_check(&got));
	}
}

/* ---- pages ---------------------------------------------------------------------------------- */

static void test_page(void **state)
{
	u8 other[RAIDX_UUID_BYTES] = "another set";
	union block block;
	u32 i;

	memset(&block, 0x5a, sizeof(block));
	raidx_page_seal(&block.page, sample_uuid, RAIDX_TABLE_MAP, 77, 5);
	assert_int_equal(raidx_page_check(&block.page, sample_uuid, RAIDX_TABLE_MAP, 77), 0);
	assert_int_equal(le64_to_cpu(block.page.generation), 5);
	assert_int_equal(raidx_page_check(&block.page, other, RAIDX_TABLE_MAP, 77), -ESTALE);
	assert_int_equal(raidx_page_check(&block.page, sample_uuid, RAIDX_TABLE_ROW, 77), -ESTALE);
	assert_int_equal(raidx_page_check(&block.page, sample_uuid, RAIDX_TABLE_MAP, 78), -ESTALE);
	for (i = 0; i < RAIDX_BLOCK_BYTES; i++) {
		block.byte[i] ^= 0x10;
		check(raidx_page_check(&block.page, sample_uuid, RAIDX_TABLE_MAP, 77) == (i < 4 ? -ENODATA : -EILSEQ),
		      "byte %u", i);
		block.byte[i] ^= 0x10;
	}
	memset(&block, 0, sizeof(block));
	assert_int_equal(raidx_page_check(&block.page, sample_uuid, RAIDX_TABLE_MAP, 77), -ENODATA);
}

#define refuse_group(change) do {						\
	union block block;							\
	struct raidx_disk_group *group = group_of(&block);			\
										\
	sample_group(group, &geo);						\
	change;									\
	check(raidx_group_check(group, &geo), "accepted: %s", #change);	\
} while (0)

#define accept_group(change) do {						\
	union block block;							\
	struct raidx_disk_group *group = group_of(&block);			\
										\
	sample_group(group, &geo);						\
	change;									\
	check(!raidx_group_check(group, &geo), "%s: %s", #change, raidx_group_check(group, &geo)); \
} while (0)

static void test_group(void **state)
{
	accept_group(;);
	accept_group(group->level = RAIDX_LEVEL_NONE; group->width = 255);
	accept_group(group->column[2].flags = 1);
	accept_group(memset(group, 0, sizeof(*group)));
	accept_group(group->width = 2; group->level = RAIDX_LEVEL_TABLE; group->table = RAIDX_TABLE_HEAT; group->rows = 0;
		     memset(group->used, 0, sizeof(group->used)));
	refuse_group(group->width = 2; group->level = RAIDX_LEVEL_TABLE; group->table = RAIDX_TABLE_LOST; group->rows = 0;
		     memset(group->used, 0, sizeof(group->used)));
	refuse_group(group->width = 2; group->level = RAIDX_LEVEL_TABLE; group->table = RAIDX_TABLE_MAP; group->rows = 0;
		     group->unit = cpu_to_le32(~0u); memset(group->used, 0, sizeof(group->used)));
	refuse_group(group->level = RAIDX_LEVEL_TSS);
	refuse_group(group->level = RAIDX_LEVEL_RAID6);
	refuse_group(group->level = 255);
	refuse_group(group->width = 0);
	refuse_group(group->width = 1);
	refuse_group(group->width = 4);
	refuse_group(group->width = 255);
	refuse_group(group->rows = 0);
	refuse_group(group->rows = cpu_to_le32(~0u));
	refuse_group(group->flags = 1);
	refuse_group(group->table = RAIDX_TABLE_MAP);
	refuse_group(group->unit = cpu_to_le32(1));
	refuse_group(group->reserved = cpu_to_le32(1));
	refuse_group(group->column[0].slot = 1);
	refuse_group(group->column[0].slot = 5);
	refuse_group(group->column[0].slot = 64);
	refuse_group(group->column[0].flags = 2);
	refuse_group(group->column[0].reserved = cpu_to_le16(1));
	refuse_group(group->used[le32_to_cpu(group->rows) / 8] |= 0x80);
	refuse_group(group->used[sizeof(group->used) - 1] = 1);
}

static void test_map(void **state)
{
	const struct raidx_disk_map good = { .level = RAIDX_LEVEL_RAID5, .group = cpu_to_le32(3),
					     .row = cpu_to_le32(geo.group_rows - 1), .flags = RAIDX_MAP_DEGRADED };
	struct raidx_disk_map map = { 0 };

	assert_true(raidx_map_valid(&map, &geo));
	map.row = cpu_to_le32(1);
	assert_false(raidx_map_valid(&map, &geo));
	assert_true(raidx_map_valid(&good, &geo));
	map = good;
	map.level = RAIDX_LEVEL_RAID1;
	assert_true(raidx_map_valid(&map, &geo));
	map.level = RAIDX_LEVEL_RAID6;
	assert_false(raidx_map_valid(&map, &geo));
	map.level = RAIDX_LEVEL_TABLE;
	assert_false(raidx_map_valid(&map, &geo));
	map = good;
	map.group = cpu_to_le32(geo.max_groups);
	assert_false(raidx_map_valid(&map, &geo));
	map = good;
	map.row = cpu_to_le32(geo.group_rows);
	assert_false(raidx_map_valid(&map, &geo));
	map = good;
	map.flags = 8;
	assert_false(raidx_map_valid(&map, &geo));
	map = good;
	map.reserved = cpu_to_le32(1);
	assert_false(raidx_map_valid(&map, &geo));
}

/* ---- entries --------------------------------------------------------------------------------- */

static int check_entry(const union block *block)
{
	return raidx_entry_check(&block->entry, sample_uuid, 3, &geo);
}

static void test_entry_round_trip(void **state)
{
	const struct raidx_disk_record *record = NULL;
	union block block;
	u32 types = 0, blocks = 0;

	sample_entry(&block.entry, &geo);
	assert_int_equal(check_entry(&block), 0);
	while ((record = raidx_entry_next(&block.entry, record))) {
		types |= 1u << record->type;
		blocks += raidx_record_blocks(record);
	}
	assert_int_equal(types, (1u << RAIDX_NR_RECORD_TYPES) - 2);
	assert_int_equal(blocks, 4);
	/* Entries of an earlier start are not of this one; later ones are the caller's matter. */
	assert_int_equal(raidx_entry_check(&block.entry, sample_uuid, 4, &geo), -ENODATA);
	assert_int_equal(raidx_entry_check(&block.entry, (const u8 *)"another set     ", 3, &geo), -ENODATA);
	memset(&block, 0, sizeof(block));
	assert_int_equal(check_entry(&block), -ENODATA);
	raidx_entry_seal(&block.entry, sample_uuid);
	assert_int_equal(raidx_entry_check(&block.entry, sample_uuid, 0, &geo), 0);
	assert_null(raidx_entry_next(&block.entry, NULL));
}

static void test_entry_flipped_byte(void **state)
{
	union block block;
	u32 i, bit;

	sample_entry(&block.entry, &geo);
	for (i = 0; i < RAIDX_BLOCK_BYTES; i++)
		for (bit = 0; bit < 8; bit++) {
			block.byte[i] ^= 1 << bit;
			check(check_entry(&block), "byte %u bit %u", i, bit);
			block.byte[i] ^= 1 << bit;
		}
	assert_int_equal(check_entry(&block), 0);
}

static void test_entry_room(void **state)
{
	union block block = { 0 };
	u32 nr = 0;

	assert_int_equal(raidx_entry_room(&block.entry), RAIDX_ENTRY_RECORD_BYTES);
	assert_null(raidx_entry_add(&block.entry, RAIDX_RECORD_MAP, RAIDX_ENTRY_RECORD_BYTES + 1, 0));
	assert_null(raidx_entry_add(&block.entry, RAIDX_RECORD_MAP, ~0u, 0));
	while (raidx_entry_add(&block.entry, RAIDX_RECORD_REVOKE, sizeof(struct raidx_disk_record_revoke) - 3, 0))
		nr++;
	assert_int_equal(nr, RAIDX_ENTRY_RECORD_BYTES / 16);
	assert_int_equal(raidx_entry_room(&block.entry), RAIDX_ENTRY_RECORD_BYTES % 16);
	raidx_entry_seal(&block.entry, sample_uuid);
	assert_int_equal(raidx_entry_check(&block.entry, sample_uuid, 0, &geo), 0);
	assert_null(raidx_entry_add(&block.entry, RAIDX_RECORD_REVOKE, 0, 0));
}

/* A record with @size bytes whose fields @change fills; whether the entry is then accepted. */
#define try_record(which, structure, add, change) ({							\
	union block block = { 0 };									\
	struct structure *record = raidx_entry_add(&block.entry, which, sizeof(*record) + (add), 0);	\
													\
	change;												\
	raidx_entry_seal(&block.entry, sample_uuid);							\
	raidx_entry_check(&block.entry, sample_uuid, 0, &geo);						\
})
#define accept(...) assert_int_equal(try_record(__VA_ARGS__), 0)
#define refuse(...) assert_int_equal(try_record(__VA_ARGS__), -EUCLEAN)
#define COUNT(n) record->head.count = cpu_to_le32(n)
#define PAYLOAD(n) block.entry.nr_blocks = cpu_to_le16(n)

static void test_hostile_data_records(void **state)
{
	accept(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(2); PAYLOAD(2));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(0));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(2); PAYLOAD(1));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(2); PAYLOAD(3));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(3); PAYLOAD(3));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(0x40000001); PAYLOAD(1));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(~0u); PAYLOAD(2));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8 + 4 * 128, COUNT(128); PAYLOAD(128));
	accept(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(2); PAYLOAD(2);
	       record->block = cpu_to_le64(geo.length_blocks - 2));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(2); PAYLOAD(2);
	       record->block = cpu_to_le64(geo.length_blocks - 1));
	refuse(RAIDX_RECORD_DATA, raidx_disk_record_data, 8, COUNT(2); PAYLOAD(2); record->block = cpu_to_le64(~0ULL));
}

static void test_hostile_sizes(void **state)
{
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       record->head.bytes = cpu_to_le16(0));
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       record->head.bytes = cpu_to_le16(16));
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       record->head.bytes = cpu_to_le16(28));
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       record->head.bytes = cpu_to_le16(32));
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       record->head.bytes = cpu_to_le16(0xfff8));
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       block.entry.record_bytes = cpu_to_le16(28));
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       block.entry.record_bytes = cpu_to_le16(0xfff8));
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       record->head.type = 0);
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       record->head.type = RAIDX_NR_RECORD_TYPES);
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1); block.entry.lane = 4);
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1); block.entry.flags = 1);
	refuse(RAIDX_RECORD_ZERO, raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(1);
	       block.entry.reserved1[55] = 1);
}

static void test_hostile_ranges(void **state)
{
	static const u8 types[] = { RAIDX_RECORD_ZERO, RAIDX_RECORD_LOST };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		accept(types[i], raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(geo.length_blocks));
		refuse(types[i], raidx_disk_record_zero, 0, record->blocks = 0);
		refuse(types[i], raidx_disk_record_zero, 0, record->blocks = cpu_to_le64(geo.length_blocks + 1));
		refuse(types[i], raidx_disk_record_zero, 0, record->block = cpu_to_le64(2);
		       record->blocks = cpu_to_le64(~0ULL));
		refuse(types[i], raidx_disk_record_zero, 0, record->block = cpu_to_le64(~0ULL);
		       record->blocks = cpu_to_le64(2));
	}
	accept(RAIDX_RECORD_WRITTEN, raidx_disk_record_written, 0, record->units = cpu_to_le64(geo.length_blocks / 16));
	refuse(RAIDX_RECORD_WRITTEN, raidx_disk_record_written, 0,
	       record->units = cpu_to_le64(geo.length_blocks / 16 + 2));
	refuse(RAIDX_RECORD_WRITTEN, raidx_disk_record_written, 0, record->unit = cpu_to_le64(~0ULL);
	       record->units = cpu_to_le64(1));
	accept(RAIDX_RECORD_ACTIVE, raidx_disk_record_active, 8, COUNT(2));
	accept(RAIDX_RECORD_ACTIVE, raidx_disk_record_active, 0, COUNT(0));
	refuse(RAIDX_RECORD_ACTIVE, raidx_disk_record_active, 8, COUNT(3));
}

static void test_hostile_homes(void **state)
{
	u32 crcs = (geo.row_record_bytes - sizeof(struct raidx_disk_row)) / 4;

	accept(RAIDX_RECORD_MAP, raidx_disk_record_map, 0, COUNT(0));
	refuse(RAIDX_RECORD_MAP, raidx_disk_record_map, 0, COUNT(1));
	accept(RAIDX_RECORD_MAP, raidx_disk_record_map, 4 * crcs, COUNT(crcs); record->new.level = RAIDX_LEVEL_RAID5);
	refuse(RAIDX_RECORD_MAP, raidx_disk_record_map, 4 * crcs + 8, COUNT(crcs + 1);
	       record->new.level = RAIDX_LEVEL_RAID5);
	refuse(RAIDX_RECORD_MAP, raidx_disk_record_map, 0, record->stripe = cpu_to_le64(geo.nr_stripes));
	refuse(RAIDX_RECORD_MAP, raidx_disk_record_map, 0, record->new.level = RAIDX_LEVEL_TABLE);
	refuse(RAIDX_RECORD_MAP, raidx_disk_record_map, 0, record->old.level = 200);
	refuse(RAIDX_RECORD_MAP, raidx_disk_record_map, 0, record->new.level = RAIDX_LEVEL_RAID1;
	       record->new.group = cpu_to_le32(geo.max_groups));
	accept(RAIDX_RECORD_REVOKE, raidx_disk_record_revoke, 0, record->row = cpu_to_le32(geo.group_rows - 1));
	refuse(RAIDX_RECORD_REVOKE, raidx_disk_record_revoke, 0, record->row = cpu_to_le32(geo.group_rows));
	refuse(RAIDX_RECORD_REVOKE, raidx_disk_record_revoke, 0, record->group = cpu_to_le32(~0u));
	accept(RAIDX_RECORD_IN_PLACE, raidx_disk_record_in_place, 4, COUNT(1); record->first = cpu_to_le32(crcs - 1));
	refuse(RAIDX_RECORD_IN_PLACE, raidx_disk_record_in_place, 4, COUNT(1); record->first = cpu_to_le32(crcs));
	refuse(RAIDX_RECORD_IN_PLACE, raidx_disk_record_in_place, 4, COUNT(1); record->first = cpu_to_le32(~0u));
	refuse(RAIDX_RECORD_PARITY, raidx_disk_record_in_place, 4, COUNT(1));
	accept(RAIDX_RECORD_PARITY, raidx_disk_record_in_place, 4, COUNT(1); PAYLOAD(1));
	refuse(RAIDX_RECORD_PARITY, raidx_disk_record_in_place, 4, COUNT(1); PAYLOAD(1);
	       record->row = cpu_to_le32(geo.group_rows));
	refuse(RAIDX_RECORD_PARITY, raidx_disk_record_in_place, 4, COUNT(1); PAYLOAD(1);
	       record->stripe = cpu_to_le64(geo.nr_stripes));
}

#define GROUP_OF(which, columns) do {									\
	u32 column;											\
													\
	COUNT(columns);											\
	record->level = (which);									\
	record->rows = cpu_to_le32(raidx_group_nr_rows(&geo, which, columns));				\
	for (column = 0; column < (columns); column++)							\
		record->column[column].slot = column;							\
} while (0)

static void test_hostile_group_records(void **state)
{
	u32 bytes = 5 * sizeof(struct raidx_disk_extent);

	accept(RAIDX_RECORD_GROUP, raidx_disk_record_group, 0, COUNT(0));
	accept(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes, GROUP_OF(RAIDX_LEVEL_RAID5, 5));
	accept(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes, GROUP_OF(RAIDX_LEVEL_RAID1, 2));
	refuse(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes - 8, GROUP_OF(RAIDX_LEVEL_RAID5, 4); COUNT(5));
	refuse(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes + 8, GROUP_OF(RAIDX_LEVEL_RAID5, 6));
	refuse(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes, GROUP_OF(RAIDX_LEVEL_RAID5, 5); COUNT(1));
	refuse(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes, GROUP_OF(RAIDX_LEVEL_RAID5, 5);
	       record->column[3].slot = 2);
	refuse(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes, GROUP_OF(RAIDX_LEVEL_RAID5, 5); record->rows = 0);
	refuse(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes, GROUP_OF(RAIDX_LEVEL_RAID5, 5);
	       record->group = cpu_to_le32(geo.max_groups));
	refuse(RAIDX_RECORD_GROUP, raidx_disk_record_group, bytes, GROUP_OF(RAIDX_LEVEL_RAID5, 5);
	       record->level = RAIDX_LEVEL_TSS);
}

/* Any record bytes under a good checksum: refused, or walked to the end without leaving the block. */
static void test_entry_random_damage(void **state)
{
	u32 seed = 11, round, i, damaged;

	for (round = 0; round < 20000; round++) {
		const struct raidx_disk_record *record = NULL;
		union block block;

		sample_entry(&block.entry, &geo);
		damaged = 1 + next_random(&seed) % 4;
		for (i = 0; i < damaged; i++)
			block.byte[64 + next_random(&seed) % 900] = next_random(&seed);
		sample_fix_crc(&block);
		if (check_entry(&block))
			continue;
		while ((record = raidx_entry_next(&block.entry, record)))
			assert_true((const u8 *)record + le16_to_cpu(record->bytes) <= block.byte + sizeof(block));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc32c_known_answer),
		cmocka_unit_test(test_super_geometry_round_trip),
		cmocka_unit_test(test_super_flipped_byte),
		cmocka_unit_test(test_super_hostile_numbers),
		cmocka_unit_test(test_super_hostile_arrays),
		cmocka_unit_test(test_super_device_too_small),
		cmocka_unit_test(test_super_random_damage),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_entry_round_trip),
		cmocka_unit_test(test_entry_flipped_byte),
		cmocka_unit_test(test_entry_room),
		cmocka_unit_test(test_hostile_data_records),
		cmocka_unit_test(test_hostile_sizes),
		cmocka_unit_test(test_hostile_ranges),
		cmocka_unit_test(test_hostile_homes),
		cmocka_unit_test(test_hostile_group_records),
		cmocka_unit_test(test_entry_random_damage),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
