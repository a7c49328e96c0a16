/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * raidx on-disk format, version 1.  Shared by the module and by raidxctl.
 *
 * Everything is little-endian and naturally aligned.  Every structure starts with a magic and a
 * crc32c of itself (taken with the crc field zero, seed ~0) and carries the set UUID where it could
 * be mistaken for that of another set.  Reserved bytes are zero when written and checked when read.
 * A member looks like this (block = 4 KiB):
 *
 *   block 0          left alone (boot code, partition tables)
 *   block 1          superblock A
 *   anchor_start     anchor pages, two homes each: block groups, roots, lost blocks, written bits
 *   log_start        slots for log segments
 *   data_start       extents
 *   last block       superblock B
 *
 * docs/format.md says byte by byte what is here; a test compares the two.
 */
#ifndef RAIDX_FORMAT_H
#define RAIDX_FORMAT_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <linux/types.h>
#endif

#define RAIDX_FORMAT_VERSION	1

#define RAIDX_BLOCK_BYTES	4096	/* the unit of logging, dirty tracking and checksums */
#define RAIDX_BLOCK_SHIFT	12
#define RAIDX_BLOCK_SECTORS	8	/* 512-byte sectors in a block */

#define RAIDX_MAX_MEMBERS	64
#define RAIDX_MAX_COPIES	3	/* tolerance + 1 */
#define RAIDX_MAX_LANES		4	/* independent append points of the log */
#define RAIDX_MAX_SEGMENTS	64	/* segments in the log's ring */
#define RAIDX_MAX_STRIPE_BLOCKS	256	/* a logical stripe is at most 1 MiB */
#define RAIDX_MAX_GROUP_ROWS	16384
#define RAIDX_MAX_FRAMES	16	/* compressed frames of one logical stripe */
#define RAIDX_UUID_BYTES	16
#define RAIDX_NAME_BYTES	32
#define RAIDX_SUPER_A_BLOCK	1	/* where superblock A is, in blocks */

#define RAIDX_SUPER_MAGIC	0x53786472	/* "rdxS" */
#define RAIDX_PAGE_MAGIC	0x50786472	/* "rdxP" */
#define RAIDX_ENTRY_MAGIC	0x45786472	/* "rdxE" */
#define RAIDX_PACK_MAGIC	0x4b786472	/* "rdxK" */
#define RAIDX_HEAT_MAGIC	0x48786472	/* "rdxH" */

/* Feature words.  A bit is set only when the feature is in use. */
#define RAIDX_FEATURE_COMPAT_KNOWN	0u
#define RAIDX_FEATURE_RO_COMPAT_KNOWN	0u
#define RAIDX_INCOMPAT_COMPRESSION	(1u << 0)	/* craid5 homes exist */
#define RAIDX_INCOMPAT_PARITY2		(1u << 1)	/* RAID 6 rows, three copies */
#define RAIDX_INCOMPAT_IN_PLACE		(1u << 2)	/* PARITY and IN_PLACE records occur */
#define RAIDX_FEATURE_INCOMPAT_KNOWN	0u

/* Level of a set (superblock) and of a block group. */
enum raidx_level {
	RAIDX_LEVEL_NONE = 0,	/* a free block group; an unmapped stripe */
	RAIDX_LEVEL_RAID0 = 1,
	RAIDX_LEVEL_RAID1 = 2,
	RAIDX_LEVEL_RAID10 = 3,
	RAIDX_LEVEL_RAID5 = 4,
	RAIDX_LEVEL_RAID6 = 5,
	RAIDX_LEVEL_CRAID5 = 6,
	RAIDX_LEVEL_TSS = 7,
	RAIDX_LEVEL_TABLE = 8,	/* block groups that hold table pages */
	RAIDX_NR_LEVELS
};

