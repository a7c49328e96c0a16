/* SPDX-License-Identifier: GPL-2.0-only */
/* Superblocks: reading, building, and making a new set. */
#ifndef RAIDX_SUPERBLOCK_H
#define RAIDX_SUPERBLOCK_H

#include <raidx/codec.h>
#include <raidx/registry.h>

/**
 * raidx_super_read() - read both superblocks of a member and pick the better one.
 * @set: the set.
 * @slot: index into set->member.
 * @super: result: the superblock.
 * @b_block: result: where superblock B is.
 *
 * Context: process, waits for I/O.
 * Return: NULL; else a static sentence, RAIDX_SUPER_ABSENT when there is none at all.
 */
const char *raidx_super_read(struct raidx_set *set, unsigned int slot, struct raidx_disk_super *super, u64 *b_block);

/* Seal set->super for one member into @to. set->lock. */
void raidx_super_fill(const struct raidx_set *set, unsigned int slot, struct raidx_disk_super *to);

/* Take extents and UUIDs of all members from set->super. */
void raidx_super_take_members(struct raidx_set *set);

/*
 * raidx_super_check_create() - may the table's devices be formatted?
 * @table: table with a set of its own, members in the order of the line.
 * @error: result: a static sentence.
 *
 * Plans the geometry into set->geo and looks for superblocks and foreign signatures (unless `force`).
 * Writes nothing.
 */
int raidx_super_check_create(struct raidx_dm_table *table, const char **error);

/*
 * raidx_super_create() - format the table's devices.
 * @table: table whose line says create; checked once more here.
 * @error: result: a static sentence.
 *
 * Superblocks that say CREATING, the level's structures, superblocks that do not.  A crash in between leaves
 * a set that can only be created again.  Context: preresume, set->lock held.
 */
int raidx_super_create(struct raidx_dm_table *table, const char **error);

#endif /* RAIDX_SUPERBLOCK_H */
