// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx codec: sealing and checking of everything on disk.  Pure; holds no state.
 *
 * Nothing that was read is used before its function here said yes: magic, crc32c, owner (set UUID, table,
 * page number), then every number against the geometry.
 */
#include <raidx/codec.h>
#ifdef __KERNEL__
#include <linux/crc32c.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#endif

const char RAIDX_SUPER_ABSENT[] = "no raidx superblock";

u32 raidx_crc32c(const void *data, size_t bytes)
{
	return crc32c(~0u, data, bytes);
}

/* crc of a block whose crc field, 4 bytes at offset 4, counts as zero. */
static u32 block_crc(const void *block)
{
	static const u8 zero[4];
	u32 crc = crc32c(~0u, block, 4);

	crc = crc32c(crc, zero, 4);
	return crc32c(crc, (const u8 *)block + 8, RAIDX_BLOCK_BYTES - 8);
}

static bool is_zero(const void *data, size_t bytes)
{
	const u8 *at = data;

	while (bytes--)
		if (*at++)
			return false;
	return true;
}

void raidx_super_seal(struct raidx_disk_super *super)
{
	super->magic = cpu_to_le32(RAIDX_SUPER_MAGIC);
	super->version = cpu_to_le16(RAIDX_FORMAT_VERSION);
	super->bytes = cpu_to_le16(sizeof(*super));
	super->crc = cpu_to_le32(block_crc(super));
}

void raidx_super_get_geometry(const struct raidx_disk_super *super, struct raidx_geometry *geo)
{
	memset(geo, 0, sizeof(*geo));
	geo->level = super->level;
	geo->parity = super->parity;
	geo->copies = super->copies;
	geo->nr_slots = super->nr_slots;
	geo->nr_spares = super->nr_spares;
	geo->nr_lanes = super->nr_lanes;
	geo->chunk_blocks = le32_to_cpu(super->chunk_sectors) / RAIDX_BLOCK_SECTORS;
	geo->stripe_blocks = le32_to_cpu(super->stripe_sectors) / RAIDX_BLOCK_SECTORS;
	geo->extent_blocks = le32_to_cpu(super->extent_sectors) / RAIDX_BLOCK_SECTORS;
	geo->segment_blocks = le32_to_cpu(super->segment_sectors) / RAIDX_BLOCK_SECTORS;
	geo->nr_segments = le32_to_cpu(super->nr_segments);
	geo->segment_slots = le32_to_cpu(super->segment_slots);
	geo->max_groups = le32_to_cpu(super->max_groups);
	geo->group_rows = le32_to_cpu(super->group_rows);
	geo->root_pages = le32_to_cpu(super->root_pages);
	geo->lost_pages = le32_to_cpu(super->lost_pages);
	geo->written_pages = le32_to_cpu(super->written_pages);
	geo->row_record_bytes = le32_to_cpu(super->row_record_bytes);
	geo->anchor_start = le64_to_cpu(super->anchor_start) / RAIDX_BLOCK_SECTORS;
	geo->log_start = le64_to_cpu(super->log_start) / RAIDX_BLOCK_SECTORS;
	geo->data_start = le64_to_cpu(super->data_start) / RAIDX_BLOCK_SECTORS;
	geo->map_pages = le64_to_cpu(super->map_pages);
	geo->row_pages = le64_to_cpu(super->row_pages);
	geo->heat_pages = le64_to_cpu(super->heat_pages);
	geo->length_blocks = le64_to_cpu(super->length_sectors) / RAIDX_BLOCK_SECTORS;
	if (geo->stripe_blocks)
		geo->nr_stripes = div_u64(geo->length_blocks + geo->stripe_blocks - 1, geo->stripe_blocks);
}

