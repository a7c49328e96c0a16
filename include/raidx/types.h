/* SPDX-License-Identifier: GPL-2.0-only */
/* Small types shared by all layers; compiled in user space too. */
#ifndef RAIDX_TYPES_H
#define RAIDX_TYPES_H

#include <raidx/format.h>

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#else
#include <raidx_user.h>		/* tests/unit/fake: the same names on libc */
#endif

/**
 * struct raidx_home - where a logical stripe lives, in CPU order.
 * @group: block group.
 * @row: row in it.
 * @level: enum raidx_level of the row; NONE = unmapped.
 * @flags: RAIDX_MAP_*.
 */
struct raidx_home {
	u32 group;
	u32 row;
	u8 level;
	u8 flags;
};

/* Health of a whole set, ordered by degradation; it only goes up until the next start. */
enum raidx_mode {
	RAIDX_MODE_OK,
	RAIDX_MODE_DEGRADED,
	RAIDX_MODE_READONLY,
	RAIDX_MODE_FAILED,
};

#endif /* RAIDX_TYPES_H */
