/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Temperature arithmetic (pure, pool/heat_age.c): an access flag per stripe and aging interval, so that a burst counts
 * once; at each aging tick the flagged stripes get warmer; at each decay tick all get colder by a share.
 * To cost nothing when idle, a record is brought up to date when it is looked at, from the ticks that passed.
 */
#ifndef RAIDX_HEAT_H
#define RAIDX_HEAT_H

#include <raidx/types.h>

/**
 * struct raidx_heat - temperature of one stripe (or of a run of stripes, when memory is bounded), 8 bytes.
 * @disk: as kept on disk.
 * @tick: low bits of the aging tick when @disk was last brought up to date.
 */
struct raidx_heat {
	struct raidx_disk_heat disk;
	u32 tick;
};

/*
 * Bits 2-3 of raidx_disk_heat.flags: decays that must pass before a stripe that was moved is judged again.  Its
 * temperature started from nothing, so that until then it looks colder than it is, and would be moved back.
 */
#define RAIDX_HEAT_SETTLING_SHIFT	2
#define RAIDX_HEAT_SETTLING		(3u << RAIDX_HEAT_SETTLING_SHIFT)
#define RAIDX_HEAT_SETTLING_DECAYS	2u

struct raidx_heat_clock {
	u32 tick;		/* aging ticks so far */
	u32 ticks_per_decay;	/* decay interval / aging interval, at least 1 */
	u8 decay_shift;		/* lose 1/2^shift at each decay, rounded up */
};

/*
 * Bring @heat up to the clock: flags of earlier intervals become warmth, decays are applied. Saturates at 255.
 * A clock read a moment before the one that @heat has seen changes nothing.
 */
void raidx_heat_age(struct raidx_heat *heat, const struct raidx_heat_clock *clock);
/* Note an access. */
void raidx_heat_touch(struct raidx_heat *heat, const struct raidx_heat_clock *clock, bool write);
/* Moved: start again from nothing, and be left alone until RAIDX_HEAT_SETTLING_DECAYS decays have passed. */
void raidx_heat_reset(struct raidx_heat *heat, const struct raidx_heat_clock *clock);

#endif /* RAIDX_HEAT_H */