void raidx_super_set_geometry(struct raidx_disk_super *super, const struct raidx_geometry *geo)
{
	super->level = geo->level;
	super->parity = geo->parity;
	super->copies = geo->copies;
	super->nr_slots = geo->nr_slots;
	super->nr_spares = geo->nr_spares;
	super->nr_lanes = geo->nr_lanes;
	super->chunk_sectors = cpu_to_le32(geo->chunk_blocks * RAIDX_BLOCK_SECTORS);
	super->stripe_sectors = cpu_to_le32(geo->stripe_blocks * RAIDX_BLOCK_SECTORS);
	super->extent_sectors = cpu_to_le32(geo->extent_blocks * RAIDX_BLOCK_SECTORS);
	super->segment_sectors = cpu_to_le32(geo->segment_blocks * RAIDX_BLOCK_SECTORS);
	super->nr_segments = cpu_to_le32(geo->nr_segments);
	super->segment_slots = cpu_to_le32(geo->segment_slots);
	super->max_groups = cpu_to_le32(geo->max_groups);
	super->group_rows = cpu_to_le32(geo->group_rows);
	super->root_pages = cpu_to_le32(geo->root_pages);
	super->lost_pages = cpu_to_le32(geo->lost_pages);
	super->written_pages = cpu_to_le32(geo->written_pages);
	super->row_record_bytes = cpu_to_le32(geo->row_record_bytes);
	super->anchor_start = cpu_to_le64(geo->anchor_start * RAIDX_BLOCK_SECTORS);
	super->log_start = cpu_to_le64(geo->log_start * RAIDX_BLOCK_SECTORS);
	super->data_start = cpu_to_le64(geo->data_start * RAIDX_BLOCK_SECTORS);
	super->map_pages = cpu_to_le64(geo->map_pages);
	super->row_pages = cpu_to_le64(geo->row_pages);
	super->heat_pages = cpu_to_le64(geo->heat_pages);
	super->length_sectors = cpu_to_le64(geo->length_blocks * RAIDX_BLOCK_SECTORS);
}

static const char *check_segments(const struct raidx_disk_super *super, const struct raidx_geometry *geo)
{
	u32 i, copy;

	for (i = 0; i < geo->nr_segments; i++) {
		const struct raidx_disk_segment *segment = &super->segment[i];
		u32 present = 0;

		if (segment->lane >= geo->nr_lanes || segment->reserved)
			return "superblock: log segment map out of range";
		for (copy = 0; copy < RAIDX_MAX_COPIES; copy++) {
			if (segment->slot[copy] == RAIDX_NO_SLOT)
				continue;
			present++;
			if (segment->slot[copy] >= geo->nr_slots || segment->index[copy] >= geo->segment_slots)
				return "superblock: log segment map out of range";
		}
		if (!present)
			return "superblock: a log segment without a copy";
	}
	for (i = 0; i < geo->nr_lanes; i++)
		if (le32_to_cpu(super->lane_tail[i].segment) >= geo->nr_segments ||
		    le32_to_cpu(super->lane_tail[i].block) > geo->segment_blocks)
			return "superblock: tail of the log out of range";
	return NULL;
}

static const char *check_slots(const struct raidx_disk_super *super, const struct raidx_geometry *geo,
			       u64 device_blocks)
{
	u64 sectors;
	u32 i;

	for (i = 0; i < geo->nr_slots; i++) {
		if (super->member[i].state >= RAIDX_NR_SLOT_STATES || super->member[i].flags)
			return "superblock: state of a slot out of range";
		sectors = le64_to_cpu(super->member[i].data_sectors);
		if (sectors > 1ULL << 50)
			return "superblock: size of a member out of range";
	}
	if (super->slot >= geo->nr_slots)
		return "superblock: slot out of range";
	sectors = le64_to_cpu(super->member[super->slot].data_sectors);
	if (geo->data_start + sectors / RAIDX_BLOCK_SECTORS + 1 > device_blocks ||
	    le64_to_cpu(super->super_b_sector) / RAIDX_BLOCK_SECTORS >= device_blocks)
		return "superblock: the device is smaller than when the set was made";
	return NULL;
}

