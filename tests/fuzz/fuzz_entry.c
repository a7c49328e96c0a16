// SPDX-License-Identifier: GPL-2.0-only
/*
 * This target will look for log entries whose records, once accepted, lead out of the block or name what the set does
 * not have.  Byte 0 chooses the set, byte 1 whether the records replace those of a good entry or are laid over them.
 */
#include "fuzz.h"

static const struct raidx_geometry *pick(u8 choice)
{
	static struct raidx_geometry geo[4];
	u64 data_blocks[RAIDX_MAX_MEMBERS];

	if (!geo[0].level) {
		require(!sample_plan(RAIDX_LEVEL_TSS, 1, 5, SAMPLE_MEMBER_BLOCKS, &geo[0], data_blocks));
		require(!sample_plan(RAIDX_LEVEL_TSS, 2, 6, SAMPLE_MEMBER_BLOCKS, &geo[1], data_blocks));
		require(!sample_plan(RAIDX_LEVEL_RAID5, 1, 64, SAMPLE_MEMBER_BLOCKS, &geo[2], data_blocks));
		require(!sample_plan(RAIDX_LEVEL_RAID1, 0, 3, SAMPLE_MEMBER_BLOCKS, &geo[3], data_blocks));
	}
	return &geo[choice % 4];
}

/* What replay does with a record: every checksum and column is read. */
static u32 use(const struct raidx_disk_record *record, const struct raidx_geometry *geo)
{
	u32 count = le32_to_cpu(record->count), sum = 0, i;
	const struct raidx_disk_record_map *map = (const void *)record;
	const struct raidx_disk_record_group *group = (const void *)record;
	const struct raidx_disk_record_data *data = (const void *)record;
	const struct raidx_disk_record_in_place *in_place = (const void *)record;

	switch (record->type) {
	case RAIDX_RECORD_DATA:
		require(le64_to_cpu(data->block) + count <= geo->length_blocks);
		for (i = 0; i < count; i++)
			sum += le32_to_cpu(data->crc[i]);
		break;
	case RAIDX_RECORD_MAP:
		require(le64_to_cpu(map->stripe) < geo->nr_stripes);
		require(map->new.level == RAIDX_LEVEL_NONE || le32_to_cpu(map->new.group) < geo->max_groups);
		require(sizeof(struct raidx_disk_row) + 4 * count <= max(geo->row_record_bytes, 32u));
		for (i = 0; i < count; i++)
			sum += le32_to_cpu(map->crc[i]);
		break;
	case RAIDX_RECORD_GROUP:
		for (i = 0; i < count; i++)
			sum += group->column[i].slot;
		break;
	case RAIDX_RECORD_PARITY:
	case RAIDX_RECORD_IN_PLACE:
		require(le32_to_cpu(in_place->row) < geo->group_rows);
		for (i = 0; i < count; i++)
			sum += le32_to_cpu(in_place->crc[i]);
		break;
	default:
		break;
	}
	return sum;
}

static volatile u32 seen;	/* so that reading is not optimised away */

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	const struct raidx_disk_record *record = NULL;
	const struct raidx_geometry *geo;
	struct raidx_disk_entry *entry;
	u32 blocks = 0;

	if (bytes < 4)
		return 0;
	geo = pick(data[0]);
	entry = calloc(1, RAIDX_BLOCK_BYTES);	/* on the heap: one byte too far is seen */
	if (data[1] & 1 && geo->row_record_bytes && geo->stripe_blocks < 200)
		sample_entry(entry, geo);
	else
		entry->record_bytes = cpu_to_le16(min_t(size_t, round_up(bytes - 4, 8), 0xffff));
	lay_over((u8 *)entry + sizeof(*entry), data + 4, min_t(size_t, bytes - 4, RAIDX_ENTRY_RECORD_BYTES), data[1] & 1);
	if (!(data[1] & 1))
		entry->nr_blocks = cpu_to_le16(data[2]);
	entry->lane = data[3];
	raidx_entry_seal(entry, sample_uuid);
	if (!raidx_entry_check(entry, sample_uuid, 0, geo)) {
		while ((record = raidx_entry_next(entry, record))) {
			seen += use(record, geo);
			blocks += raidx_record_blocks(record);
		}
		require(blocks == le16_to_cpu(entry->nr_blocks) && blocks <= RAIDX_ENTRY_MAX_BLOCKS);
	}
	free(entry);
	return 0;
}
