// SPDX-License-Identifier: GPL-2.0-only
/*
 * Service time `hdd`: one arm over a spindle that turns all the time.
 *
 * Geometry: the sectors lie on a spiral. A zone is an equal share of the sectors with the same number of sectors per
 * track, so that a revolution passes hdd_mbps in the outermost zone and hdd_inner_mbps in the innermost. Sectors that
 * follow each other are read without a gap: the rates are sustained ones, track changes included.
 *
 * Seek over d of T tracks: nothing for d = 0; min + (third - min) * sqrt((d - 1) / (T/3 - 1)) up to a third of the stroke;
 * from there on linear up to max. The parameters are hdd_seek_min_us, hdd_seek_avg_us (a third of the stroke) and
 * hdd_seek_max_us. Then the head waits for the first sector; the spindle's phase comes from the disk's name.
 *
 * Of all waiting commands the arm takes the one that it reaches first, unless the oldest has waited for hdd_age_ms. The
 * controller's hdd_overhead_us passes before a command can begin, but beside the service of others.
 *
 * Track buffer: after a read the head reads on into the buffer, up to hdd_readahead_kb, until the arm has other work. What
 * is in the buffer comes at hdd_bus_mbps; a read that runs into the part being read waits for the head.
 *
 * Write cache (cache = 1 and hdd_write_back > 0): a write that is not FUA ends when it is over the bus, and becomes a job of
 * the arm; up to hdd_write_back jobs of hdd_cache_kb together. Jobs go after commands, but not if the cache is three quarters
 * full or a flush waits. A flush ends when the jobs that came before it are done. Which data a cut takes does not depend on
 * jobs done, see store.c.
 */
#include <linux/blk-mq.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "disk.h"
#include "timing.h"

#define ROUNDING_NS	200	/* a sector that was missed by less was not missed */

/* ---- geometry ---- */

static const struct sim_hdd_zone *zone_of(const struct sim_hdd *hdd, sector_t sector)
{
	return &hdd->zone[min_t(u64, sector / hdd->zone_sectors, hdd->zones - 1)];
}

static u64 track_of(const struct sim_hdd *hdd, sector_t sector)
{
	const struct sim_hdd_zone *zone = zone_of(hdd, sector);

	return zone->first_track + (sector - zone->start) / zone->track_sectors;
}

static u64 transfer_ns(const struct sim_hdd *hdd, sector_t sector, u64 sectors)
{
	return sectors * hdd->revolution / zone_of(hdd, sector)->track_sectors;
}

static u64 seek_ns(const struct sim_disk *disk, u64 from, u64 to)
{
	const struct sim_params *params = &disk->params;
	u64 distance = from > to ? from - to : to - from, third = max_t(u64, disk->timing.hdd.tracks / 3, 2);
	s64 us;

	if (!distance)
		return 0;
	if (distance <= third) {
		u64 root = int_sqrt(((distance - 1) << 24) / (third - 1));	/* << 12 */

		us = ((s64)params->hdd_seek_avg_us - params->hdd_seek_min_us) * NSEC_PER_USEC * root >> 12;
		return (u64)params->hdd_seek_min_us * NSEC_PER_USEC + us;
	}
	us = ((s64)params->hdd_seek_max_us - params->hdd_seek_avg_us) * NSEC_PER_USEC * (distance - third) /
	     (s64)(disk->timing.hdd.tracks - third);
	return (u64)params->hdd_seek_avg_us * NSEC_PER_USEC + us;
}

/* When is the head, which leaves @head at @begin, over @sector? */
static u64 arrival(const struct sim_disk *disk, sector_t head, sector_t sector, u64 begin)
{
	const struct sim_hdd *hdd = &disk->timing.hdd;
	const struct sim_hdd_zone *zone = zone_of(hdd, sector);
	u64 angle = (sector - zone->start) % zone->track_sectors * hdd->revolution / zone->track_sectors;
	u64 wait;

	if (sector != head)
		begin += seek_ns(disk, track_of(hdd, head), track_of(hdd, sector));
	wait = (angle + hdd->revolution - (begin + hdd->phase) % hdd->revolution) % hdd->revolution;
	return wait > hdd->revolution - ROUNDING_NS ? begin : begin + wait;
}

