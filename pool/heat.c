// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx heat: temperatures of the pool's stripes, and the policy that reads them.
 *
 * Kept in memory for the whole set, at most HEAT_LIMIT records: on larger sets one record stands for a run of
 * neighbouring stripes.  Accesses are noted without a lock: a lost update costs a little warmth, never data.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <raidx/heat.h>
#include <raidx/policy.h>
#include <raidx/pool.h>

#define HEAT_LIMIT	(1u << 21)	/* records; 8 bytes each */

struct raidx_heat_map {
	struct raidx_heat *heat;
	u64 records;
	u32 shift;		/* a record stands for 2^shift stripes */
	struct raidx_heat_clock clock;
	u64 aged_ms;
	u64 touched;
	u64 decided_ms;		/* when the policy last said that there is nothing to do */
	u64 decided_touched;
	struct tss_policy policy;
	struct tss_work work;
	u32 nr_work;
};

static u64 now_ms(void)
{
	return ktime_to_ms(ktime_get());
}

/* Ticks of the clock that passed since it was last looked at. */
static void run_clock(struct raidx_heat_map *map)
{
	u64 interval = max_t(u64, map->policy.tune.aging_interval_ms, 1), now = now_ms(), ticks;

	if (now < map->aged_ms + interval)
		return;
	ticks = div64_u64(now - map->aged_ms, interval);
	map->aged_ms += ticks * interval;
	WRITE_ONCE(map->clock.tick, map->clock.tick + (u32)ticks);
}

/*
 * raidx_heat_note() - a read or a write of a logical block.
 *
 * Context: any; no lock.
 */
void raidx_heat_note(struct raidx_pool *pool, u64 block, bool write)
{
	struct raidx_heat_map *map = pool->heat;
	u64 record;

	if (!map)
		return;
	record = div_u64(block, pool->set->geo.stripe_blocks) >> map->shift;
	if (record >= map->records)
		return;
	run_clock(map);
	raidx_heat_touch(&map->heat[record], &map->clock, write);
	map->touched++;
}

static u8 view_level(void *context, u64 stripe)
{
	struct raidx_pool *pool = context;
	struct raidx_home home;
	int ret;

	spin_lock(&pool->index_lock);
	ret = raidx_map_lookup(pool, stripe, &home);
	spin_unlock(&pool->index_lock);
	return ret || (home.flags & RAIDX_MAP_PINNED) ? RAIDX_LEVEL_NONE : home.level;
}

static struct raidx_disk_heat view_heat(void *context, u64 stripe)
{
	struct raidx_pool *pool = context;
	struct raidx_heat *heat = &pool->heat->heat[stripe >> pool->heat->shift];

	raidx_heat_age(heat, &pool->heat->clock);
	return heat->disk;
}

/*
 * Stripes that may still move to RAID 1 such that everything promised fits in RAID 5 rows afterwards (invariant 4):
 * every stripe in RAID 1 and every one not yet written must find a parity row.
 */
static u64 raid1_room(struct raidx_pool *pool)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	u8 parity = raidx_parity_level(pool);
	u32 width = geo->nr_slots - geo->nr_spares;
	u64 rows5 = raidx_group_nr_rows(geo, parity, width), rows1 = raidx_group_nr_rows(geo, RAIDX_LEVEL_RAID1, width);
	u64 free = raidx_free_groups(pool), have, need, groups, in_group;

	in_group = pool->rows_total[RAIDX_LEVEL_RAID1] - pool->rows_used[RAIDX_LEVEL_RAID1];
	free -= min_t(u64, free, 3);
	have = free * rows5 + pool->rows_total[parity] - pool->rows_used[parity];
	need = geo->nr_stripes - pool->rows_used[parity];
	if (have <= need)
		return 0;
	groups = min(div_u64(have - need, rows5 + rows1), free);
	return in_group + groups * rows1;
}

static void fill_input(struct raidx_pool *pool, struct tss_input *input)
{
	struct raidx_set *set = pool->set;
	u32 i;

	memset(input, 0, sizeof(*input));
	input->now_ms = now_ms();
	input->stripes = set->geo.nr_stripes;
	for (i = 0; i < RAIDX_NR_LEVELS; i++)
		input->mapped[i] = pool->rows_used[i];
	input->raid1_room = raid1_room(pool);
	input->touched = pool->heat->touched;
	input->idle = time_after(jiffies, pool->last_write_jiffies +
				 msecs_to_jiffies(pool->heat->policy.tune.idle_ms));
	input->degraded = set->mode != RAIDX_MODE_OK;
	input->short_of_space = !input->raid1_room;
}

