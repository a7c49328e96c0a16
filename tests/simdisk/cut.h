/* SPDX-License-Identifier: GPL-2.0-only */
/* Power cuts of groups of disks, now or triggered by a command. See cut.c. */
#ifndef SIMDISK_CUT_H
#define SIMDISK_CUT_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct sim_disk;

/* Serialises cuts and the coming and going of disks. Outside sim_disks_lock. */
extern struct mutex sim_cut_mutex;

/* Commands until the triggered cut; 0: not armed. */
extern atomic64_t sim_cut_left;

/**
 * sim_cut_count() - a write, discard or flush has entered a disk.
 * @disk: the disk, locked; it is frozen when the answer is true.
 *
 * Return: true when the caller must call sim_cut_fire() after unlocking.
 */
bool sim_cut_count(struct sim_disk *disk);

/** sim_cut_fire() - cut the group, whose trigger was hit. Context: any, no lock of a disk held. */
void sim_cut_fire(void);

/**
 * sim_cut_now() - cut disks, and wait for the end.
 * @text: "SEED [DISK...]"; all disks when none is named.
 *
 * Return: 0; -EINVAL; -ENOENT when there is no such disk.
 */
int sim_cut_now(const char *text);

/** sim_cut_disk() - cut one disk. @disk: the disk. @seed: the seed. */
void sim_cut_disk(struct sim_disk *disk, u64 seed);

/**
 * sim_cut_arm() - set the trigger.
 * @text: "N SEED [DISK...]": the Nth command from now on over these disks (all by default) cuts them; "0": disarm. With
 * @match a disk goes before: "COUNTED N SEED [DISK...]", and only its commands count.
 * @match: see there.
 *
 * Return: 0; -EINVAL; -ENOENT.
 */
int sim_cut_arm(const char *text, bool match);

/**
 * sim_cut_power() - power for many disks.
 * @text: "1 [DISK...]" or "0 [DISK...]" (a clean power-off: nothing is lost).
 *
 * Return: 0; -EINVAL; -ENOENT; or an error of sim_disk_start().
 */
int sim_cut_power(const char *text);

/** sim_cut_show() - "idle", "armed LEFT", "cutting", or "cut SEED". @page: to print to. Return: bytes. */
ssize_t sim_cut_show(char *page);

/** sim_cut_wait() - sleep until no cut is armed or under way. Return: 0 or -ERESTARTSYS. */
int sim_cut_wait(void);

void sim_cut_module_exit(void);

#endif