/* State of a slot.  Recorded for all slots in every superblock. */
enum raidx_slot_state {
	RAIDX_SLOT_EMPTY = 0,		/* no member was ever here */
	RAIDX_SLOT_IN_SYNC = 1,
	RAIDX_SLOT_CATCHING_UP = 2,	/* writes go there, reads do not */
	RAIDX_SLOT_FAILED = 3,		/* missed events; never read */
	RAIDX_SLOT_SPARE = 4,
	RAIDX_NR_SLOT_STATES
};

#define RAIDX_SUPER_CLEAN	(1u << 0)	/* stopped in order: the log holds nothing */
#define RAIDX_SUPER_CREATING	(1u << 1)	/* create has not finished; may be repeated */

/**
 * struct raidx_disk_slot - what a superblock says of one slot.
 * @member_uuid: UUID of the member in this slot; zero when empty.
 * @data_sectors: sectors of its extent area.
 * @state: enum raidx_slot_state.
 * @flags: reserved, zero.
 * @cost_class: index of the measured cost class; 0 = not measured.
 * @fail_events: low 32 bits of the event count that recorded the failure.
 */
struct raidx_disk_slot {
	__u8	member_uuid[RAIDX_UUID_BYTES];
	__le64	data_sectors;
	__u8	state;
	__u8	flags;
	__le16	cost_class;
	__le32	fail_events;
};

/**
 * struct raidx_disk_segment - where the copies of one log segment are.
 * @slot: member slot of each copy; 0xff = this copy does not exist (its member failed).
 * @index: segment slot within that member's log area.
 * @lane: the lane that appends to this segment.
 * @reserved: zero.
 */
struct raidx_disk_segment {
	__u8	slot[RAIDX_MAX_COPIES];
	__u8	index[RAIDX_MAX_COPIES];
	__u8	lane;
	__u8	reserved;
};

#define RAIDX_NO_SLOT	0xff

/**
 * struct raidx_disk_lane_tail - where replay of one lane starts.
 * @lane_seq: lane sequence of the first entry at or after the tail.
 * @segment: segment number of it.
 * @block: block offset in the segment.
 */
struct raidx_disk_lane_tail {
	__le64	lane_seq;
	__le32	segment;
	__le32	block;
};

/*
 * struct raidx_disk_tunables - what was set by hand; 0 = the default.
 * Percent, milliseconds, KiB/s as the names say.  docs/interface.md describes each.
 */
struct raidx_disk_tunables {
	__u8	policy;			/* enum tss_policy_kind */
	__u8	compression;		/* enum raidx_compression */
	__u8	verify_always;
	__u8	decay_shift;
	__u8	low[4];			/* raid1, raid5, craid5, reserved: low water percent */
	__u8	high[4];
	__le32	raid1_raid5_interval_ms;
	__le32	raid5_craid5_interval_ms;
	__le32	aging_interval_ms;
	__le32	decay_interval_ms;
	__le32	migrate_kbps_max;
	__le32	idle_ms;
	__le32	commit_ms;
	__le32	max_read_errors;
	__le32	rebuild_kbps_max;
	__le32	scrub_kbps_max;
	__le32	frame_kib;
	__le32	compression_level;
	__u8	reserved[68];
};

/*
 * struct raidx_disk_super - superblock, one block at 4 KiB and one at the member's end.
 *
 * The copy with a valid crc and the higher @events wins; among equal ones A.  Written A then B, each
 * FUA, so that one whole copy is always there.
 */
