/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set: members, superblock, health, life.
 *
 * Lock order (outer first):
 *   raidx_registry_mutex   list of sets; taken by constructor, destructor, preresume
 *   set->lock              mutex, "owner lock": superblock image, slots' states, the level's slow path
 *   level private locks    (pool: see include/raidx/pool.h)
 *   set->member_lock       spinlock, irq-safe: failed mask, member counters' slow part
 * No I/O is waited for below a spinlock; allocations below set->lock use GFP_NOIO.
 */
#ifndef RAIDX_SET_H
#define RAIDX_SET_H

#include <linux/device-mapper.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <raidx/compat.h>
#include <raidx/geometry.h>
#include <raidx/member_io.h>

struct raidx_level_ops;
struct dm_target;

/**
 * struct raidx_member - one underlying device of a set.
 * @bdev: the device; NULL when missing. Changes only while the set is suspended or under set->lock; the
 *        device is kept by the dm_get_device references of the tables.
 * @name: as dm names it ("8:16").
 * @uuid: member UUID.
 * @state: enum raidx_slot_state; read lockless (READ_ONCE), written under set->lock.
 * @device_blocks: size in blocks.
 * @data_extents: whole extents in its data area (static levels: blocks).
 * @needs_flush: set when a non-FUA write completed since the last flush; lockless.
 * @failing: an error was seen, its recording is pending; no further I/O is sent.
 * @read_errors: count.
 * @write_errors: count (failed flushes too).
 * @in_flight: commands under way (for the choice of a mirror copy).
 * @last_block: where the last command ended (same purpose); lockless.
 * @kobj: sysfs members/<slot>.
 */
struct raidx_member {
	struct block_device *bdev;
	char name[16];
	u8 uuid[RAIDX_UUID_BYTES];
	u8 state;
	u64 device_blocks;
	u64 data_extents;
	bool needs_flush;
	bool failing;
	atomic_t read_errors;
	atomic_t write_errors;
	atomic_t in_flight;
	u64 last_block;
	struct kobject kobj;
};

/*
 * struct raidx_set - a set in use by one mapped device (active and inactive table share it).
 */
struct raidx_set {
	struct list_head list;		/* registry */
	int users;			/* tables that hold it; raidx_registry_mutex */
	char name[DM_NAME_LEN];		/* for messages: the mapped device's name */

	struct mutex lock;		/* owner lock */
	struct raidx_geometry geo;	/* fixed once the set is open */
	struct raidx_disk_super *super;	/* image of what the superblocks say; lock */
	struct raidx_member member[RAIDX_MAX_MEMBERS];
	enum raidx_mode mode;		/* written under lock by raidx_set_degrade() only */
	const struct raidx_level_ops *ops;
	void *level;			/* the level's private state (struct raidx_pool, ...) */
	bool started;			/* ops->start() succeeded; lock */
	bool read_only;			/* the table is read-only: nothing is written */
	bool suspended;			/* no I/O of our own; lock */

	spinlock_t member_lock;		/* irq-safe; see the head of this file */
	struct work_struct event_work;	/* raises dm events from process context */
	struct mapped_device *md;	/* for events and sysfs, set in resume */
	struct dm_target *ti;		/* of the active table */
	struct bio_set bios;		/* clones and member commands */

	/* what the table line asked for; see table_line.c */
	u32 cache_pages;		/* table page cache, pages; 0 = default (64 MiB) */
	u64 log_cache_sectors;		/* log cache; 0 = default */
	bool verify_always;
	struct raidx_disk_tunables tune;	/* live values, little-endian as kept; lock */
	bool tune_changed;
	struct kobject *kobj;		/* /sys/block/dm-N/raidx */
	void *private;			/* set/ layer's own */
};

/* May reads be served from it? */
static inline bool raidx_member_readable(const struct raidx_set *set, unsigned int slot)
{
	const struct raidx_member *member = &set->member[slot];

	return member->bdev && READ_ONCE(member->state) == RAIDX_SLOT_IN_SYNC && !READ_ONCE(member->failing);
}

/* Do writes go there? */
static inline bool raidx_member_writable(const struct raidx_set *set, unsigned int slot)
{
	const struct raidx_member *member = &set->member[slot];
	u8 state = READ_ONCE(member->state);

	return member->bdev && !READ_ONCE(member->failing) &&
	       (state == RAIDX_SLOT_IN_SYNC || state == RAIDX_SLOT_CATCHING_UP);
}

/**
 * raidx_set_fail_member() - record that a member missed a write, before anything is acknowledged.
 * @set: the set.
 * @slot: the member.
 * @what: for the message: "log write", "row write", "flush", ...
 *
 * State -> FAILED, events + 1, superblocks of all others written (A then B, FUA), message, dm event, mode.
 * Idempotent.  Context: process, set->lock held, waits for I/O.
 * Return: 0; -EIO when no quorum of superblocks could be written or the redundancy is used up (the mode is
 * then FAILED or READONLY and nothing more may be acknowledged).
 */
int __must_check raidx_set_fail_member(struct raidx_set *set, unsigned int slot, const char *what);

/* Fail every slot set in @failed (bitmap of RAIDX_MAX_MEMBERS bits). Same contract. */
int __must_check raidx_set_fail_members(struct raidx_set *set, const unsigned long *failed, const char *what);

/**
 * raidx_set_write_supers() - seal set->super (with each member's slot and uuid) and write it to all members.
 * @set: the set.
 * @events: raise the event count (a state changed).
 *
 * Writes A everywhere, waits, then B everywhere, all FUA|PREFLUSH.  A member that fails is failed like in
 * raidx_set_fail_member().  Context: process, set->lock held.
 * Return: 0 when a quorum has it, else -EIO.
 */
int __must_check raidx_set_write_supers(struct raidx_set *set, bool events);

/* One way only, logs once; raises a dm event. Any process context. */
void raidx_set_degrade(struct raidx_set *set, enum raidx_mode mode, const char *why);

/* Ask for a dm event soon. Any context. */
void raidx_set_event(struct raidx_set *set);

/* Members that are IN_SYNC and present. */
unsigned int raidx_set_nr_readable(const struct raidx_set *set);

#endif /* RAIDX_SET_H */
