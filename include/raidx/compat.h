/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels.  The source is written for the newest one; what older ones lack is served
 * here, by header probes made in Kbuild (RAIDX_HAVE_*), never by version numbers.
 */
#ifndef RAIDX_COMPAT_H
#define RAIDX_COMPAT_H

#include <linux/blkdev.h>
#include <linux/device-mapper.h>

static inline void raidx_limits_set_discard(struct queue_limits *limits, unsigned int sectors)
{
#ifdef RAIDX_HAVE_HW_DISCARD_LIMIT
	limits->max_hw_discard_sectors = sectors;
#endif
	limits->max_discard_sectors = sectors;
}

#endif /* RAIDX_COMPAT_H */
