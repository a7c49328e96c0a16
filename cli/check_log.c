// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check of the log: a walk over the entry headers of all lanes, from the superblock's tail to the first entry that is
 * missing, as replay does it.
 *
 * An entry that is on one copy alone is normal behind the last durable mark, where a power cut may have left it so;
 * before it, a copy is damaged.
 */
#include <stdlib.h>
#include <string.h>
#include "check.h"

/**
 * struct walk - where one lane is.
 * @seq: lane sequence looked for.
 * @index: segment within the lane.
 * @block: block in it.
 * @found: the entry is there: @found_index, @found_block, @header.
 * @good: bit per copy with a good header.
 * @present: bit per copy whose member is here.
 */
struct walk {
	u64 seq;
	u32 index;
	u32 block;
	bool found;
	u32 found_index;
	u32 found_block;
	u32 good;
	u32 present;
	u8 header[RAIDX_BLOCK_BYTES] __attribute__((aligned(8)));
};

/**
 * struct poor - an entry that is not good on all copies.
 * @seq: it.
 * @missing: copies that it lacks.
 * @good: copies that it has.
 */
struct poor {
	u64 seq;
	u32 missing;
	u32 good;
};

/**
 * struct log_check - the walk over all lanes.
 * @check: the check.
 * @lane: the lanes.
 * @expected: next sequence.
 * @epoch: of the entry before.
 * @durable: highest durable mark seen.
 * @poor: entries not good on all copies.
 * @nr_poor: how many.
 * @payload: an entry with its blocks.
 */
struct log_check {
	struct check *check;
	struct walk lane[RAIDX_MAX_LANES];
	u64 expected;
	u64 epoch;
	u64 durable;
	struct poor *poor;
	size_t nr_poor;
	u8 payload[RAIDX_ENTRY_MAX_BLOCKS][RAIDX_BLOCK_BYTES];
};

static const struct raidx_disk_entry *header_of(const struct walk *walk)
{
	return (const void *)walk->header;
}

/* Slot and block of a copy; false = there is no such copy, or its member is not here. */
static bool place(struct check *check, u32 lane, u32 index, u32 copy, u32 block, u32 *slot, u64 *at)
{
	const struct raidx_geometry *geo = &check->geo;
	const struct raidx_disk_segment *segment = &check->super->segment[index * geo->nr_lanes + lane];

	*slot = segment->slot[copy];
	*at = geo->log_start + (u64)segment->index[copy] * geo->segment_blocks + block;
	return *slot < geo->nr_slots && scan_readable(check->set, *slot);
}

static bool fits(const struct log_check *log, u32 lane, const struct raidx_disk_entry *entry, u32 block)
{
	const struct check *check = log->check;

	return !raidx_entry_check(entry, check->super->set_uuid, log->epoch, &check->geo) && entry->lane == lane &&
	       le64_to_cpu(entry->epoch) <= le64_to_cpu(check->super->epoch) + 1 &&
	       le64_to_cpu(entry->lane_seq) == log->lane[lane].seq &&
	       block + 1 + le16_to_cpu(entry->nr_blocks) <= check->geo.segment_blocks;
}

static bool peek_at(struct log_check *log, u32 lane, u32 index, u32 block)
{
	struct walk *walk = &log->lane[lane];
	u8 header[RAIDX_BLOCK_BYTES] __attribute__((aligned(8)));
	u32 copy, slot;
	u64 at;

	walk->good = 0;
	walk->present = 0;
	if (block >= log->check->geo.segment_blocks)
		return false;
	for (copy = 0; copy < log->check->geo.copies && copy < RAIDX_MAX_COPIES; copy++) {
		if (!place(log->check, lane, index, copy, block, &slot, &at))
			continue;
		walk->present |= 1u << copy;
		if (check_read(log->check, slot, at, 1, header) || !fits(log, lane, (const void *)header, block))
			continue;
		if (!walk->good)
			memcpy(walk->header, header, sizeof(header));
		else if (memcmp(walk->header, header, sizeof(header)))
			continue;
		walk->good |= 1u << copy;
	}
	walk->found = walk->good;
	walk->found_index = index;
	walk->found_block = block;
	return walk->found;
}

static void peek(struct log_check *log, u32 lane)
{
	struct walk *walk = &log->lane[lane];
	u32 per_lane = log->check->geo.nr_segments / log->check->geo.nr_lanes;

	walk->found = false;
	if (!peek_at(log, lane, walk->index, walk->block))
		peek_at(log, lane, (walk->index + 1) % per_lane, 0);
}

static bool payload_good(struct log_check *log, const struct raidx_disk_entry *entry)
{
	const struct raidx_disk_record *record = NULL;
	u32 at = 0, i;

	while ((record = raidx_entry_next(entry, record))) {
		const __le32 *crc;

		if (record->type == RAIDX_RECORD_DATA)
			crc = ((const struct raidx_disk_record_data *)record)->crc;
		else if (record->type == RAIDX_RECORD_PARITY)
			crc = ((const struct raidx_disk_record_in_place *)record)->crc;
		else
			continue;
		for (i = 0; i < le32_to_cpu(record->count); i++, at++)
			if (raidx_crc32c(log->payload[at], RAIDX_BLOCK_BYTES) != le32_to_cpu(crc[i]))
				return false;
	}
	return true;
}