struct raidx_disk_super {
	__le32	magic;			/*    0  RAIDX_SUPER_MAGIC */
	__le32	crc;			/*    4  crc32c of the block with this field zero */
	__le16	version;		/*    8  RAIDX_FORMAT_VERSION */
	__le16	bytes;			/*   10  sizeof(struct raidx_disk_super) */
	__le32	feature_compat;		/*   12  unknown bit: ignore */
	__le32	feature_ro_compat;	/*   16  unknown bit: read-only */
	__le32	feature_incompat;	/*   20  unknown bit: refuse */
	__u8	set_uuid[RAIDX_UUID_BYTES];	/*   24 */
	__u8	set_name[RAIDX_NAME_BYTES];	/*   40  NUL padded */
	__u8	member_uuid[RAIDX_UUID_BYTES];	/*   72 */
	__u8	slot;			/*   88  this member's slot */
	__u8	level;			/*   89  enum raidx_level of the set */
	__u8	parity;			/*   90  failures tolerated: 0, 1, 2 */
	__u8	nr_slots;		/*   91 */
	__u8	copies;			/*   92  copies of log, tables and the mirrored tier */
	__u8	nr_lanes;		/*   93 */
	__u8	nr_spares;		/*   94 */
	__u8	overprovision;		/*   95 */
	__le64	events;			/*   96  raised at each change of any slot's state */
	__le64	epoch;			/*  104  raised at each start */
	__u8	start_id[RAIDX_UUID_BYTES];	/*  112  random, of the last start without all members */
	__le64	absentees;		/*  128  bit per slot missing at that start */
	__le32	flags;			/*  136  RAIDX_SUPER_CLEAN ... */
	__le32	segment_map_generation;	/*  140 */
	__u8	owner[RAIDX_UUID_BYTES];	/*  144  host that runs the set; zero = none */
	__le64	owner_seconds;		/*  160  when it was last confirmed */
	__le64	length_sectors;		/*  168  capacity promised */
	__le64	super_b_sector;		/*  176 */
	__le32	chunk_sectors;		/*  184 */
	__le32	stripe_sectors;		/*  188  a logical stripe */
	__le32	extent_sectors;		/*  192 */
	__le32	segment_sectors;	/*  196 */
	__le64	anchor_start;		/*  200  sectors */
	__le64	log_start;		/*  208  sectors */
	__le64	data_start;		/*  216  sectors */
	__le32	segment_slots;		/*  224  segment slots in each member's log area */
	__le32	nr_segments;		/*  228 */
	__le32	max_groups;		/*  232  block groups the anchor area has room for */
	__le32	group_rows;		/*  236  row records per block group */
	__le32	root_pages;		/*  240 */
	__le32	lost_pages;		/*  244 */
	__le32	written_pages;		/*  248  static mirrors only */
	__le32	row_record_bytes;	/*  252 */
	__le64	map_pages;		/*  256  pages of the map table */
	__le64	row_pages;		/*  264 */
	__le64	heat_pages;		/*  272 */
	__le64	checkpoint;		/*  280  generation of the last whole checkpoint */
	__le64	tail_seq;		/*  288  first sequence that replay needs */
	struct raidx_disk_lane_tail lane_tail[RAIDX_MAX_LANES];	/*  296 */
	__le64	create_seconds;		/*  360 */
	__le32	groups_used;		/*  368  group pages beyond this were never written */
	__le32	reserved0;		/*  372 */
	struct raidx_disk_tunables tunables;	/*  376 */
	__le64	checkpoint_seq;		/*  504  records up to here are in the checkpointed pages */
	__u8	reserved1[128];		/*  512 */
	struct raidx_disk_segment segment[RAIDX_MAX_SEGMENTS];	/*  640 */
	struct raidx_disk_slot member[RAIDX_MAX_MEMBERS];	/* 1152 */
	__u8	reserved2[896];		/* 3200 */
};

static_assert(sizeof(struct raidx_disk_slot) == 32);
static_assert(sizeof(struct raidx_disk_segment) == 8);
static_assert(sizeof(struct raidx_disk_lane_tail) == 16);
static_assert(sizeof(struct raidx_disk_tunables) == 128);
static_assert(sizeof(struct raidx_disk_super) == RAIDX_BLOCK_BYTES);

/* ---- pages: anchor pages and table pages ------------------------------------------------- */

