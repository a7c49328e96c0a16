/* SPDX-License-Identifier: GPL-2.0-only */
/* Status of a set as text. */
#ifndef RAIDX_STATUS_H
#define RAIDX_STATUS_H

#include <raidx/registry.h>

/* One letter a slot: A in sync, a catching up, D failed, - missing, S spare. @to: RAIDX_MAX_MEMBERS + 1 bytes. */
void raidx_status_health(const struct raidx_set *set, char *to);

/* The level's numbers; zero while the set is not started. */
void raidx_status_level(struct raidx_set *set, struct raidx_level_status *status);

/* ok, degraded, readonly or failed. */
const char *raidx_status_mode(const struct raidx_set *set);

/* dm's status method. No side effects. */
void raidx_status(struct raidx_dm_table *table, status_type_t type, char *result, unsigned int maxlen);

#endif /* RAIDX_STATUS_H */
