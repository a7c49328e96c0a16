/* SPDX-License-Identifier: GPL-2.0-only */
/* What a set would offer. */
#ifndef RAIDXCTL_SIZE_H
#define RAIDXCTL_SIZE_H

#include <stdbool.h>
#include <raidx/geometry.h>

/* Say it; @json: as members of an object that is open. */
void size_print(const struct raidx_plan *plan, const struct raidx_geometry *geo, const u64 *data_blocks, bool json);

#endif /* RAIDXCTL_SIZE_H */