/* What a page belongs to. */
enum raidx_table {
	RAIDX_TABLE_GROUP = 0,		/* anchor: one block group a page */
	RAIDX_TABLE_ROOT = 1,		/* anchor: a byte per table page */
	RAIDX_TABLE_LOST = 2,		/* anchor: ranges of lost blocks */
	RAIDX_TABLE_WRITTEN = 3,	/* anchor: a bit per 64 KiB unit of a static mirror */
	RAIDX_TABLE_MAP = 4,		/* paged: logical stripe -> home */
	RAIDX_TABLE_ROW = 5,		/* paged: owner and checksums of each row */
	RAIDX_TABLE_HEAT = 6,		/* paged: temperature of each logical stripe */
	RAIDX_NR_TABLES
};

/**
 * struct raidx_disk_page - head of every anchor and table page; the payload follows.
 * @magic: RAIDX_PAGE_MAGIC.
 * @crc: crc32c of the page with this field zero.
 * @set_uuid: the set.
 * @number: page number within its table.
 * @generation: checkpoint that wrote it (anchor), or count of its writes (table pages).
 * @table: enum raidx_table.
 * @reserved: zero.
 */
struct raidx_disk_page {
	__le32	magic;
	__le32	crc;
	__u8	set_uuid[RAIDX_UUID_BYTES];
	__le64	number;
	__le64	generation;
	__u8	table;
	__u8	reserved[23];
};

static_assert(sizeof(struct raidx_disk_page) == 64);

#define RAIDX_PAGE_PAYLOAD	(RAIDX_BLOCK_BYTES - 64)

/*
 * A root: what is expected of one table page.  Bits 0-1: 0 = never written (all records zero),
 * 1 = home 0 is current, 2 = home 1; bits 2-7: low bits of the page's generation.
 */
#define RAIDX_ROOT_NEVER	0
#define RAIDX_ROOT_HOME(root)	(((root) & 3) - 1)
#define RAIDX_ROOT_GENERATION(root)	((root) >> 2)
#define RAIDX_ROOT(home, generation)	((__u8)(((home) + 1) | (((generation) & 63) << 2)))
#define RAIDX_ROOTS_PER_PAGE	RAIDX_PAGE_PAYLOAD

/**
 * struct raidx_disk_extent - one column of a block group.
 * @extent: extent number on the member.
 * @slot: the member.
 * @flags: bit 0: the member missed writes to this column.
 * @reserved: zero.
 */
struct raidx_disk_extent {
	__le32	extent;
	__u8	slot;
	__u8	flags;
	__le16	reserved;
};

/*
 * struct raidx_disk_group - payload of a RAIDX_TABLE_GROUP page: one block group.
 * @level: enum raidx_level; NONE = free, nothing else counts then.
 * @width: columns.
 * @table: for RAIDX_LEVEL_TABLE: enum raidx_table.
 * @flags: reserved, zero.
 * @unit: for RAIDX_LEVEL_TABLE: which run of that table's pages it holds.
 * @rows: rows in it.
 * @created: creation number, rising; tells a group from an earlier one of the same number.
 * @column: the extents.
 * @used: bit per row in use.
 */
struct raidx_disk_group {
	__u8	level;
	__u8	width;
	__u8	table;
	__u8	flags;
	__le32	unit;
	__le32	rows;
	__le32	reserved;
	__le64	created;
	struct raidx_disk_extent column[RAIDX_MAX_MEMBERS];
	__u8	used[RAIDX_MAX_GROUP_ROWS / 8];
};

static_assert(sizeof(struct raidx_disk_extent) == 8);
static_assert(sizeof(struct raidx_disk_group) <= RAIDX_PAGE_PAYLOAD);

/**
 * struct raidx_disk_lost - a range of logical blocks that could not be recovered.
 * @first: first logical block.
 * @count: blocks; 0 = this record is free.
 * @reserved: zero.
 */
struct raidx_disk_lost {
	__le64	first;
	__le32	count;
	__le32	reserved;
};

#define RAIDX_LOST_PER_PAGE	(RAIDX_PAGE_PAYLOAD / sizeof(struct raidx_disk_lost))

#define RAIDX_WRITTEN_UNIT_SECTORS	128	/* static mirrors: one written bit per 64 KiB */
#define RAIDX_WRITTEN_PER_PAGE		(RAIDX_PAGE_PAYLOAD * 8)

