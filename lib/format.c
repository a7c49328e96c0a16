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

#define WRITTEN_UNIT_BLOCKS	(RAIDX_WRITTEN_UNIT_SECTORS / RAIDX_BLOCK_SECTORS)

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

bool raidx_super_is_newer(const struct raidx_disk_super *a, const struct raidx_disk_super *b)
{
	if (a->events != b->events)
		return le64_to_cpu(b->events) > le64_to_cpu(a->events);
	if (a->epoch != b->epoch)
		return le64_to_cpu(b->epoch) > le64_to_cpu(a->epoch);
	if (a->checkpoint != b->checkpoint)
		return le64_to_cpu(b->checkpoint) > le64_to_cpu(a->checkpoint);
	return le32_to_cpu(b->segment_map_generation) > le32_to_cpu(a->segment_map_generation);
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

/* The copies of segment @number: in range, on distinct members, no place taken twice. */
static bool segment_valid(const struct raidx_disk_super *super, u32 number, const struct raidx_geometry *geo)
{
	const struct raidx_disk_segment *segment = &super->segment[number], *other;
	u32 copy, present = 0, i, k;

	if (segment->lane >= geo->nr_lanes || segment->reserved)
		return false;
	for (copy = 0; copy < RAIDX_MAX_COPIES; copy++) {
		if (segment->slot[copy] == RAIDX_NO_SLOT)
			continue;
		if (copy >= geo->copies || segment->slot[copy] >= geo->nr_slots ||
		    segment->index[copy] >= geo->segment_slots)
			return false;
		present++;
		for (k = 0; k < copy; k++)
			if (segment->slot[k] == segment->slot[copy])
				return false;
		for (i = 0, other = super->segment; i < number; i++, other++)
			for (k = 0; k < RAIDX_MAX_COPIES; k++)
				if (other->slot[k] == segment->slot[copy] && other->index[k] == segment->index[copy])
					return false;
	}
	return present;
}

static const char *check_segments(const struct raidx_disk_super *super, const struct raidx_geometry *geo)
{
	u32 in_lane[RAIDX_MAX_LANES] = { 0 };
	u32 i;

	for (i = 0; i < geo->nr_segments; i++) {
		if (!segment_valid(super, i, geo))
			return "superblock: log segment map out of range";
		in_lane[super->segment[i].lane]++;
	}
	for (i = 0; i < geo->nr_lanes; i++) {
		u32 segment = le32_to_cpu(super->lane_tail[i].segment);

		if (in_lane[i] != geo->nr_segments / geo->nr_lanes)
			return "superblock: segments of the log are not shared out evenly among its lanes";
		if (segment >= geo->nr_segments || super->segment[segment].lane != i ||
		    le32_to_cpu(super->lane_tail[i].block) > geo->segment_blocks)
			return "superblock: tail of the log out of range";
	}
	return NULL;
}

/* Does a member of @blocks hold its share of the capacity?  Pools have a map for that. */
static bool share_fits(const struct raidx_geometry *geo, u64 blocks)
{
	if (geo->level == RAIDX_LEVEL_RAID1)
		return geo->length_blocks <= blocks;
	if (geo->level == RAIDX_LEVEL_RAID10)
		return div_u64(2 * geo->length_blocks, geo->nr_slots - geo->nr_spares) <= blocks;
	return true;
}

static const char *check_slots(const struct raidx_disk_super *super, const struct raidx_geometry *geo,
			       u64 device_blocks)
{
	u64 sectors, end;
	u32 i;

	for (i = 0; i < geo->nr_slots; i++) {
		const struct raidx_disk_slot *slot = &super->member[i];

		if (slot->state >= RAIDX_NR_SLOT_STATES || slot->flags)
			return "superblock: state of a slot out of range";
		sectors = le64_to_cpu(slot->data_sectors);
		if (sectors > 1ULL << 50 || sectors % RAIDX_BLOCK_SECTORS ||
		    (slot->state == RAIDX_SLOT_IN_SYNC && !share_fits(geo, sectors / RAIDX_BLOCK_SECTORS)))
			return "superblock: size of a member out of range";
	}
	if (super->slot >= geo->nr_slots)
		return "superblock: slot out of range";
	end = geo->data_start + le64_to_cpu(super->member[super->slot].data_sectors) / RAIDX_BLOCK_SECTORS;
	sectors = le64_to_cpu(super->super_b_sector);
	if (sectors % RAIDX_BLOCK_SECTORS || sectors / RAIDX_BLOCK_SECTORS < end)
		return "superblock: place of the second superblock out of range";
	if (sectors / RAIDX_BLOCK_SECTORS >= device_blocks)
		return "superblock: the device is smaller than when the set was made";
	return NULL;
}

/* Sizes that are kept in sectors and must be whole blocks. */
static bool sectors_are_blocks(const struct raidx_disk_super *super)
{
	u64 all = le32_to_cpu(super->chunk_sectors) | le32_to_cpu(super->stripe_sectors) |
		  le32_to_cpu(super->extent_sectors) | le32_to_cpu(super->segment_sectors) |
		  le64_to_cpu(super->anchor_start) | le64_to_cpu(super->log_start) |
		  le64_to_cpu(super->data_start) | le64_to_cpu(super->length_sectors);

	return all % RAIDX_BLOCK_SECTORS == 0;
}

static bool tunables_valid(const struct raidx_disk_tunables *tunables)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tunables->low); i++)
		if (tunables->low[i] > 100 || tunables->high[i] > 100)
			return false;
	return tunables->compression < RAIDX_NR_COMPRESSIONS && !tunables->low[3] && !tunables->high[3] &&
	       is_zero(tunables->reserved, sizeof(tunables->reserved));
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
	if (le32_to_cpu(super->flags) & ~(RAIDX_SUPER_CLEAN | RAIDX_SUPER_CREATING))
		return "superblock: unknown flags";
	if (!tunables_valid(&super->tunables))
		return "superblock: tunables out of range";
	if (!sectors_are_blocks(super))
		return "superblock: a size is not a multiple of 4 KiB";
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
	memset(page, 0, sizeof(*page));	/* the head; the payload stays */
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

