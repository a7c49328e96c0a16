// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults: which commands fail, or are acknowledged without effect.
 *
 * Unreadable sectors and flipped bits are the store's, because they belong to content; hangs and a vanished disk are halts
 * of the disk. Here are counters ("the next N") and ranges. All state is under disk->lock.
 */
#include <linux/blk-mq.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "disk.h"
#include "fault.h"

static bool hits(struct sim_errors *errors, sector_t start, sector_t end)
{
	unsigned int i;

	if (errors->next) {
		errors->next--;
		return true;
	}
	for (i = 0; i < errors->ranges; i++)
		if (start < errors->range[i].end && end > errors->range[i].start)
			return true;
	return false;
}

void sim_fault_update(struct sim_disk *disk)
{
	const struct sim_faults *faults = &disk->faults;

	disk->faults.any = faults->read.next || faults->read.ranges || faults->write.next || faults->write.ranges ||
			   faults->flushes || faults->lost;
}

blk_status_t sim_fault_status(struct sim_disk *disk, const struct sim_cmd *cmd, bool *lose)
{
	const struct request *rq = blk_mq_rq_from_pdu((void *)cmd);
	sector_t start = blk_rq_pos(rq), end = start + blk_rq_sectors(rq);
	struct sim_faults *faults = &disk->faults;
	blk_status_t status = BLK_STS_OK;

	switch (cmd->op) {
	case SIM_READ:
		if (hits(&faults->read, start, end))
			status = BLK_STS_MEDIUM;
		break;
	case SIM_FLUSH:
		if (faults->flushes) {
			faults->flushes--;
			status = BLK_STS_IOERR;
		}
		break;
	default:
		if (hits(&faults->write, start, end)) {
			status = BLK_STS_IOERR;
		} else if (cmd->op == SIM_WRITE && faults->lost) {
			faults->lost--;
			*lose = true;
		}
	}
	sim_fault_update(disk);
	return status;
}

int sim_fault_parse_errors(struct sim_disk *disk, struct sim_errors *errors, const char *text)
{
	unsigned long long start, count;
	unsigned long flags;
	unsigned int next;
	int ret = 0;

	spin_lock_irqsave(&disk->lock, flags);
	if (sysfs_streq(text, "clear")) {
		errors->next = 0;
		errors->ranges = 0;
	} else if (sscanf(text, "next %u", &next) == 1) {
		errors->next = next;
	} else if (sscanf(text, "%llu %llu", &start, &count) != 2 || !count) {
		ret = -EINVAL;
	} else if (errors->ranges == SIM_FAULT_RANGES) {
		ret = -ENOSPC;
	} else {
		errors->range[errors->ranges].start = start;
		errors->range[errors->ranges].end = start + count;
		errors->ranges++;
	}
	sim_fault_update(disk);
	spin_unlock_irqrestore(&disk->lock, flags);
	return ret;
}

ssize_t sim_fault_show_errors(struct sim_disk *disk, const struct sim_errors *errors, char *page)
{
	unsigned long flags;
	unsigned int i;
	ssize_t bytes;

	spin_lock_irqsave(&disk->lock, flags);
	bytes = scnprintf(page, PAGE_SIZE, "next %u\n", errors->next);
	for (i = 0; i < errors->ranges; i++)
		bytes += scnprintf(page + bytes, PAGE_SIZE - bytes, "%llu %llu\n",
				   (unsigned long long)errors->range[i].start,
				   (unsigned long long)(errors->range[i].end - errors->range[i].start));
	spin_unlock_irqrestore(&disk->lock, flags);
	return bytes;
}