static void lay_out(struct sim_disk *disk)
{
	const struct sim_params *params = &disk->params;
	struct sim_hdd *hdd = &disk->timing.hdd;
	u64 sectors = params->size_sectors ? params->size_sectors : (u64)params->size_mb << 11;
	s64 rate = params->hdd_mbps, step;
	unsigned int i;

	hdd->revolution = 60ULL * NSEC_PER_SEC / params->hdd_rpm;
	hdd->phase = disk->name_hash % hdd->revolution;
	hdd->zones = params->hdd_zones;
	hdd->zone_sectors = DIV_ROUND_UP(sectors, hdd->zones);
	hdd->tracks = 0;
	for (i = 0; i < hdd->zones; i++) {
		step = hdd->zones > 1 ? ((s64)params->hdd_inner_mbps - rate) * i / (s64)(hdd->zones - 1) : 0;
		hdd->zone[i].start = i * hdd->zone_sectors;
		hdd->zone[i].first_track = hdd->tracks;
		hdd->zone[i].track_sectors = max_t(u64, 8, ((u64)(rate + step) << 11) * hdd->revolution / NSEC_PER_SEC);
		hdd->tracks += DIV_ROUND_UP(hdd->zone_sectors, hdd->zone[i].track_sectors);
	}
	hdd->tracks = max_t(u64, hdd->tracks, 8);
}

/* ---- track buffer ---- */

/* The sector that reading ahead has come to. */
static sector_t buffered_until(const struct sim_hdd *hdd, u64 now)
{
	u64 ahead;

	if (!hdd->streaming || now <= hdd->read_on)
		return hdd->buffer_end;
	ahead = (now - hdd->read_on) * zone_of(hdd, hdd->buffer_end)->track_sectors / hdd->revolution;
	return min(hdd->buffer_end + ahead, hdd->buffer_limit);
}

/* The arm gets other work: the buffer keeps what it has. */
static void stop_streaming(struct sim_hdd *hdd, u64 now)
{
	if (!hdd->streaming)
		return;
	hdd->buffer_end = buffered_until(hdd, now);
	hdd->head = hdd->buffer_end;
	hdd->streaming = false;
}

static bool is_read(const struct sim_slot *slot)
{
	return !slot->internal && container_of(slot, struct sim_cmd, slot)->op == SIM_READ;
}

/* End of a read out of the buffer that begins at @begin, or 0 when it must go to the medium. */
static u64 buffer_end_of(struct sim_disk *disk, const struct sim_slot *slot, u64 begin)
{
	struct sim_hdd *hdd = &disk->timing.hdd;
	sector_t until = buffered_until(hdd, begin), end = slot->sector + slot->sectors;
	u64 done = begin + sim_bytes_ns((u64)slot->sectors << 9, disk->params.hdd_bus_mbps);

	if (!is_read(slot) || slot->sector < hdd->buffer_start || slot->sector > until)
		return 0;
	if (end <= until)
		return done;
	if (!hdd->streaming || end > hdd->buffer_limit)
		return 0;
	return max(done, hdd->read_on + transfer_ns(hdd, hdd->buffer_end, end - hdd->buffer_end));
}

/* ---- the arm ---- */

static u64 begin_of(const struct sim_disk *disk, const struct sim_slot *slot, u64 now)
{
	u64 ready = slot->internal ? now : slot->arrived + (u64)disk->params.hdd_overhead_us * NSEC_PER_USEC;

	return max(disk->timing.hdd.free_at, ready);
}

/* When would the transfer of this slot begin? */
static u64 reach(struct sim_disk *disk, const struct sim_slot *slot, u64 now)
{
	struct sim_hdd *hdd = &disk->timing.hdd;
	u64 begin = begin_of(disk, slot, now);

	if (buffer_end_of(disk, slot, begin))
		return begin;
	return arrival(disk, hdd->streaming ? buffered_until(hdd, begin) : hdd->head, slot->sector, begin);
}

