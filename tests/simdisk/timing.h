/* SPDX-License-Identifier: GPL-2.0-only */
/* When commands end: the interface between a disk and its service-time model. See timing.c. */
#ifndef SIMDISK_TIMING_H
#define SIMDISK_TIMING_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/types.h>

struct sim_cmd;
struct sim_disk;

#define SIM_HDD_ZONES		32
#define SIM_HDD_JOBS		256
#define SIM_SSD_CHANNELS	64
#define SIM_NEVER		U64_MAX

/* A piece of work in time: a command, or a job that a model made for itself. */
struct sim_slot {
	struct list_head node;	/* in timing.due, or in a list of the model; empty while in neither */
	u64 due;		/* end, in ns of CLOCK_MONOTONIC */
	u64 arrived;
	sector_t sector;
	u32 sectors;		/* of data that is transferred; 0 for a flush */
	bool internal;		/* a job, not a sim_cmd */
};

/* Fixed cost per command, one at a time. */
struct sim_fixed {
	struct list_head waiting;
	struct sim_slot *serving;
	u64 tick_end;		/* end of the present tick of the token bucket */
	u64 tokens;		/* bytes left in it */
};

struct sim_hdd_zone {
	sector_t start;
	u64 first_track;
	u64 track_sectors;
};

struct sim_hdd {
	struct list_head waiting;	/* commands for the arm, oldest first */
	struct list_head jobs;		/* cached writes for the arm, oldest first */
	struct list_head unadmitted;	/* writes that wait for room in the cache */
	struct list_head flushes;	/* flushes that wait for jobs */
	struct list_head idle_jobs;
	struct sim_slot *job;		/* array of SIM_HDD_JOBS */
	struct sim_slot *serving;	/* has the arm */
	u64 free_at;			/* end of the last service */
	sector_t head;			/* the sector behind the last one served */
	unsigned int job_count;		/* waiting or served */
	u64 job_sectors;		/* of their data */

	/* The track buffer: [buffer_start, buffer_end) at read_on; while streaming it grows from then on up to buffer_limit. */
	sector_t buffer_start, buffer_end, buffer_limit;
	u64 read_on;
	bool streaming;

	/* Geometry, from the parameters at the first power-on. */
	u64 revolution;			/* ns */
	u64 phase;			/* of the spindle, ns */
	u64 tracks;
	sector_t zone_sectors;
	unsigned int zones;
	struct sim_hdd_zone zone[SIM_HDD_ZONES];
};

struct sim_ssd {
	u64 read_free[SIM_SSD_CHANNELS];
	u64 program_free[SIM_SSD_CHANNELS];
	u64 link_free;
	unsigned int next_channel;
};

struct sim_model {
	const char *name;
	unsigned int queue_depth;	/* default */
	bool rotational;
	/* Parameters have changed, or the power came back: derive, and forget what was in work. */
	void (*reset)(struct sim_disk *disk);
	/* Allocate what is needed, before the first reset(). May sleep; NULL: nothing. 0 or -ENOMEM. */
	int (*create)(struct sim_disk *disk);
	/* Take a command: set its due time by sim_timing_end_at(), now or later. */
	void (*submit)(struct sim_disk *disk, struct sim_slot *slot, u64 now);
	/* A slot has ended at @slot->due; may start the next. NULL: nothing to do. */
	void (*ended)(struct sim_disk *disk, struct sim_slot *slot);
	/* A command has been taken away by force, and is in no list any more. */
	void (*forget)(struct sim_disk *disk, struct sim_slot *slot);
	/* Move the slots of all waiting commands to @list; reset() follows. */
	void (*drain)(struct sim_disk *disk, struct list_head *list);
	void (*destroy)(struct sim_disk *disk);
};

extern const struct sim_model sim_model_fixed, sim_model_hdd, sim_model_ssd;

struct sim_timing {
	const struct sim_model *model;	/* NULL: no time passes */
	struct hrtimer timer;
	u64 armed;			/* SIM_NEVER: timer is off */
	struct list_head due;		/* slots by due time */
	union {
		struct sim_fixed fixed;
		struct sim_hdd hdd;
		struct sim_ssd ssd;
	};
};

/** sim_timing_model() - the model of a number. @id: enum sim_model_id. Return: NULL for ram. */
const struct sim_model *sim_timing_model(unsigned int id);

/** sim_timing_init() - prepare. @disk: a disk with parameters. Return: 0 or -ENOMEM. */
int sim_timing_init(struct sim_disk *disk);

/** sim_timing_destroy() - end; no command is left. @disk: the disk. */
void sim_timing_destroy(struct sim_disk *disk);

/** sim_timing_submit() - a command begins, disk->lock held. @disk: the disk. @cmd: the command. @now: the time. */
void sim_timing_submit(struct sim_disk *disk, struct sim_cmd *cmd, u64 now);

/** sim_timing_end_at() - for models: a slot ends then. @disk: the disk. @slot: in no list. @due: the time. */
void sim_timing_end_at(struct sim_disk *disk, struct sim_slot *slot, u64 due);

/** sim_timing_resume() - set the timer again after a halt, disk->lock held. @disk: the disk. */
void sim_timing_resume(struct sim_disk *disk);

/** sim_timing_forget() - take one command out, disk->lock held. @disk: the disk. @cmd: the command. */
void sim_timing_forget(struct sim_disk *disk, struct sim_cmd *cmd);

/**
 * sim_timing_drain() - take all commands out and derive the model's state anew, disk->lock held.
 * @disk: the disk.
 * @list: the commands' slots are added to it.
 */
void sim_timing_drain(struct sim_disk *disk, struct list_head *list);

/** sim_bytes_ns() - time for bytes at a rate. @bytes: how many. @mbps: MiB per second. Return: ns. */
static inline u64 sim_bytes_ns(u64 bytes, u32 mbps)
{
	return bytes * NSEC_PER_SEC / ((u64)mbps << 20);
}

#endif