/**
 * struct raidx_disk_map - home of one logical stripe.  All zero = unmapped, reads as zeroes.
 * @group: block group.
 * @row: row in it.
 * @level: enum raidx_level of the home.
 * @flags: RAIDX_MAP_*.
 * @offset: craid5: sector in the packed row's data where the first frame begins.
 * @reserved: zero.
 * @frame_sectors: craid5: sectors of each frame; 0 = a frame of zeroes.
 */
struct raidx_disk_map {
	__le32	group;
	__le32	row;
	__u8	level;
	__u8	flags;
	__le16	offset;
	__le32	reserved;
	__u8	frame_sectors[RAIDX_MAX_FRAMES];
};

#define RAIDX_MAP_INCOMPRESSIBLE	(1u << 0)	/* did not shrink; not tried again until rewritten */
#define RAIDX_MAP_PINNED		(1u << 1)	/* kept at its level by hand */
#define RAIDX_MAP_DEGRADED		(1u << 2)	/* written without full redundancy */
#define RAIDX_MAPS_PER_PAGE		(RAIDX_PAGE_PAYLOAD / sizeof(struct raidx_disk_map))

static_assert(sizeof(struct raidx_disk_map) == 32);

/**
 * struct raidx_disk_row - who owns a row, and the checksums of its blocks.
 * @owner: logical stripe + 1; RAIDX_ROW_PACKED for a packed row (its directory block tells); 0 = never used.
 * @seq: sequence of the MAP record that wrote it; the highest one wins when the map is rebuilt.
 * @live_sectors: packed rows: sectors still in use.
 * @reserved: zero.
 * @crc: crc32c of each block: the stripe's data blocks in logical order, then the parity blocks.
 *
 * A row that was left keeps its record: it counts only while the map points at it.
 * The record's size is row_record_bytes of the superblock.
 */
struct raidx_disk_row {
	__le64	owner;
	__le64	seq;
	__le32	live_sectors;
	__le32	reserved[3];
	__le32	crc[];
};

#define RAIDX_ROW_PACKED	0xffffffffffffffffULL

/**
 * struct raidx_disk_heat - temperature of one logical stripe.
 * @read: decayed count of intervals with a read.
 * @write: the same for writes.
 * @flags: bit 0: read, bit 1: written in the present interval.
 * @reserved: zero.
 */
struct raidx_disk_heat {
	__u8	read;
	__u8	write;
	__u8	flags;
	__u8	reserved;
};

#define RAIDX_HEAT_READ		(1u << 0)
#define RAIDX_HEAT_WRITTEN	(1u << 1)
#define RAIDX_HEATS_PER_PAGE	(RAIDX_PAGE_PAYLOAD / sizeof(struct raidx_disk_heat))

/* ---- packed rows (craid5) ----------------------------------------------------------------- */

/**
 * struct raidx_disk_packed - one stripe in a packed row's directory.
 * @stripe: logical stripe.
 * @offset: sector in the row's data.
 * @sectors: sectors of all its frames.
 * @reserved: zero.
 */
struct raidx_disk_packed {
	__le64	stripe;
	__le16	offset;
	__le16	sectors;
	__le32	reserved;
};

/**
 * struct raidx_disk_pack - directory, the first block of a packed row's data.
 * @magic: RAIDX_PACK_MAGIC.
 * @crc: of the block with this field zero.
 * @set_uuid: the set.
 * @count: stripes.
 * @reserved: zero.
 * @stripe: the stripes.
 */
struct raidx_disk_pack {
	__le32	magic;
	__le32	crc;
	__u8	set_uuid[RAIDX_UUID_BYTES];
	__le16	count;
	__u8	reserved[38];
	struct raidx_disk_packed stripe[252];
};

/*
 * struct raidx_disk_frame - head of a compressed frame.
 * @crc: crc32c of the compressed bytes.
 * @bytes: compressed bytes that follow.
 * @algorithm: enum raidx_compression; NONE = stored.
 * @index: frame number within its stripe.
 */
