// SPDX-License-Identifier: GPL-2.0-only
/*
 * When commands end: one timer per disk over a list of slots, sorted by their end.
 *
 * A model only computes times. It is told when a command comes (submit) and when a slot ends (ended), and puts slots into
 * the list by sim_timing_end_at(). A server that is busy goes on at the *computed* end of the last slot, not at the time
 * when the timer ran, so that the simulator's own delays do not add up. Everything here is under disk->lock.
 *
 * While a disk is halted, slots stay in the list and the timer does nothing.
 */
#include <linux/blk-mq.h>
#include <linux/hrtimer.h>

#include "disk.h"
#include "timing.h"

static void arm_timer(struct sim_timing *timing)
{
	struct sim_slot *first = list_first_entry_or_null(&timing->due, struct sim_slot, node);

	if (!first) {
		timing->armed = SIM_NEVER;
	} else if (first->due != timing->armed) {
		timing->armed = first->due;
		hrtimer_start(&timing->timer, ns_to_ktime(first->due), HRTIMER_MODE_ABS);
	}
}

static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct sim_disk *disk = container_of(timer, struct sim_disk, timing.timer);
	struct sim_timing *timing = &disk->timing;
	struct sim_slot *slot;
	unsigned long flags;
	LIST_HEAD(done);
	u64 now;

	spin_lock_irqsave(&disk->lock, flags);
	timing->armed = SIM_NEVER;
	if (!disk->halted) {
		now = ktime_get_ns();
		while ((slot = list_first_entry_or_null(&timing->due, struct sim_slot, node)) && slot->due <= now) {
			list_del_init(&slot->node);
			if (!slot->internal)
				sim_disk_finish(disk, container_of(slot, struct sim_cmd, slot), &done);
			if (timing->model->ended)
				timing->model->ended(disk, slot);
		}
		arm_timer(timing);
	}
	spin_unlock_irqrestore(&disk->lock, flags);
	sim_disk_complete(&done);
	return HRTIMER_NORESTART;
}

void sim_timing_end_at(struct sim_disk *disk, struct sim_slot *slot, u64 due)
{
	struct list_head *place = disk->timing.due.prev;

	slot->due = due;
	while (place != &disk->timing.due && list_entry(place, struct sim_slot, node)->due > due)
		place = place->prev;
	list_add(&slot->node, place);
}

void sim_timing_submit(struct sim_disk *disk, struct sim_cmd *cmd, u64 now)
{
	struct request *rq = sim_request(cmd);

	cmd->slot.arrived = now;
	cmd->slot.sector = blk_rq_pos(rq);
	cmd->slot.sectors = cmd->op == SIM_READ || cmd->op == SIM_WRITE ? blk_rq_sectors(rq) : 0;
	cmd->slot.internal = false;
	disk->timing.model->submit(disk, &cmd->slot, now);
	arm_timer(&disk->timing);
}

void sim_timing_resume(struct sim_disk *disk)
{
	disk->timing.armed = SIM_NEVER;
	arm_timer(&disk->timing);
}

void sim_timing_forget(struct sim_disk *disk, struct sim_cmd *cmd)
{
	if (disk->timing.model && disk->timing.model->forget)
		disk->timing.model->forget(disk, &cmd->slot);
}

void sim_timing_drain(struct sim_disk *disk, struct list_head *list)
{
	struct sim_timing *timing = &disk->timing;
	struct sim_slot *slot, *next;

	list_for_each_entry_safe(slot, next, &timing->due, node)
		if (slot->internal)
			list_del_init(&slot->node);
	list_splice_tail_init(&timing->due, list);
	if (timing->model->drain)
		timing->model->drain(disk, list);
	timing->model->reset(disk);
}

const struct sim_model *sim_timing_model(unsigned int id)
{
	switch (id) {
	case SIM_MODEL_FIXED:
		return &sim_model_fixed;
	case SIM_MODEL_HDD:
		return &sim_model_hdd;
	case SIM_MODEL_SSD:
		return &sim_model_ssd;
	default:
		return NULL;
	}
}

int sim_timing_init(struct sim_disk *disk)
{
	struct sim_timing *timing = &disk->timing;
	const struct sim_model *model = sim_timing_model(disk->params.model);
	int ret;

	memset(timing, 0, sizeof(*timing));
	INIT_LIST_HEAD(&timing->due);
	timing->armed = SIM_NEVER;
#ifdef SIMDISK_HAVE_HRTIMER_SETUP
	hrtimer_setup(&timing->timer, timer_expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(&timing->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timing->timer.function = timer_expired;
#endif
	if (!model)
		return 0;
	if (model->create) {
		ret = model->create(disk);
		if (ret)
			return ret;
	}
	timing->model = model;
	model->reset(disk);
	return 0;
}

void sim_timing_destroy(struct sim_disk *disk)
{
	if (!disk->timing.model)
		return;
	hrtimer_cancel(&disk->timing.timer);
	if (disk->timing.model->destroy)
		disk->timing.model->destroy(disk);
	disk->timing.model = NULL;
}
