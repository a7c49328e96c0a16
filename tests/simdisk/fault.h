/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults that are injected into commands. See fault.c. */
#ifndef SIMDISK_FAULT_H
#define SIMDISK_FAULT_H

#include <linux/blk_types.h>
#include <linux/types.h>

struct sim_cmd;
struct sim_disk;

#define SIM_FAULT_RANGES	16

struct sim_range {
	sector_t start, end;
};

/* Errors of one kind: the next so many commands, and all that touch a range. */
struct sim_errors {
	u32 next;
	unsigned int ranges;
	struct sim_range range[SIM_FAULT_RANGES];
};

struct sim_faults {
	bool any;		/* fast way out */
	struct sim_errors read, write;
	u32 flushes;		/* flushes to fail */
	u32 lost;		/* writes to acknowledge and forget */
};

/**
 * sim_fault_status() - does a fault hit this command?
 * @disk: the disk, locked.
 * @cmd: the command.
 * @lose: set when the command shall be acknowledged without effect.
 *
 * Return: BLK_STS_OK or the error.
 */
blk_status_t sim_fault_status(struct sim_disk *disk, const struct sim_cmd *cmd, bool *lose);

/**
 * sim_fault_parse_errors() - "next N", "START COUNT" (adds a range) or "clear".
 * @disk: the disk, not locked.
 * @errors: what to change.
 * @text: the words.
 *
 * Return: 0; -EINVAL; -ENOSPC when there are too many ranges.
 */
int sim_fault_parse_errors(struct sim_disk *disk, struct sim_errors *errors, const char *text);

/**
 * sim_fault_show_errors() - the inverse.
 * @disk: the disk, not locked.
 * @errors: what to show.
 * @page: a page to print to.
 *
 * Return: bytes printed.
 */
ssize_t sim_fault_show_errors(struct sim_disk *disk, const struct sim_errors *errors, char *page);

/** sim_fault_update() - call after a change of the counters. @disk: the disk, locked. */
void sim_fault_update(struct sim_disk *disk);

#endif
