/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/block/dm-N/raidx */
#ifndef RAIDX_SYSFS_H
#define RAIDX_SYSFS_H

#include <raidx/set.h>

/* Make the files unless they are there. A failure is logged; the set works without. Process context. */
void raidx_sysfs_create(struct raidx_set *set);

/* Remove them and wait until nobody reads them. set->lock must not be held. */
void raidx_sysfs_destroy(struct raidx_set *set);

#endif /* RAIDX_SYSFS_H */