static void serve(struct sim_disk *disk, struct sim_slot *slot, u64 now)
{
	struct sim_hdd *hdd = &disk->timing.hdd;
	u64 begin = begin_of(disk, slot, now), end = buffer_end_of(disk, slot, begin);
	sector_t ahead = (sector_t)disk->params.hdd_readahead_kb << 1;

	list_del_init(&slot->node);
	hdd->serving = slot;
	if (end) {
		/* The head went on unless the buffer was full. */
		if (hdd->streaming && buffered_until(hdd, begin) == hdd->buffer_limit)
			stop_streaming(hdd, begin);
		if (hdd->streaming)
			hdd->buffer_limit = max(hdd->buffer_limit, slot->sector + slot->sectors + ahead);
		hdd->free_at = end;
		sim_timing_end_at(disk, slot, end);
		return;
	}
	stop_streaming(hdd, begin);
	if (slot->sector != hdd->head)
		disk->stats.seeks++;
	end = arrival(disk, hdd->head, slot->sector, begin) + transfer_ns(hdd, slot->sector, slot->sectors);
	hdd->head = slot->sector + slot->sectors;
	hdd->free_at = end;
	if (is_read(slot)) {
		hdd->buffer_start = slot->sector;
		hdd->buffer_end = hdd->head;
		hdd->buffer_limit = hdd->head + ahead;
		hdd->read_on = end;
		hdd->streaming = true;
	}
	sim_timing_end_at(disk, slot, end);
}

static void pick_nearest(struct sim_disk *disk, struct list_head *list, u64 now, u64 not_after, struct sim_slot **best,
			 u64 *best_reach)
{
	struct sim_slot *slot;
	u64 at;

	list_for_each_entry(slot, list, node) {
		if (slot->arrived > not_after)
			break;
		at = reach(disk, slot, now);
		if (*best && at >= *best_reach)
			continue;
		*best = slot;
		*best_reach = at;
	}
}

static void start_next(struct sim_disk *disk, u64 now)
{
	struct sim_hdd *hdd = &disk->timing.hdd;
	u64 age = (u64)disk->params.hdd_age_ms * NSEC_PER_MSEC, best_reach = 0, not_after = SIM_NEVER;
	struct sim_slot *best = NULL, *flush, *oldest;

	hdd->serving = NULL;
	oldest = list_first_entry_or_null(&hdd->waiting, struct sim_slot, node);
	if (oldest && now > oldest->arrived + age) {
		serve(disk, oldest, now);
		return;
	}
	pick_nearest(disk, &hdd->waiting, now, SIM_NEVER, &best, &best_reach);
	flush = list_first_entry_or_null(&hdd->flushes, struct sim_slot, node);
	if (flush)
		not_after = flush->arrived;
	if (!best || flush || hdd->job_count > disk->params.hdd_write_back * 3 / 4 ||
	    hdd->job_sectors > (u64)disk->params.hdd_cache_kb * 3 / 2)
		pick_nearest(disk, &hdd->jobs, now, not_after, &best, &best_reach);
	if (best)
		serve(disk, best, now);
}

/* ---- write cache ---- */

static void admit(struct sim_disk *disk, struct sim_slot *slot, u64 now)
{
	struct sim_hdd *hdd = &disk->timing.hdd;
	struct sim_slot *job = list_first_entry(&hdd->idle_jobs, struct sim_slot, node);

	list_move_tail(&job->node, &hdd->jobs);
	job->arrived = now;
	job->sector = slot->sector;
	job->sectors = slot->sectors;
	hdd->job_count++;
	hdd->job_sectors += job->sectors;
	sim_timing_end_at(disk, slot, now + (u64)disk->params.hdd_overhead_us * NSEC_PER_USEC +
				      sim_bytes_ns((u64)slot->sectors << 9, disk->params.hdd_bus_mbps));
}

/* May one more write into the cache? One always fits into an empty one. */
static bool has_room(const struct sim_disk *disk, const struct sim_slot *slot)
{
	const struct sim_hdd *hdd = &disk->timing.hdd;

	if (!hdd->job_count)
		return true;
	return hdd->job_count < disk->params.hdd_write_back &&
	       hdd->job_sectors + slot->sectors <= (u64)disk->params.hdd_cache_kb << 1;
}

