/* SPDX-License-Identifier: GPL-2.0-only */
/* A simulated disk: its parameters, its state and its commands. See disk.c. */
#ifndef SIMDISK_DISK_H
#define SIMDISK_DISK_H

#include <linux/blk-mq.h>
#include <linux/configfs.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/spinlock.h>

#include "fault.h"
#include "store.h"
#include "timing.h"

enum sim_model_id {
	SIM_MODEL_RAM,
	SIM_MODEL_FIXED,
	SIM_MODEL_HDD,
	SIM_MODEL_SSD,
	SIM_MODEL_NR,
};

enum sim_discard {
	SIM_DISCARD_OFF,
	SIM_DISCARD_ZERO,
	SIM_DISCARD_GARBAGE,
	SIM_DISCARD_NR,
};

/*
 * The numeric parameters: P(name, default, least, greatest, when it may be written). SIM_SETUP: before the first power-on;
 * SIM_LIVE: always. Each is a configfs attribute; README.md says what they mean.
 */
#define SIM_PARAMS(P) \
	P(size_mb,		1024,	1,	1U << 26,	SIM_SETUP) \
	P(size_sectors,		0,	0,	~0U,		SIM_SETUP) \
	P(logical_block,	512,	512,	4096,		SIM_SETUP) \
	P(physical_block,	4096,	512,	4096,		SIM_SETUP) \
	P(queue_depth,		0,	0,	1024,		SIM_SETUP) \
	P(max_kb,		1024,	4,	4096,		SIM_SETUP) \
	P(cache,		1,	0,	1,		SIM_SETUP) \
	P(fua,			1,	0,	1,		SIM_SETUP) \
	P(timeout_ms,		30000,	100,	3600000,	SIM_SETUP) \
	P(versions,		8,	1,	64,		SIM_LIVE) \
	P(cache_mb,		32,	1,	65536,		SIM_LIVE) \
	P(pool_mb,		0,	0,	65536,		SIM_SETUP) \
	P(tear_bytes,		512,	0,	1U << 20,	SIM_LIVE) \
	P(ignore_flush,		0,	0,	1,		SIM_LIVE) \
	P(ignore_fua,		0,	0,	1,		SIM_LIVE) \
	P(fixed_us,		4000,	0,	10000000,	SIM_LIVE) \
	P(fixed_mbps,		150,	0,	1U << 20,	SIM_LIVE) \
	P(fixed_tick_ms,	20,	0,	1000,		SIM_LIVE) \
	P(hdd_rpm,		7200,	60,	100000,		SIM_SETUP) \
	P(hdd_mbps,		200,	1,	10000,		SIM_SETUP) \
	P(hdd_inner_mbps,	200,	1,	10000,		SIM_SETUP) \
	P(hdd_zones,		1,	1,	SIM_HDD_ZONES,	SIM_SETUP) \
	P(hdd_seek_min_us,	800,	0,	1000000,	SIM_LIVE) \
	P(hdd_seek_avg_us,	8500,	0,	1000000,	SIM_LIVE) \
	P(hdd_seek_max_us,	18000,	0,	1000000,	SIM_LIVE) \
	P(hdd_overhead_us,	50,	0,	100000,		SIM_LIVE) \
	P(hdd_bus_mbps,		500,	1,	100000,		SIM_LIVE) \
	P(hdd_readahead_kb,	2048,	0,	1U << 20,	SIM_LIVE) \
	P(hdd_cache_kb,		16384,	0,	1U << 20,	SIM_LIVE) \
	P(hdd_write_back,	128,	0,	SIM_HDD_JOBS,	SIM_LIVE) \
	P(hdd_age_ms,		500,	1,	100000,		SIM_LIVE) \
	P(ssd_channels,		8,	1,	SIM_SSD_CHANNELS, SIM_LIVE) \
	P(ssd_unit_kb,		16,	4,	1024,		SIM_LIVE) \
	P(ssd_read_us,		80,	0,	100000,		SIM_LIVE) \
	P(ssd_program_us,	200,	0,	100000,		SIM_LIVE) \
	P(ssd_ack_us,		15,	0,	100000,		SIM_LIVE) \
	P(ssd_flush_us,		100,	0,	1000000,	SIM_LIVE) \
	P(ssd_mbps,		550,	1,	100000,		SIM_LIVE) \
	P(ssd_buffer_kb,	8192,	0,	1U << 20,	SIM_LIVE)

struct sim_params {
#define SIM_FIELD(name, default_, least, greatest, when) u32 name;
	SIM_PARAMS(SIM_FIELD)
#undef SIM_FIELD
	enum sim_model_id model;
	enum sim_discard discard;
};