/* Is this a level that rows of the set may have?  (Packed rows belong to a feature not known here.) */
static bool is_row_level(u8 level, const struct raidx_geometry *geo)
{
	return level == RAIDX_LEVEL_RAID1 || (level == RAIDX_LEVEL_RAID5 && geo->parity == 1) ||
	       (level == RAIDX_LEVEL_RAID6 && geo->parity == 2);
}

static u64 table_pages(const struct raidx_geometry *geo, u8 table)
{
	switch (table) {
	case RAIDX_TABLE_MAP:
		return geo->map_pages;
	case RAIDX_TABLE_ROW:
		return geo->row_pages;
	case RAIDX_TABLE_HEAT:
		return geo->heat_pages;
	default:
		return 0;
	}
}

static bool columns_valid(const struct raidx_disk_extent *column, u32 width, const struct raidx_geometry *geo)
{
	u64 seen = 0;
	u32 i;

	for (i = 0; i < width; i++, column++) {
		if (column->slot >= geo->nr_slots || seen & 1ULL << column->slot || column->flags > 1 ||
		    column->reserved)
			return false;
		seen |= 1ULL << column->slot;
	}
	return true;
}

/* What block group pages and GROUP records have in common; level is not NONE. */
static const char *check_shape(const struct raidx_geometry *geo, u8 level, u32 width, u8 table, u32 unit, u32 rows)
{
	if (width < geo->copies || width > geo->nr_slots)
		return "block group: width out of range";
	if (level == RAIDX_LEVEL_TABLE) {
		if ((u64)unit * raidx_unit_pages(geo) >= table_pages(geo, table))
			return "block group: table or unit out of range";
		return width <= RAIDX_MAX_COPIES && !rows ? NULL : "block group: more columns or rows than a table has";
	}
	if (!is_row_level(level, geo))
		return "block group: unknown level";
	/* Also the division in the chunk's size is safe from here on: width > parity. */
	if (!rows || rows != raidx_group_nr_rows(geo, level, width))
		return "block group: number of rows out of range";
	return table || unit ? "block group: a table where there is none" : NULL;
}

