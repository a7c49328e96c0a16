// SPDX-License-Identifier: GPL-2.0-only
/*
 * Service time `fixed`: one command at a time, each for the same cost, and a limit of bytes per second.
 *
 * It gives the times of null_blk with irqmode=2, completion_nsec, mbps and hw_queue_depth=1. The limit is a bucket of
 * tokens for bytes, filled to the brim at each tick of fixed_tick_ms; a command that does not find its bytes waits for the
 * next tick before its cost begins. Ticks go on in step while the bucket is used, and start anew after an idle tick. So
 * cost and transfer overlap: 512 KiB commands at 4 ms and 150 MiB/s run at 125 MiB/s, not at 512 KiB per (4 + 3.3) ms.
 *
 * With fixed_tick_ms = 0 there is no bucket, and a command takes cost + bytes / rate.
 */
#include <linux/limits.h>

#include "disk.h"
#include "timing.h"

/* When may a command that wants to start at @now start, for its bytes? */
static u64 take_tokens(struct sim_fixed *fixed, const struct sim_params *params, u64 now, u64 bytes)
{
	u64 tick = (u64)params->fixed_tick_ms * NSEC_PER_MSEC;
	/* null_blk rounds the share of a tick down before it multiplies: of 1 MiB commands at 150, two fit, not three */
	u64 full = ((u64)params->fixed_tick_ms << 20) / 1000 * params->fixed_mbps;

	if (now >= fixed->tick_end) {
		fixed->tick_end = now - fixed->tick_end < tick && fixed->tokens != full ? fixed->tick_end + tick :
											   now + tick;
		fixed->tokens = full;
	}
	while (fixed->tokens < bytes) {
		now = fixed->tick_end;
		fixed->tick_end += tick;
		/* More than a bucket: the command saves up over some ticks. */
		fixed->tokens = bytes > full ? min(fixed->tokens + full, bytes) : full;
	}
	fixed->tokens -= bytes;
	return now;
}

static void start(struct sim_disk *disk, struct sim_slot *slot, u64 now)
{
	const struct sim_params *params = &disk->params;
	u64 bytes = (u64)slot->sectors << 9, cost = (u64)params->fixed_us * NSEC_PER_USEC;

	if (params->fixed_mbps && bytes) {
		if (params->fixed_tick_ms)
			now = take_tokens(&disk->timing.fixed, params, now, bytes);
		else
			cost += sim_bytes_ns(bytes, params->fixed_mbps);
	}
	disk->timing.fixed.serving = slot;
	sim_timing_end_at(disk, slot, now + cost);
}

static void start_next(struct sim_disk *disk, u64 now)
{
	struct sim_fixed *fixed = &disk->timing.fixed;
	struct sim_slot *slot = list_first_entry_or_null(&fixed->waiting, struct sim_slot, node);

	fixed->serving = NULL;
	if (!slot)
		return;
	list_del_init(&slot->node);
	start(disk, slot, max(now, slot->arrived));
}

static void fixed_submit(struct sim_disk *disk, struct sim_slot *slot, u64 now)
{
	struct sim_fixed *fixed = &disk->timing.fixed;

	if (fixed->serving)
		list_add_tail(&slot->node, &fixed->waiting);
	else
		start(disk, slot, now);
}

static void fixed_ended(struct sim_disk *disk, struct sim_slot *slot)
{
	start_next(disk, slot->due);
}

static void fixed_forget(struct sim_disk *disk, struct sim_slot *slot)
{
	if (disk->timing.fixed.serving == slot)
		start_next(disk, ktime_get_ns());
}

static void fixed_drain(struct sim_disk *disk, struct list_head *list)
{
	list_splice_tail_init(&disk->timing.fixed.waiting, list);
}

static void fixed_reset(struct sim_disk *disk)
{
	struct sim_fixed *fixed = &disk->timing.fixed;

	INIT_LIST_HEAD(&fixed->waiting);
	fixed->serving = NULL;
	fixed->tick_end = 0;
	fixed->tokens = 0;
}

const struct sim_model sim_model_fixed = {
	.name = "fixed",
	.queue_depth = 1,
	.rotational = true,
	.reset = fixed_reset,
	.submit = fixed_submit,
	.ended = fixed_ended,
	.forget = fixed_forget,
	.drain = fixed_drain,
};