struct sim_stats {
	u64 commands[4], sectors[4];	/* enum sim_op */
	u64 fua, errors;
	u64 seeks;
	u64 busy_ns;
	u32 max_depth;
};

enum sim_op { SIM_READ, SIM_WRITE, SIM_DISCARD, SIM_FLUSH };

/* Why commands are not served; bits of sim_disk.halted. */
#define SIM_HALT_OFF	BIT(0)	/* no power: they fail */
#define SIM_HALT_GONE	BIT(1)	/* vanished: they fail */
#define SIM_HALT_HUNG	BIT(2)	/* they wait */
#define SIM_HALT_FROZEN	BIT(3)	/* a cut is under way: they wait for its end, and fail then */

/* A command; lives in the request. */
struct sim_cmd {
	struct sim_slot slot;	/* its place in time */
	struct sim_write *write;
	u64 flush_mark;
	blk_status_t status;
	enum sim_op op;
	bool fua;
	bool executed;		/* data is transferred */
	bool finished;		/* acknowledged to the store; on its way to the block layer */
};

struct sim_disk {
	struct config_item item;
	struct kref ref;		/* of the configfs item, and of the gendisk */
	struct list_head node;		/* in sim_disks, sim_disks_lock */
	u64 name_hash;
	struct gendisk *gendisk;	/* NULL before the first power-on; sim_cut_mutex */
	struct blk_mq_tag_set tag_set;
	bool in_trigger, in_cut;	/* of the trigger's group, of the cut under way; written under sim_cut_mutex */
	bool counts;			/* its commands count for the trigger */

	spinlock_t lock;		/* irq-safe; protects all below */
	struct sim_params params;
	unsigned int halted;
	bool read_only;
	struct sim_store store;
	struct sim_faults faults;
	struct sim_timing timing;
	struct list_head held;		/* commands that arrived while halted */
	struct sim_stats stats;
	struct sim_cut_result cuts;	/* since the last reset */
	u64 cut_count;
	unsigned int depth;		/* commands in the disk */
	u64 busy_since;
};

extern struct list_head sim_disks;
extern spinlock_t sim_disks_lock;	/* outside sim_disk.lock; irq-safe */

static inline struct request *sim_request(struct sim_cmd *cmd)
{
	return blk_mq_rq_from_pdu(cmd);
}

/**
 * sim_disk_create() - make a disk with default parameters, not started.
 * @name: its name.
 *
 * Return: the disk with one reference, or ERR_PTR.
 */
struct sim_disk *sim_disk_create(const char *name);

/** sim_disk_put() - drop a reference. @disk: the disk. */
void sim_disk_put(struct sim_disk *disk);

/**
 * sim_disk_start() - make the block device.
 * @disk: the disk.
 *
 * Context: process, sim_cut_mutex held. Return: 0 or an errno.
 */
int sim_disk_start(struct sim_disk *disk);

/**
 * sim_disk_stop() - take the block device away; whoever has it open gets errors.
 * @disk: the disk.
 *
 * Context: process, sim_cut_mutex held.
 */
void sim_disk_stop(struct sim_disk *disk);

/**
 * sim_disk_halt() - set or clear reasons not to serve.
 * @disk: the disk.
 * @set: bits SIM_HALT_OFF, _GONE, _HUNG to set; commands in the disk fail at once for the first two.
 * @clear: bits to clear; when none is left, commands that waited are served.
 *
 * Context: process.
 */
void sim_disk_halt(struct sim_disk *disk, unsigned int set, unsigned int clear);

/** sim_disk_freeze() - stop time for a disk: first half of a cut. @disk: the disk. Context: any. */
void sim_disk_freeze(struct sim_disk *disk);

/**
 * sim_disk_lose_power() - second half of a cut: lose what is volatile, fail all commands.
 * @disk: a frozen disk.
 * @seed: decides; mixed with the disk's name.
 */
void sim_disk_lose_power(struct sim_disk *disk, u64 seed);

/**
 * sim_disk_finish() - a command's time is over, disk->lock held.
 * @disk: the disk.
 * @cmd: the command, in no list.
 * @done: it goes there, for sim_disk_complete().
 */
void sim_disk_finish(struct sim_disk *disk, struct sim_cmd *cmd, struct list_head *done);

/** sim_disk_complete() - tell the block layer. @done: finished commands. Context: any, disk->lock not held. */
void sim_disk_complete(struct list_head *done);

/** sim_disk_module_exit() - wait for the last disk to go. Context: process. */
void sim_disk_module_exit(void);

#endif