/* A job is done: let a write in, and end the flushes that waited for it. */
static void job_ended(struct sim_disk *disk, struct sim_slot *job)
{
	struct sim_hdd *hdd = &disk->timing.hdd;
	u64 overhead = (u64)disk->params.hdd_overhead_us * NSEC_PER_USEC, oldest;
	struct sim_slot *slot, *next;

	list_add(&job->node, &hdd->idle_jobs);
	hdd->job_count--;
	hdd->job_sectors -= job->sectors;
	oldest = list_empty(&hdd->jobs) ? SIM_NEVER : list_first_entry(&hdd->jobs, struct sim_slot, node)->arrived;
	list_for_each_entry_safe(slot, next, &hdd->flushes, node) {
		if (oldest <= slot->arrived)
			break;
		list_del_init(&slot->node);
		sim_timing_end_at(disk, slot, job->due + overhead);
	}
	list_for_each_entry_safe(slot, next, &hdd->unadmitted, node) {
		if (!has_room(disk, slot))
			break;
		list_del_init(&slot->node);
		admit(disk, slot, job->due);
	}
}

/* ---- the model ---- */

static void hdd_submit(struct sim_disk *disk, struct sim_slot *slot, u64 now)
{
	const struct sim_cmd *cmd = container_of(slot, struct sim_cmd, slot);
	struct sim_hdd *hdd = &disk->timing.hdd;
	u64 overhead = (u64)disk->params.hdd_overhead_us * NSEC_PER_USEC;

	switch (cmd->op) {
	case SIM_DISCARD:
		sim_timing_end_at(disk, slot, now + overhead);
		return;
	case SIM_FLUSH:
		if (hdd->job_count)
			list_add_tail(&slot->node, &hdd->flushes);
		else
			sim_timing_end_at(disk, slot, now + overhead);
		return;
	case SIM_WRITE:
		if (disk->params.cache && disk->params.hdd_write_back && !cmd->fua) {
			if (has_room(disk, slot) && list_empty(&hdd->unadmitted))
				admit(disk, slot, now);
			else
				list_add_tail(&slot->node, &hdd->unadmitted);
			break;
		}
		fallthrough;
	default:
		list_add_tail(&slot->node, &hdd->waiting);
	}
	if (!hdd->serving)
		start_next(disk, now);
}

static void hdd_ended(struct sim_disk *disk, struct sim_slot *slot)
{
	if (slot != disk->timing.hdd.serving)
		return;
	disk->timing.hdd.serving = NULL;
	if (slot->internal)
		job_ended(disk, slot);
	start_next(disk, slot->due);
}

static void hdd_forget(struct sim_disk *disk, struct sim_slot *slot)
{
	if (disk->timing.hdd.serving == slot)
		start_next(disk, ktime_get_ns());
}

static void hdd_drain(struct sim_disk *disk, struct list_head *list)
{
	struct sim_hdd *hdd = &disk->timing.hdd;

	list_splice_tail_init(&hdd->waiting, list);
	list_splice_tail_init(&hdd->unadmitted, list);
	list_splice_tail_init(&hdd->flushes, list);
}

static void hdd_reset(struct sim_disk *disk)
{
	struct sim_hdd *hdd = &disk->timing.hdd;
	unsigned int i;

	INIT_LIST_HEAD(&hdd->waiting);
	INIT_LIST_HEAD(&hdd->jobs);
	INIT_LIST_HEAD(&hdd->unadmitted);
	INIT_LIST_HEAD(&hdd->flushes);
	INIT_LIST_HEAD(&hdd->idle_jobs);
	for (i = 0; i < SIM_HDD_JOBS; i++) {
		hdd->job[i].internal = true;
		list_add_tail(&hdd->job[i].node, &hdd->idle_jobs);
	}
	hdd->serving = NULL;
	hdd->free_at = 0;
	hdd->head = 0;
	hdd->job_count = 0;
	hdd->job_sectors = 0;
	hdd->buffer_start = 0;
	hdd->buffer_end = 0;
	hdd->streaming = false;
}

static int hdd_create(struct sim_disk *disk)
{
	disk->timing.hdd.job = kcalloc(SIM_HDD_JOBS, sizeof(struct sim_slot), GFP_KERNEL);
	if (!disk->timing.hdd.job)
		return -ENOMEM;
	lay_out(disk);
	return 0;
}

static void hdd_destroy(struct sim_disk *disk)
{
	kfree(disk->timing.hdd.job);
}

const struct sim_model sim_model_hdd = {
	.name = "hdd",
	.queue_depth = 32,
	.rotational = true,
	.create = hdd_create,
	.destroy = hdd_destroy,
	.reset = hdd_reset,
	.submit = hdd_submit,
	.ended = hdd_ended,
	.forget = hdd_forget,
	.drain = hdd_drain,
};
