/* SPDX-License-Identifier: GPL-2.0-only */
/* Encoding, sealing and checking of on-disk structures.  Pure; compiled in user space too. */
#ifndef RAIDX_CODEC_H
#define RAIDX_CODEC_H

#include <raidx/geometry.h>

/* crc32c, seed ~0, of @bytes bytes. */
u32 raidx_crc32c(const void *data, size_t bytes);

/* Fill magic, version, bytes and crc. */
void raidx_super_seal(struct raidx_disk_super *super);

/**
 * raidx_super_check() - may this superblock be believed?
 * @super: one block as read.
 * @device_blocks: size of the member.
 *
 * Checks magic, crc, version, reserved bytes, feature words (unknown incompat bit), every range.
 * Return: NULL when it is good; else a static sentence. RAIDX_SUPER_ABSENT when there is no magic.
 */
const char *raidx_super_check(const struct raidx_disk_super *super, u64 device_blocks);
extern const char RAIDX_SUPER_ABSENT[];

/**
 * raidx_super_is_newer() - which of two superblocks of a set is to be believed?
 * @a: one.
 * @b: the other.
 *
 * By events, then epoch, then checkpoint, then generation of the segment map.  A power cut in the middle of writing
 * them leaves both versions; once the newer has been seen it must win every time, since the next checkpoint
 * overwrites what the older one points at.
 * Return: @b is newer than @a.
 */
bool raidx_super_is_newer(const struct raidx_disk_super *a, const struct raidx_disk_super *b);

/* Geometry <-> superblock fields. */
void raidx_super_get_geometry(const struct raidx_disk_super *super, struct raidx_geometry *geo);
void raidx_super_set_geometry(struct raidx_disk_super *super, const struct raidx_geometry *geo);

/* Fill the head of a page whose payload is ready. */
void raidx_page_seal(struct raidx_disk_page *page, const u8 *set_uuid, u8 table, u64 number,
		     u64 generation);

/**
 * raidx_page_check() - is this the page it should be?
 * @page: one block as read.
 * @set_uuid: the set.
 * @table: enum raidx_table.
 * @number: page number within it.
 *
 * Return: 0; -ENODATA when the magic is missing; -EILSEQ for a wrong crc; -ESTALE when it belongs to
 * another set, table or number.
 */
int raidx_page_check(const struct raidx_disk_page *page, const u8 *set_uuid, u8 table, u64 number);

/* NULL, or what is wrong with a group page's payload (ranges against @geo, columns on distinct slots). */
const char *raidx_group_check(const struct raidx_disk_group *group, const struct raidx_geometry *geo);

/* Is this map entry within range?  (level, group < max_groups, row < group_rows, flags) */
bool raidx_map_valid(const struct raidx_disk_map *map, const struct raidx_geometry *geo);

/* Reserve @bytes (rounded up to 8) for a record in @entry; NULL when it does not fit. Head is filled. */
void *raidx_entry_add(struct raidx_disk_entry *entry, u8 type, u32 bytes, u32 count);

/* Room left for records, bytes. */
u32 raidx_entry_room(const struct raidx_disk_entry *entry);

/* Fill magic, uuid and crc; the other fields are set by the caller. */
void raidx_entry_seal(struct raidx_disk_entry *entry, const u8 *set_uuid);

/**
 * raidx_entry_check() - is this block a whole and sane entry header of this set, of @epoch or later?
 * @entry: one block as read.
 * @set_uuid: the set.
 * @epoch: the earliest start that counts.
 * @geo: geometry of the set.
 *
 * Walks all records: sizes, types, counts, block ranges against @geo, and that the payload blocks of the
 * records add up to nr_blocks.
 * Return: 0; -ENODATA (no such entry: magic, uuid, epoch); -EILSEQ (crc); -EUCLEAN (crc good, content not).
 */
int raidx_entry_check(const struct raidx_disk_entry *entry, const u8 *set_uuid, u64 epoch,
		      const struct raidx_geometry *geo);

/* Next record of a checked entry after @prev (NULL = first); NULL at the end. */
const struct raidx_disk_record *raidx_entry_next(const struct raidx_disk_entry *entry,
						 const struct raidx_disk_record *prev);

/* Payload blocks that a record has. */
u32 raidx_record_blocks(const struct raidx_disk_record *record);

#endif /* RAIDX_CODEC_H */