const char *raidx_super_check(const struct raidx_disk_super *super, u64 device_blocks)
{
	struct raidx_geometry geo;
	const char *error;

	if (le32_to_cpu(super->magic) != RAIDX_SUPER_MAGIC)
		return RAIDX_SUPER_ABSENT;
	if (le32_to_cpu(super->crc) != block_crc(super))
		return "superblock: wrong checksum";
	if (le16_to_cpu(super->version) != RAIDX_FORMAT_VERSION || le16_to_cpu(super->bytes) != sizeof(*super))
		return "superblock: unknown format version";
	if (le32_to_cpu(super->feature_incompat) & ~RAIDX_FEATURE_INCOMPAT_KNOWN)
		return "superblock: a feature that this version does not know is in use";
	if (super->reserved0 || !is_zero(super->reserved1, sizeof(super->reserved1)) ||
	    !is_zero(super->reserved2, sizeof(super->reserved2)))
		return "superblock: reserved bytes are not zero";
	raidx_super_get_geometry(super, &geo);
	error = raidx_geometry_check(&geo);
	if (!error)
		error = check_segments(super, &geo);
	if (!error)
		error = check_slots(super, &geo, device_blocks);
	if (!error && le32_to_cpu(super->groups_used) > geo.max_groups)
		error = "superblock: more block groups in use than there are";
	return error;
}

void raidx_page_seal(struct raidx_disk_page *page, const u8 *set_uuid, u8 table, u64 number, u64 generation)
{
	memset(page, 0, sizeof(*page));
	page->magic = cpu_to_le32(RAIDX_PAGE_MAGIC);
	memcpy(page->set_uuid, set_uuid, RAIDX_UUID_BYTES);
	page->number = cpu_to_le64(number);
	page->generation = cpu_to_le64(generation);
	page->table = table;
	page->crc = cpu_to_le32(block_crc(page));
}

int raidx_page_check(const struct raidx_disk_page *page, const u8 *set_uuid, u8 table, u64 number)
{
	if (le32_to_cpu(page->magic) != RAIDX_PAGE_MAGIC)
		return -ENODATA;
	if (le32_to_cpu(page->crc) != block_crc(page))
		return -EILSEQ;
	if (memcmp(page->set_uuid, set_uuid, RAIDX_UUID_BYTES) || page->table != table ||
	    le64_to_cpu(page->number) != number || !is_zero(page->reserved, sizeof(page->reserved)))
		return -ESTALE;
	return 0;
}

const char *raidx_group_check(const struct raidx_disk_group *group, const struct raidx_geometry *geo)
{
	u64 seen = 0;
	u32 i, rows;

	if (group->level == RAIDX_LEVEL_NONE)
		return NULL;
	if (group->width < geo->copies || group->width > geo->nr_slots)
		return "block group: width out of range";
	switch (group->level) {
	case RAIDX_LEVEL_RAID1:
		break;
	case RAIDX_LEVEL_RAID5:
	case RAIDX_LEVEL_RAID6:
		if (group->width < (group->level == RAIDX_LEVEL_RAID6 ? 3 : 2))
			return "block group: too narrow for its level";
		break;
	case RAIDX_LEVEL_TABLE:
		if (group->table < RAIDX_TABLE_MAP || group->table >= RAIDX_NR_TABLES)
			return "block group: unknown table";
		break;
	default:
		return "block group: unknown level";
	}
	rows = group->level == RAIDX_LEVEL_TABLE ? 0 : raidx_group_nr_rows(geo, group->level, group->width);
	if (le32_to_cpu(group->rows) != rows)
		return "block group: number of rows out of range";
	for (i = 0; i < group->width; i++) {
		u8 slot = group->column[i].slot;

		if (slot >= geo->nr_slots || seen & (1ULL << slot) || group->column[i].reserved)
			return "block group: columns out of range";
		seen |= 1ULL << slot;
	}
	return NULL;
}