/* Take copies whose payload is not what the header says off the good ones. */
static void check_payload(struct log_check *log, u32 lane)
{
	struct walk *walk = &log->lane[lane];
	const struct raidx_disk_entry *entry = header_of(walk);
	u32 nr = le16_to_cpu(entry->nr_blocks), copy, slot;
	u64 at;

	for (copy = 0; nr && copy < RAIDX_MAX_COPIES; copy++) {
		if (!(walk->good & 1u << copy))
			continue;
		if (!place(log->check, lane, walk->found_index, copy, walk->found_block, &slot, &at) ||
		    check_read(log->check, slot, at + 1, nr, log->payload) || !payload_good(log, entry))
			walk->good &= ~(1u << copy);
	}
}

static void remember_poor(struct log_check *log, const struct walk *walk)
{
	struct poor *longer;

	if (walk->good == walk->present)
		return;
	longer = realloc(log->poor, (log->nr_poor + 1) * sizeof(*longer));
	if (!longer)
		return;
	log->poor = longer;
	log->poor[log->nr_poor++] = (struct poor){
		.seq = le64_to_cpu(header_of(walk)->seq),
		.missing = walk->present & ~walk->good,
		.good = walk->good,
	};
}

static void take(struct log_check *log, u32 lane)
{
	struct walk *walk = &log->lane[lane];
	const struct raidx_disk_entry *entry = header_of(walk);

	if (log->check->data)
		check_payload(log, lane);
	remember_poor(log, walk);
	log->epoch = le64_to_cpu(entry->epoch);
	log->durable = max(log->durable, le64_to_cpu(entry->durable_seq));
	log->check->entries++;
	log->check->log_blocks += le16_to_cpu(entry->nr_blocks);
	log->expected++;
	walk->seq++;
	walk->index = walk->found_index;
	walk->block = walk->found_block + 1 + le16_to_cpu(entry->nr_blocks);
}

static void walk_all(struct log_check *log)
{
	u32 lanes = log->check->geo.nr_lanes, lane;

	for (lane = 0; lane < lanes; lane++)
		peek(log, lane);
	for (;;) {
		u64 epoch = log->epoch;

		for (lane = 0; lane < lanes; lane++)
			if (log->lane[lane].found && le64_to_cpu(header_of(&log->lane[lane])->seq) == log->expected)
				break;
		if (lane == lanes)
			return;
		take(log, lane);
		peek(log, lane);
		/* A higher epoch makes what other lanes found stale. */
		if (log->epoch != epoch)
			for (lane = 0; lane < lanes; lane++)
				peek(log, lane);
	}
}

static void report(struct log_check *log)
{
	struct check *check = log->check;
	u64 last = log->expected - 1, torn = 0;
	size_t i;

	for (i = 0; i < log->nr_poor; i++) {
		const struct poor *poor = &log->poor[i];

		if (poor->seq > log->durable)
			torn++;
		else
			check_found(check, poor->good ? FINDING_DAMAGE : FINDING_LOSS,
				    "log entry %llu: %s%u of its copies", (unsigned long long)poor->seq,
				    poor->good ? "lacks " : "is not whole on any, lacks ",
				    __builtin_popcount(poor->missing));
	}
	if (torn)
		check_found(check, FINDING_NOTE, "%llu log entries at its end are not on all copies (a power cut); "
			    "the next start sees to it", (unsigned long long)torn);
	if (log->durable > last && check->entries)
		check_found(check, FINDING_LOSS, "the log ends at entry %llu, although entry %llu was durable",
			    (unsigned long long)last, (unsigned long long)log->durable);
	if (check->entries && le32_to_cpu(check->super->flags) & RAIDX_SUPER_CLEAN)
		check_found(check, FINDING_NOTE, "the set was stopped in order, but its log is not empty");
}

void check_log(struct check *check)
{
	struct log_check *log;
	u32 lane;

	if (!check->geo.nr_lanes)
		return;
	log = calloc(1, sizeof(*log));
	if (!log) {
		check_found(check, FINDING_LOSS, "not enough memory to check the log");
		return;
	}
	log->check = check;
	log->expected = le64_to_cpu(check->super->tail_seq);
	for (lane = 0; lane < check->geo.nr_lanes; lane++) {
		const struct raidx_disk_lane_tail *tail = &check->super->lane_tail[lane];

		log->lane[lane].seq = le64_to_cpu(tail->lane_seq);
		log->lane[lane].index = le32_to_cpu(tail->segment) / check->geo.nr_lanes;
		log->lane[lane].block = le32_to_cpu(tail->block);
	}
	walk_all(log);
	report(log);
	free(log->poor);
	free(log);
}
