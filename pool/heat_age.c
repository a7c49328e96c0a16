// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx temperature: aging and decay of one record.  Pure arithmetic.
 *
 * Aging tick t ends interval t - 1: the flags of that interval become warmth, once each.  When t is a multiple of
 * ticks_per_decay all temperatures lose their share right after.  A record is not visited at ticks: what it missed is
 * made up for when it is looked at, with the same result.  Flags belong to the interval of the record's own tick.
 */
#include <raidx/heat.h>
#ifdef __KERNEL__
#include <linux/minmax.h>
#endif

/* Clocks read without a lock may be this many ticks older than one that a record has seen. */
#define MAX_SKEW	256u

static u8 warmer(u8 heat)
{
	return heat < U8_MAX ? heat + 1 : heat;
}

/* Rounded up, or else the last degrees would stay for ever. */
static u8 colder(u8 heat, u32 shift)
{
	return heat - ((heat + (1u << shift) - 1) >> shift);
}

void raidx_heat_age(struct raidx_heat *heat, const struct raidx_heat_clock *clock)
{
	u32 per_decay = clock->ticks_per_decay ? clock->ticks_per_decay : 1;
	u32 shift = min_t(u32, clock->decay_shift, 8);
	u32 passed = clock->tick - heat->tick;
	u32 settling, decays;

	if (!passed || passed > U32_MAX - MAX_SKEW)
		return;

	if (heat->disk.flags & RAIDX_HEAT_READ)
		heat->disk.read = warmer(heat->disk.read);
	if (heat->disk.flags & RAIDX_HEAT_WRITTEN)
		heat->disk.write = warmer(heat->disk.write);

	/* Multiples of per_decay in (heat->tick, clock->tick]; 0 is one of them when the tick has wrapped. */
	if (clock->tick > heat->tick)
		decays = clock->tick / per_decay - heat->tick / per_decay;
	else
		decays = U32_MAX / per_decay - heat->tick / per_decay + 1 + clock->tick / per_decay;

	settling = (heat->disk.flags & RAIDX_HEAT_SETTLING) >> RAIDX_HEAT_SETTLING_SHIFT;
	settling -= min(settling, decays);
	heat->disk.flags = settling << RAIDX_HEAT_SETTLING_SHIFT;

	/* Each decay takes at least one degree: at most 255 rounds. */
	for (; decays && (heat->disk.read || heat->disk.write); decays--) {
		heat->disk.read = colder(heat->disk.read, shift);
		heat->disk.write = colder(heat->disk.write, shift);
	}
	heat->tick = clock->tick;
}

void raidx_heat_touch(struct raidx_heat *heat, const struct raidx_heat_clock *clock, bool write)
{
	raidx_heat_age(heat, clock);
	heat->disk.flags |= write ? RAIDX_HEAT_WRITTEN : RAIDX_HEAT_READ;
}

void raidx_heat_reset(struct raidx_heat *heat, const struct raidx_heat_clock *clock)
{
	memset(heat, 0, sizeof(*heat));
	heat->disk.flags = RAIDX_HEAT_SETTLING_DECAYS << RAIDX_HEAT_SETTLING_SHIFT;
	heat->tick = clock->tick;
}