struct raidx_disk_frame {
	__le32	crc;
	__le32	bytes;
	__u8	algorithm;
	__u8	index;
	__le16	reserved;
	__le32	stripe_low;
};

static_assert(sizeof(struct raidx_disk_pack) == RAIDX_BLOCK_BYTES);
static_assert(sizeof(struct raidx_disk_frame) == 16);

enum raidx_compression {
	RAIDX_COMPRESSION_NONE = 0,
	RAIDX_COMPRESSION_LZ4 = 1,
	RAIDX_COMPRESSION_ZSTD = 2,
	RAIDX_NR_COMPRESSIONS
};

/* ---- log ------------------------------------------------------------------------------------ */

/*
 * struct raidx_disk_entry - head of a log entry: one block, followed by @nr_blocks blocks of payload.
 * @magic: RAIDX_ENTRY_MAGIC.
 * @crc: crc32c of the block with this field zero.
 * @set_uuid: the set.
 * @epoch: of the start that wrote it.
 * @seq: global sequence; +1 for each entry of an epoch, over all lanes.
 * @lane_seq: +1 for each entry of this lane.
 * @tail_seq: the tail when the entry was made.
 * @durable_seq: every entry up to this one was known durable: replay needs only their headers.
 * @record_bytes: bytes of records, from byte 128 on.
 * @nr_blocks: payload blocks.
 * @lane: the lane.
 * @flags: reserved, zero.
 * @reserved: zero.
 *
 * An entry does not cross the end of a segment: the next one of the lane is right behind it, or at the
 * start of the lane's next segment.
 */
struct raidx_disk_entry {
	__le32	magic;
	__le32	crc;
	__u8	set_uuid[RAIDX_UUID_BYTES];
	__le64	epoch;
	__le64	seq;
	__le64	lane_seq;
	__le64	tail_seq;
	__le64	durable_seq;
	__le16	record_bytes;
	__le16	nr_blocks;
	__u8	lane;
	__u8	flags;
	__le16	reserved0;
	__u8	reserved1[56];
};

static_assert(sizeof(struct raidx_disk_entry) == 128);

#define RAIDX_ENTRY_RECORD_BYTES	(RAIDX_BLOCK_BYTES - 128)
#define RAIDX_ENTRY_MAX_BLOCKS		127	/* payload; with its header 512 KiB */

enum raidx_record_type {
	RAIDX_RECORD_DATA = 1,
	RAIDX_RECORD_ZERO = 2,
	RAIDX_RECORD_MAP = 3,
	RAIDX_RECORD_GROUP = 4,
	RAIDX_RECORD_REVOKE = 5,
	RAIDX_RECORD_PARITY = 6,	/* in-place: new content of parity blocks (with payload) */
	RAIDX_RECORD_IN_PLACE = 7,	/* in-place: a row is about to take logged blocks */
	RAIDX_RECORD_ACTIVE = 8,
	RAIDX_RECORD_LOST = 9,
	RAIDX_RECORD_WRITTEN = 10,
	RAIDX_NR_RECORD_TYPES
};

/**
 * struct raidx_disk_record - head of every record.
 * @type: enum raidx_record_type.
 * @flags: of the type.
 * @bytes: of the whole record with this head; a multiple of 8.
 * @count: blocks, checksums, columns or regions that follow.
 */
struct raidx_disk_record {
	__u8	type;
	__u8	flags;
	__le16	bytes;
	__le32	count;
};

/*
 * struct raidx_disk_record_data - DATA: @head.count logged blocks from @block on.
 * Their payload follows in the order of the records.
 */
struct raidx_disk_record_data {
	struct raidx_disk_record head;
	__le64	block;		/* first logical block */
	__le32	crc[];		/* crc32c of each */
};