const char *raidx_group_check(const struct raidx_disk_group *group, const struct raidx_geometry *geo)
{
	u32 rows = le32_to_cpu(group->rows), row;
	const char *error;

	if (group->level == RAIDX_LEVEL_NONE)
		return NULL;
	error = check_shape(geo, group->level, group->width, group->table, le32_to_cpu(group->unit), rows);
	if (error)
		return error;
	if (group->flags || group->reserved)
		return "block group: reserved bytes are not zero";
	if (!columns_valid(group->column, group->width, geo))
		return "block group: columns out of range";
	for (row = rows; row % 8; row++)
		if (group->used[row / 8] & 1u << row % 8)
			return "block group: rows in use beyond its end";
	if (!is_zero(group->used + row / 8, sizeof(group->used) - row / 8))
		return "block group: rows in use beyond its end";
	return NULL;
}

bool raidx_map_valid(const struct raidx_disk_map *map, const struct raidx_geometry *geo)
{
	if (map->flags & ~(RAIDX_MAP_INCOMPRESSIBLE | RAIDX_MAP_PINNED | RAIDX_MAP_DEGRADED) || map->reserved ||
	    map->offset || !is_zero(map->frame_sectors, sizeof(map->frame_sectors)))
		return false;
	if (map->level == RAIDX_LEVEL_NONE)
		return !map->group && !map->row;
	return is_row_level(map->level, geo) && le32_to_cpu(map->group) < geo->max_groups &&
	       le32_to_cpu(map->row) < geo->group_rows;
}

u32 raidx_entry_room(const struct raidx_disk_entry *entry)
{
	return RAIDX_ENTRY_RECORD_BYTES - le16_to_cpu(entry->record_bytes);
}

