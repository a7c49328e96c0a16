/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels.  The source is written for the newest one; what older ones lack is served
 * here, by header probes made in Kbuild (RAIDX_HAVE_*) or by macros of the kernel itself, never by version
 * numbers.
 */
#ifndef RAIDX_COMPAT_H
#define RAIDX_COMPAT_H

#ifndef DM_MSG_PREFIX
#define DM_MSG_PREFIX "raidx"
#endif

#include <linux/blkdev.h>
#include <linux/device-mapper.h>

static inline void raidx_limits_set_discard(struct queue_limits *limits, unsigned int sectors)
{
#ifdef RAIDX_HAVE_HW_DISCARD_LIMIT
	limits->max_hw_discard_sectors = sectors;
#endif
	limits->max_discard_sectors = sectors;
}

/* Blocks must not change while they are checksummed and written: in io_hints ... */
static inline void raidx_limits_set_stable(struct queue_limits *limits)
{
#ifdef BLK_FEAT_STABLE_WRITES
	limits->features |= BLK_FEAT_STABLE_WRITES;
#endif
}

/* ... and, where the limits do not say so, in resume. */
static inline void raidx_queue_set_stable(struct request_queue *queue)
{
#ifndef BLK_FEAT_STABLE_WRITES
	blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES, queue);
#endif
}

static inline bool raidx_table_writable(struct dm_table *table)
{
#ifdef BLK_OPEN_WRITE
	return dm_table_get_mode(table) & BLK_OPEN_WRITE;
#else
	return dm_table_get_mode(table) & FMODE_WRITE;
#endif
}

#endif /* RAIDX_COMPAT_H */