bool raidx_map_valid(const struct raidx_disk_map *map, const struct raidx_geometry *geo)
{
	switch (map->level) {
	case RAIDX_LEVEL_NONE:
		return !map->group && !map->row;
	case RAIDX_LEVEL_RAID1:
	case RAIDX_LEVEL_RAID5:
	case RAIDX_LEVEL_RAID6:
		return le32_to_cpu(map->group) < geo->max_groups && le32_to_cpu(map->row) < geo->group_rows;
	default:
		return false;
	}
}

u32 raidx_entry_room(const struct raidx_disk_entry *entry)
{
	return RAIDX_ENTRY_RECORD_BYTES - le16_to_cpu(entry->record_bytes);
}

void *raidx_entry_add(struct raidx_disk_entry *entry, u8 type, u32 bytes, u32 count)
{
	u32 used = le16_to_cpu(entry->record_bytes);
	struct raidx_disk_record *record;

	bytes = roundup(bytes, 8);
	if (bytes > RAIDX_ENTRY_RECORD_BYTES - used)
		return NULL;
	record = (void *)((u8 *)entry + sizeof(*entry) + used);
	memset(record, 0, bytes);
	record->type = type;
	record->bytes = cpu_to_le16(bytes);
	record->count = cpu_to_le32(count);
	entry->record_bytes = cpu_to_le16(used + bytes);
	return record;
}

void raidx_entry_seal(struct raidx_disk_entry *entry, const u8 *set_uuid)
{
	entry->magic = cpu_to_le32(RAIDX_ENTRY_MAGIC);
	memcpy(entry->set_uuid, set_uuid, RAIDX_UUID_BYTES);
	entry->crc = cpu_to_le32(block_crc(entry));
}

u32 raidx_record_blocks(const struct raidx_disk_record *record)
{
	if (record->type == RAIDX_RECORD_DATA || record->type == RAIDX_RECORD_PARITY)
		return le32_to_cpu(record->count);
	return 0;
}

/* Does the range of blocks fit the device?  Overflow-safe. */
static bool range_fits(u64 first, u64 count, u64 total)
{
	return count && first < total && count <= total - first;
}

static bool map_record_valid(const struct raidx_disk_record_map *map, u32 count, const struct raidx_geometry *geo)
{
	if (le64_to_cpu(map->stripe) >= geo->nr_stripes)
		return false;
	if (!raidx_map_valid(&map->old, geo) || !raidx_map_valid(&map->new, geo))
		return false;
	return count <= geo->stripe_blocks * (1u + geo->parity);
}

static bool group_record_valid(const struct raidx_disk_record_group *group, u32 count,
			       const struct raidx_geometry *geo)
{
	u32 i;

	if (le32_to_cpu(group->group) >= geo->max_groups || count > geo->nr_slots)
		return false;
	if (group->level == RAIDX_LEVEL_NONE)
		return true;
	if (count < geo->copies || le32_to_cpu(group->rows) > geo->group_rows)
		return false;
	for (i = 0; i < count; i++)
		if (group->column[i].slot >= geo->nr_slots)
			return false;
	return true;
}