void *raidx_entry_add(struct raidx_disk_entry *entry, u8 type, u32 bytes, u32 count)
{
	u32 used = le16_to_cpu(entry->record_bytes);
	struct raidx_disk_record *record;

	if (bytes < sizeof(*record) || bytes > RAIDX_ENTRY_RECORD_BYTES - used)
		return NULL;
	bytes = round_up(bytes, 8);	/* what is left is a multiple of 8 too */
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

static bool row_fits(__le32 group, __le32 row, const struct raidx_geometry *geo)
{
	return le32_to_cpu(group) < geo->max_groups && le32_to_cpu(row) < geo->group_rows;
}

/* Checksums that a row record has room for. */
static u32 max_crcs(const struct raidx_geometry *geo)
{
	if (geo->row_record_bytes < sizeof(struct raidx_disk_row))
		return 0;
	return (geo->row_record_bytes - sizeof(struct raidx_disk_row)) / 4;
}

static bool map_record_valid(const struct raidx_disk_record_map *map, u32 count, const struct raidx_geometry *geo)
{
	return le64_to_cpu(map->stripe) < geo->nr_stripes && raidx_map_valid(&map->old, geo) &&
	       raidx_map_valid(&map->new, geo) && count <= max_crcs(geo);
}

static bool group_record_valid(const struct raidx_disk_record_group *group, u32 count,
			       const struct raidx_geometry *geo)
{
	if (le32_to_cpu(group->group) >= geo->max_groups || group->reserved0)
		return false;
	if (group->level == RAIDX_LEVEL_NONE)
		return true;
	return !check_shape(geo, group->level, count, group->table, le32_to_cpu(group->unit),
			    le32_to_cpu(group->rows)) &&
	       columns_valid(group->column, count, geo);
}

static bool in_place_record_valid(const struct raidx_disk_record_in_place *record, u32 count,
				  const struct raidx_geometry *geo)
{
	return le64_to_cpu(record->stripe) < geo->nr_stripes && row_fits(record->group, record->row, geo) &&
	       !record->reserved && range_fits(le32_to_cpu(record->first), count, max_crcs(geo));
}

/* Records that name a range of logical blocks: all are a head and two 64-bit numbers. */
static bool range_record_valid(const struct raidx_disk_record *record, u64 total)
{
	const struct raidx_disk_record_zero *range = (const void *)record;

	static_assert(sizeof(struct raidx_disk_record_lost) == sizeof(struct raidx_disk_record_zero));
	static_assert(sizeof(struct raidx_disk_record_written) == sizeof(struct raidx_disk_record_zero));
	return range_fits(le64_to_cpu(range->block), le64_to_cpu(range->blocks), total);
}

/* Bytes of a record of this type and count; 0 = there is no such type. */
static u32 record_need(u8 type, u32 count)
{
	switch (type) {
	case RAIDX_RECORD_DATA:
		return sizeof(struct raidx_disk_record_data) + 4 * count;
	case RAIDX_RECORD_ZERO:
	case RAIDX_RECORD_LOST:
	case RAIDX_RECORD_WRITTEN:
		return sizeof(struct raidx_disk_record_zero);
	case RAIDX_RECORD_MAP:
		return sizeof(struct raidx_disk_record_map) + 4 * count;
	case RAIDX_RECORD_GROUP:
		return sizeof(struct raidx_disk_record_group) + sizeof(struct raidx_disk_extent) * count;
	case RAIDX_RECORD_REVOKE:
		return sizeof(struct raidx_disk_record_revoke);
	case RAIDX_RECORD_PARITY:
	case RAIDX_RECORD_IN_PLACE:
		return sizeof(struct raidx_disk_record_in_place) + 4 * count;
	case RAIDX_RECORD_ACTIVE:
		return sizeof(struct raidx_disk_record_active) + 4 * count;
	default:
		return 0;
	}
}

/* Is the record whole, and everything it says within range?  @left: bytes that the entry has from it on. */
static bool record_valid(const struct raidx_disk_record *record, u32 left, const struct raidx_geometry *geo)
{
	u32 size, count, need;

	if (left < sizeof(*record))
		return false;
	size = le16_to_cpu(record->bytes);
	count = le32_to_cpu(record->count);
	if (size < sizeof(*record) || size > left || size % 8 || count > RAIDX_BLOCK_BYTES)
		return false;
	need = record_need(record->type, count);
	if (!need || need > size)
		return false;
	switch (record->type) {
	case RAIDX_RECORD_DATA:
		return range_fits(le64_to_cpu(((const struct raidx_disk_record_data *)record)->block), count,
				  geo->length_blocks);
	case RAIDX_RECORD_ZERO:
	case RAIDX_RECORD_LOST:
		return range_record_valid(record, geo->length_blocks);
	case RAIDX_RECORD_WRITTEN:
		return range_record_valid(record, DIV_ROUND_UP_ULL(geo->length_blocks, WRITTEN_UNIT_BLOCKS));
	case RAIDX_RECORD_MAP:
		return map_record_valid((const void *)record, count, geo);
	case RAIDX_RECORD_GROUP:
		return group_record_valid((const void *)record, count, geo);
	case RAIDX_RECORD_REVOKE:
		return row_fits(((const struct raidx_disk_record_revoke *)record)->group,
				((const struct raidx_disk_record_revoke *)record)->row, geo);
	case RAIDX_RECORD_PARITY:
	case RAIDX_RECORD_IN_PLACE:
		return in_place_record_valid((const void *)record, count, geo);
	default:
		return true; /* ACTIVE: regions are the level's own numbers */
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
	    !is_zero(entry->reserved1, sizeof(entry->reserved1)) ||
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