/* ZERO: @blocks logical blocks from @block on read as zeroes. */
struct raidx_disk_record_zero {
	struct raidx_disk_record head;
	__le64	block;
	__le64	blocks;
};

#define RAIDX_RECORD_ZERO_DISCARD	(1u << 0)	/* from a discard, not from write zeroes */

/*
 * struct raidx_disk_record_map - MAP: a stripe has a new home.
 * @stripe: logical stripe.
 * @absorbed_seq: logged blocks of the stripe up to this sequence are in the new home.
 * @old: home that it leaves (its row becomes free).
 * @new: home from now on.
 * @crc: @head.count checksums of the new row, as in struct raidx_disk_row.
 */
struct raidx_disk_record_map {
	struct raidx_disk_record head;
	__le64	stripe;
	__le64	absorbed_seq;
	struct raidx_disk_map old;
	struct raidx_disk_map new;
	__le32	crc[];
};

/*
 * struct raidx_disk_record_group - GROUP: a block group is made (level) or freed (level NONE).
 * @created: creation number of the group; what it frees, or makes.
 * @column: @head.count columns.
 */
struct raidx_disk_record_group {
	struct raidx_disk_record head;
	__le32	group;
	__u8	level;
	__u8	table;
	__le16	reserved0;
	__le32	unit;
	__le32	rows;
	__le64	created;
	struct raidx_disk_extent column[];
};

/* REVOKE: redo records for this row before here must not be applied. */
struct raidx_disk_record_revoke {
	struct raidx_disk_record head;
	__le32	group;
	__le32	row;
};

/*
 * PARITY and IN_PLACE: an update of a live row.  @head.count blocks from @first (index in the row's
 * checksum array) get the checksums @crc; PARITY has their content as payload, IN_PLACE takes it from
 * the DATA records of the stripe up to @absorbed_seq.
 */
struct raidx_disk_record_in_place {
	struct raidx_disk_record head;
	__le64	stripe;
	__le64	absorbed_seq;
	__le32	group;
	__le32	row;
	__le32	first;
	__le32	reserved;
	__le32	crc[];
};

/* ACTIVE: the set of active regions of a static mirror, whole; @head.count of them. */
struct raidx_disk_record_active {
	struct raidx_disk_record head;
	__le64	generation;
	__le32	region[];
};

/* LOST: blocks are lost, or (RAIDX_RECORD_LOST_HEALED) rewritten. */
struct raidx_disk_record_lost {
	struct raidx_disk_record head;
	__le64	block;
	__le64	blocks;
};

#define RAIDX_RECORD_LOST_HEALED	(1u << 0)

/* WRITTEN: units of a static mirror that are written (or, with the flag, no more). */
struct raidx_disk_record_written {
	struct raidx_disk_record head;
	__le64	unit;
	__le64	units;
};

#define RAIDX_RECORD_WRITTEN_CLEARED	(1u << 0)

static_assert(sizeof(struct raidx_disk_record) == 8);
static_assert(sizeof(struct raidx_disk_record_data) == 16);
static_assert(sizeof(struct raidx_disk_record_zero) == 24);
static_assert(sizeof(struct raidx_disk_record_map) == 88);
static_assert(sizeof(struct raidx_disk_record_group) == 32);
static_assert(sizeof(struct raidx_disk_record_in_place) == 40);

/* ---- heat as read from sysfs ---------------------------------------------------------------- */

/* Head of the binary sysfs file "heat"; one struct raidx_heat_record per logical stripe follows. */
struct raidx_heat_header {
	__le32	magic;		/* RAIDX_HEAT_MAGIC */
	__le16	version;	/* 1 */
	__le16	record_bytes;	/* sizeof(struct raidx_heat_record) */
	__le64	stripes;
	__le32	stripe_sectors;
	__le32	reserved;
};

struct raidx_heat_record {
	__u8	level;		/* enum raidx_level, NONE = unmapped */
	__u8	read;
	__u8	write;
	__u8	flags;		/* RAIDX_MAP_* */
};

#endif /* RAIDX_FORMAT_H */