/* Is the record whole, and everything it says within range?  @bytes: what the entry has left. */
static bool record_valid(const struct raidx_disk_record *record, u32 bytes, const struct raidx_geometry *geo)
{
	u32 size = le16_to_cpu(record->bytes), count = le32_to_cpu(record->count), need;

	if (bytes < sizeof(*record) || size < sizeof(*record) || size > bytes || size % 8 || count > RAIDX_BLOCK_BYTES)
		return false;
	switch (record->type) {
	case RAIDX_RECORD_DATA:
		need = sizeof(struct raidx_disk_record_data) + 4 * count;
		return need <= size &&
		       range_fits(le64_to_cpu(((const struct raidx_disk_record_data *)record)->block), count,
				  geo->length_blocks);
	case RAIDX_RECORD_ZERO:
		return sizeof(struct raidx_disk_record_zero) <= size &&
		       range_fits(le64_to_cpu(((const struct raidx_disk_record_zero *)record)->block),
				  le64_to_cpu(((const struct raidx_disk_record_zero *)record)->blocks),
				  geo->length_blocks);
	case RAIDX_RECORD_MAP:
		need = sizeof(struct raidx_disk_record_map) + 4 * count;
		return need <= size && map_record_valid((const void *)record, count, geo);
	case RAIDX_RECORD_GROUP:
		need = sizeof(struct raidx_disk_record_group) + sizeof(struct raidx_disk_extent) * count;
		return need <= size && group_record_valid((const void *)record, count, geo);
	case RAIDX_RECORD_REVOKE:
		return sizeof(struct raidx_disk_record_revoke) <= size &&
		       le32_to_cpu(((const struct raidx_disk_record_revoke *)record)->group) < geo->max_groups;
	case RAIDX_RECORD_PARITY:
	case RAIDX_RECORD_IN_PLACE:
		need = sizeof(struct raidx_disk_record_in_place) + 4 * count;
		return need <= size &&
		       le64_to_cpu(((const struct raidx_disk_record_in_place *)record)->stripe) < geo->nr_stripes;
	case RAIDX_RECORD_ACTIVE:
		return sizeof(struct raidx_disk_record_active) + 4 * count <= size;
	case RAIDX_RECORD_LOST:
		return sizeof(struct raidx_disk_record_lost) <= size &&
		       range_fits(le64_to_cpu(((const struct raidx_disk_record_lost *)record)->block),
				  le64_to_cpu(((const struct raidx_disk_record_lost *)record)->blocks),
				  geo->length_blocks);
	case RAIDX_RECORD_WRITTEN:
		return sizeof(struct raidx_disk_record_written) <= size;
	default:
		return false;
	}
}

const struct raidx_disk_record *raidx_entry_next(const struct raidx_disk_entry *entry,
						 const struct raidx_disk_record *prev)
{
	const u8 *start = (const u8 *)entry + sizeof(*entry), *end = start + le16_to_cpu(entry->record_bytes);
	const u8 *at = prev ? (const u8 *)prev + le16_to_cpu(prev->bytes) : start;

	return at < end ? (const void *)at : NULL;
}

int raidx_entry_check(const struct raidx_disk_entry *entry, const u8 *set_uuid, u64 epoch,
		      const struct raidx_geometry *geo)
{
	const u8 *at = (const u8 *)entry + sizeof(*entry);
	u32 left = le16_to_cpu(entry->record_bytes), blocks = 0;

	if (le32_to_cpu(entry->magic) != RAIDX_ENTRY_MAGIC || memcmp(entry->set_uuid, set_uuid, RAIDX_UUID_BYTES) ||
	    le64_to_cpu(entry->epoch) < epoch)
		return -ENODATA;
	if (le32_to_cpu(entry->crc) != block_crc(entry))
		return -EILSEQ;
	if (left > RAIDX_ENTRY_RECORD_BYTES || left % 8 || entry->flags || entry->reserved0 ||
	    le16_to_cpu(entry->nr_blocks) > RAIDX_ENTRY_MAX_BLOCKS || entry->lane >= geo->nr_lanes)
		return -EUCLEAN;
	while (left) {
		const struct raidx_disk_record *record = (const void *)at;

		if (!record_valid(record, left, geo))
			return -EUCLEAN;
		blocks += raidx_record_blocks(record);
		at += le16_to_cpu(record->bytes);
		left -= le16_to_cpu(record->bytes);
	}
	return blocks == le16_to_cpu(entry->nr_blocks) ? 0 : -EUCLEAN;
}