/* Is there anything a policy could look at? */
bool raidx_heat_active(struct raidx_pool *pool)
{
	struct raidx_heat_map *map = pool->heat;

	if (!map)
		return false;
	return map->touched != map->decided_touched || now_ms() < map->decided_ms + 2 * map->policy.tune.decay_interval_ms;
}

/*
 * raidx_heat_decide() - ask the policy for moves to one level.
 *
 * Context: the destager; takes set->lock.  Return: number of items.
 */
u32 raidx_heat_decide(struct raidx_pool *pool, struct raidx_fold_item *items, u32 most)
{
	struct raidx_heat_map *map = pool->heat;
	struct tss_view view = { .level = view_level, .heat = view_heat, .context = pool };
	const char *reason = "";
	struct tss_input input;
	int ret;

	if (!map)
		return 0;
	mutex_lock(&pool->set->lock);
	run_clock(map);
	fill_input(pool, &input);
	ret = tss_policy_next(&map->policy, &input, &view, &map->work, &reason);
	pool->wait_reason = reason;
	if (map->touched != map->decided_touched) {
		map->decided_touched = map->touched;
		map->decided_ms = input.now_ms;
	}
	mutex_unlock(&pool->set->lock);
	if (ret)
		return 0;
	items[0].stripe = map->work.stripe;
	items[0].level = map->work.level;
	items[0].only_if_mapped = true;
	return 1;
}

void raidx_heat_done(struct raidx_pool *pool, const struct raidx_fold_item *items, u32 nr, bool ok)
{
	tss_policy_done(&pool->heat->policy, &pool->heat->work, ok);
}

void raidx_heat_moved(struct raidx_pool *pool, const struct raidx_fold_item *items, u32 nr)
{
	u32 i;

	for (i = 0; pool->heat && i < nr; i++)
		raidx_heat_reset(&pool->heat->heat[items[i].stripe >> pool->heat->shift], &pool->heat->clock);
}

/* Take up what was set. set->lock held (or start). */
void raidx_heat_retune(struct raidx_pool *pool)
{
	const struct raidx_disk_tunables *disk = &pool->set->tune;
	struct raidx_heat_map *map = pool->heat;
	struct tss_tunables tune;

	if (!map)
		return;
	tss_tunables_default(&tune);
	tune.policy = disk->policy;
	if (disk->high[0]) {
		memcpy(tune.low, disk->low, sizeof(tune.low));
		memcpy(tune.high, disk->high, sizeof(tune.high));
	}
	if (disk->decay_shift)
		tune.decay_shift = disk->decay_shift;
	if (disk->aging_interval_ms)
		tune.aging_interval_ms = le32_to_cpu(disk->aging_interval_ms);
	if (disk->decay_interval_ms)
		tune.decay_interval_ms = le32_to_cpu(disk->decay_interval_ms);
	if (disk->migrate_kbps_max)
		tune.migrate_kbps_max = le32_to_cpu(disk->migrate_kbps_max);
	if (disk->idle_ms)
		tune.idle_ms = le32_to_cpu(disk->idle_ms);
	tss_policy_init(&map->policy, &tune, pool->set->geo.stripe_blocks * RAIDX_BLOCK_BYTES);
	map->clock.ticks_per_decay = max_t(u32, tune.decay_interval_ms / max_t(u32, tune.aging_interval_ms, 1), 1);
	map->clock.decay_shift = tune.decay_shift;
}

/* Heat of stripes as sysfs shows it. */
ssize_t raidx_heat_read(struct raidx_set *set, u64 first, u32 count, struct raidx_heat_record *to)
{
	struct raidx_pool *pool = set->level;
	u32 i;

	if (!pool || !pool->heat)
		return -ENODATA;
	for (i = 0; i < count && first + i < set->geo.nr_stripes; i++) {
		struct raidx_disk_heat heat = view_heat(pool, first + i);

		to[i].level = view_level(pool, first + i);
		to[i].read = heat.read;
		to[i].write = heat.write;
		to[i].flags = 0;
	}
	return i;
}

int raidx_heat_init(struct raidx_pool *pool)
{
	struct raidx_heat_map *map = kzalloc(sizeof(*map), GFP_KERNEL);

	if (!map)
		return -ENOMEM;
	while ((pool->set->geo.nr_stripes >> map->shift) >= HEAT_LIMIT)
		map->shift++;
	map->records = (pool->set->geo.nr_stripes >> map->shift) + 1;
	map->heat = vzalloc(map->records * sizeof(*map->heat));
	if (!map->heat) {
		kfree(map);
		return -ENOMEM;
	}
	map->aged_ms = now_ms();
	pool->heat = map;
	raidx_heat_retune(pool);
	return 0;
}

void raidx_heat_exit(struct raidx_pool *pool)
{
	if (!pool->heat)
		return;
	vfree(pool->heat->heat);
	kfree(pool->heat);
	pool->heat = NULL;
}
