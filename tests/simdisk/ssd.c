// SPDX-License-Identifier: GPL-2.0-only
/*
 * Service time `ssd`: channels that read and program in parallel behind one link.
 *
 * A read goes to the channels of its units (address / ssd_unit_kb, modulo the channels), each busy for ssd_read_us, and
 * then over the link at ssd_mbps. A write goes over the link into the buffer; its data is programmed in pieces of a unit,
 * to the channels in turn, as a log-structured drive does, each piece for its share of ssd_program_us per unit. With a
 * cache it ends ssd_ack_us after the link, unless the channels are behind by more than the buffer (ssd_buffer_kb); without
 * one, or with FUA, it ends after its programs. A flush ends ssd_flush_us after all programs. A read that meets a program
 * waits for that one program at most, and delays the others.
 *
 * The link is a budget of bytes, not an order: a command that is slow elsewhere does not block it.
 */
#include <linux/blk-mq.h>

#include "disk.h"
#include "timing.h"

/* Occupy the link from @now; returns when the bytes are through at the earliest. */
static u64 use_link(struct sim_ssd *ssd, u64 now, u64 ns)
{
	ssd->link_free = max(ssd->link_free, now) + ns;
	return ssd->link_free;
}

static u64 read_units(struct sim_disk *disk, const struct sim_slot *slot, u64 now)
{
	const struct sim_params *params = &disk->params;
	struct sim_ssd *ssd = &disk->timing.ssd;
	u32 unit_sectors = params->ssd_unit_kb << 1;
	u64 unit = slot->sector / unit_sectors, last = (slot->sector + slot->sectors - 1) / unit_sectors;
	u64 cost = (u64)params->ssd_read_us * NSEC_PER_USEC, program = (u64)params->ssd_program_us * NSEC_PER_USEC;
	u64 end = now, begin;
	unsigned int channel;

	for (; unit <= last; unit++) {
		channel = unit % params->ssd_channels;
		begin = max(now, ssd->read_free[channel]);
		if (ssd->program_free[channel] > begin) {
			begin += min(program, ssd->program_free[channel] - begin);
			ssd->program_free[channel] += cost;
		}
		ssd->read_free[channel] = begin + cost;
		end = max(end, begin + cost);
	}
	return end;
}

/* Queue the programs of a write that is in the buffer at @now; returns the end of the last. */
static u64 program_units(struct sim_disk *disk, const struct sim_slot *slot, u64 now)
{
	const struct sim_params *params = &disk->params;
	struct sim_ssd *ssd = &disk->timing.ssd;
	u32 unit_sectors = params->ssd_unit_kb << 1, left = slot->sectors, part;
	u64 cost = (u64)params->ssd_program_us * NSEC_PER_USEC, end = now;
	unsigned int channel;

	for (; left; left -= part) {
		part = min(left, unit_sectors);
		channel = ssd->next_channel++ % params->ssd_channels;
		ssd->program_free[channel] = max(ssd->program_free[channel], now) + cost * part / unit_sectors;
		end = max(end, ssd->program_free[channel]);
	}
	return end;
}

static u64 write_end(struct sim_disk *disk, const struct sim_slot *slot, u64 now, bool fua)
{
	const struct sim_params *params = &disk->params;
	u64 ack = (u64)params->ssd_ack_us * NSEC_PER_USEC, in_buffer, programmed, slack;

	in_buffer = use_link(&disk->timing.ssd, now, sim_bytes_ns((u64)slot->sectors << 9, params->ssd_mbps));
	programmed = program_units(disk, slot, in_buffer);
	if (!params->cache || fua)
		return programmed + ack;
	/* The time in which the channels empty a full buffer. */
	slack = (u64)params->ssd_buffer_kb * params->ssd_program_us * NSEC_PER_USEC /
		((u64)params->ssd_unit_kb * params->ssd_channels);
	return max(in_buffer, programmed > slack ? programmed - slack : 0) + ack;
}

static void ssd_submit(struct sim_disk *disk, struct sim_slot *slot, u64 now)
{
	const struct sim_cmd *cmd = container_of(slot, struct sim_cmd, slot);
	const struct sim_params *params = &disk->params;
	struct sim_ssd *ssd = &disk->timing.ssd;
	unsigned int channel;
	u64 due = now, ns, last;

	switch (cmd->op) {
	case SIM_READ:
		/* The transfer overlaps the reads of all units but one. */
		ns = sim_bytes_ns((u64)slot->sectors << 9, params->ssd_mbps);
		last = min(ns, sim_bytes_ns((u64)params->ssd_unit_kb << 10, params->ssd_mbps));
		due = max(read_units(disk, slot, now) + last,
			  use_link(ssd, now, ns) + (u64)params->ssd_read_us * NSEC_PER_USEC);
		break;
	case SIM_WRITE:
		due = write_end(disk, slot, now, cmd->fua);
		break;
	case SIM_FLUSH:
		for (channel = 0; channel < params->ssd_channels; channel++)
			due = max(due, ssd->program_free[channel]);
		due += (u64)params->ssd_flush_us * NSEC_PER_USEC;
		break;
	case SIM_DISCARD:
		due += (u64)params->ssd_ack_us * NSEC_PER_USEC;
		break;
	}
	sim_timing_end_at(disk, slot, due);
}

static void ssd_reset(struct sim_disk *disk)
{
	memset(&disk->timing.ssd, 0, sizeof(disk->timing.ssd));
}

const struct sim_model sim_model_ssd = {
	.name = "ssd",
	.queue_depth = 64,
	.reset = ssd_reset,
	.submit = ssd_submit,
};
