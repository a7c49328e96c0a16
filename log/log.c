// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx log: a mirrored ring in lanes, in front of a pool.
 *
 * An entry is a header block with records, and payload.  Sequences are global; each lane appends to segments of its
 * own, so that entries under way at the same time keep different members busy.  Entries are acknowledged in the
 * order of their sequences, since replay stops at the first one that is missing.
 *
 * Commit (for a flush from above, for MAP records, at least every second): wait for the entries given out so far,
 * flush every member with unflushed writes, then, if there are records of rows, write them with FUA.  While records
 * wait for their flush no entry starts (the gate), so that all below a record entry is durable when it is.
 *
 * Crash: replay (replay.c) starts at the superblock's tail.  Space at or after that tail is never written: a lane
 * never enters the segment that holds its durable tail.
 */
#include <linux/slab.h>
#include <raidx/pool.h>

u32 raidx_log_segment(struct raidx_log *log, u32 lane, u32 index)
{
	return index * log->pool->set->geo.nr_lanes + lane;
}

/* Block on the member where block @block of a segment's copy is; *slot = RAIDX_NO_SLOT when there is no such copy. */
u64 raidx_log_copy_block(struct raidx_pool *pool, u32 segment, u32 copy, u32 block, unsigned int *slot)
{
	const struct raidx_disk_segment *map = &pool->set->super->segment[segment];
	const struct raidx_geometry *geo = &pool->set->geo;

	*slot = copy < geo->copies ? map->slot[copy] : RAIDX_NO_SLOT;
	return geo->log_start + (u64)map->index[copy] * geo->segment_blocks + block;
}

/* ---- space --------------------------------------------------------------------------------------------- */

static u32 next_index(struct raidx_log *log, u32 index)
{
	return index + 1 == log->per_lane ? 0 : index + 1;
}

/* May a lane take @blocks more?  Records may use the last segment, data may not. */
static bool lane_room(struct raidx_log *log, struct raidx_lane *lane, u32 blocks, bool reserve)
{
	u32 next;

	if (lane->block + blocks <= log->pool->set->geo.segment_blocks)
		return true;
	next = next_index(log, lane->first);
	if (next == lane->tail)
		return false;
	return reserve || next_index(log, next) != lane->tail;
}

static s32 choose_lane(struct raidx_log *log, u32 blocks, bool reserve)
{
	u32 lanes = log->pool->set->geo.nr_lanes, i;

	for (i = 0; i < lanes; i++) {
		u32 lane = (log->next_lane + i) % lanes;

		if (lane_room(log, &log->lane[lane], blocks, reserve))
			return lane;
	}
	return -1;
}

bool raidx_log_room(struct raidx_log *log, u32 blocks, bool reserve)
{
	return choose_lane(log, blocks, reserve) >= 0;
}

u64 raidx_log_total_blocks(struct raidx_log *log)
{
	const struct raidx_geometry *geo = &log->pool->set->geo;

	return (u64)geo->nr_segments * geo->segment_blocks;
}

u64 raidx_log_used_blocks(struct raidx_log *log)
{
	const struct raidx_geometry *geo = &log->pool->set->geo;
	u64 used = 0;
	u32 i;

	for (i = 0; i < geo->nr_lanes; i++) {
		struct raidx_lane *lane = &log->lane[i];
		u32 whole = (lane->first + log->per_lane - lane->tail) % log->per_lane;

		used += (u64)whole * geo->segment_blocks + lane->block;
	}
	return used;
}

/* A checkpoint has moved the tail and no reader needs what is before it. set->lock held. */
void raidx_log_release(struct raidx_log *log, u64 tail_seq)
{
	const struct raidx_disk_super *super = log->pool->set->super;
	struct raidx_log_entry *entry, *next;
	u32 i;

	for (i = 0; i < log->pool->set->geo.nr_lanes; i++)
		log->lane[i].tail = le32_to_cpu(super->lane_tail[i].segment) / log->pool->set->geo.nr_lanes;
	list_for_each_entry_safe(entry, next, &log->entries, list) {
		if (entry->seq >= tail_seq)
			break;
		if (WARN_ON_ONCE(entry->nr_nodes || !entry->complete))
			break;
		list_del(&entry->list);
		raidx_log_entry_free(entry);
	}
}

/* ---- entries -------------------------------------------------------------------------------------------- */

struct raidx_log_entry *raidx_log_entry_new(struct raidx_log *log)
{
	struct raidx_log_entry *entry = kzalloc(sizeof(*entry), GFP_NOIO);

	if (!entry)
		return NULL;
	entry->pages = kcalloc(RAIDX_ENTRY_MAX_BLOCKS + 1, sizeof(*entry->pages), GFP_NOIO);
	entry->header = alloc_page(GFP_NOIO | __GFP_ZERO | __GFP_MEMALLOC);
	if (!entry->pages || !entry->header) {
		raidx_log_entry_free(entry);
		return NULL;
	}
	entry->pages[0] = entry->header;
	entry->log = log;
	INIT_LIST_HEAD(&entry->list);
	INIT_LIST_HEAD(&entry->nodes);
	INIT_LIST_HEAD(&entry->requests);
	return entry;
}

/* The pages' own references; nodes hold theirs. */
static void release_pages_of(struct raidx_log_entry *entry)
{
	u32 i;

	for (i = 1; entry->pages && i <= entry->nr_blocks; i++)
		put_page(entry->pages[i]);
	if (entry->header)
		__free_page(entry->header);
	kfree(entry->pages);
	entry->pages = NULL;
	entry->header = NULL;
}

void raidx_log_entry_free(struct raidx_log_entry *entry)
{
	release_pages_of(entry);
	kfree(entry);
}

static void entry_done(struct raidx_batch *batch)
{
	struct raidx_log_entry *entry = container_of(batch, struct raidx_log_entry, batch);

	llist_add(&entry->completed, &entry->log->completed);
	raidx_pool_wake(entry->log->pool);
}

static void place_entry(struct raidx_log *log, struct raidx_log_entry *entry, u32 lane_number)
{
	struct raidx_lane *lane = &log->lane[lane_number];

	if (lane->block + entry->nr_blocks + 1 > log->pool->set->geo.segment_blocks) {
		lane->first = next_index(log, lane->first);
		lane->block = 0;
	}
	entry->lane = lane_number;
	entry->seq = ++log->last_seq;
	entry->lane_seq = lane->next_seq++;
	entry->segment = raidx_log_segment(log, lane_number, lane->first);
	entry->block = lane->block;
	lane->block += entry->nr_blocks + 1;
	log->next_lane = (lane_number + 1) % log->pool->set->geo.nr_lanes;
}

static void seal_entry(struct raidx_log *log, struct raidx_log_entry *entry)
{
	struct raidx_disk_entry *header = page_address(entry->header);
	const struct raidx_disk_super *super = log->pool->set->super;

	header->epoch = super->epoch;
	header->seq = cpu_to_le64(entry->seq);
	header->lane_seq = cpu_to_le64(entry->lane_seq);
	header->tail_seq = super->tail_seq;
	header->durable_seq = cpu_to_le64(log->durable_seq);
	header->nr_blocks = cpu_to_le16(entry->nr_blocks);
	header->lane = entry->lane;
	raidx_entry_seal(header, super->set_uuid);
}

/**
 * raidx_log_submit() - give an entry its sequence and write its copies.
 * @log: the log.
 * @entry: filled; the log's from now on.
 * @fua: durable when complete, if all before it are.
 * @reserve: may use the space kept for records.
 *
 * Context: process, set->lock held.  Return: 0; -ENOSPC (nothing done; raidx_log_room() tells before).
 */
int raidx_log_submit(struct raidx_log *log, struct raidx_log_entry *entry, bool fua, bool reserve)
{
	s32 lane = choose_lane(log, entry->nr_blocks + 1, reserve);
	blk_opf_t opf = REQ_OP_WRITE | REQ_SYNC | REQ_IDLE | (fua ? REQ_FUA : 0);
	struct raidx_pool *pool = log->pool;
	u32 copy;

	if (lane < 0)
		return -ENOSPC;
	place_entry(log, entry, lane);
	entry->fua = fua;
	seal_entry(log, entry);
	list_add_tail(&entry->list, &log->entries);
	log->in_flight++;
	raidx_batch_init(&entry->batch, pool->set, entry_done);
	for (copy = 0; copy < pool->set->geo.copies; copy++) {
		unsigned int slot;
		u64 block = raidx_log_copy_block(pool, entry->segment, copy, entry->block, &slot);

		if (slot != RAIDX_NO_SLOT && raidx_member_writable(pool->set, slot))
			raidx_batch_pages(&entry->batch, slot, opf, block, entry->pages, entry->nr_blocks + 1);
	}
	raidx_batch_end(&entry->batch);
	return 0;
}

/* Did any copy of the entry get written?  Failed members are recorded first. */
static bool entry_written(struct raidx_log *log, struct raidx_log_entry *entry)
{
	struct raidx_pool *pool = log->pool;
	bool written = false;
	u32 copy;

	for (copy = 0; copy < pool->set->geo.copies; copy++) {
		unsigned int slot;

		raidx_log_copy_block(pool, entry->segment, copy, entry->block, &slot);
		if (slot != RAIDX_NO_SLOT && !raidx_batch_slot_failed(&entry->batch, slot) &&
		    raidx_member_writable(pool->set, slot))
			written = true;
	}
	if (entry->batch.error && raidx_set_fail_members(pool->set, entry->batch.failed, "log write"))
		return false;
	return written;
}

static void log_fail(struct raidx_log *log)
{
	if (log->failed)
		return;
	log->failed = true;
	raidx_set_degrade(log->pool->set, RAIDX_MODE_FAILED, "the log could not be written on any member");
}

static void acknowledge(struct raidx_log *log, struct raidx_log_entry *entry)
{
	struct raidx_request *request, *next;

	list_for_each_entry_safe(request, next, &entry->requests, list) {
		list_del_init(&request->list);
		raidx_request_end(request, log->failed ? BLK_STS_IOERR : BLK_STS_OK);
	}
}

/* Entries that have returned: judge them, acknowledge in order. set->lock held, the worker. */
void raidx_log_reap(struct raidx_log *log)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&log->completed));
	struct raidx_log_entry *entry, *next;
	bool any = list;

	llist_for_each_entry_safe(entry, next, list, completed) {
		if (!entry_written(log, entry))
			log_fail(log);
		entry->complete = true;
		log->in_flight--;
		release_pages_of(entry);
	}
	if (!any)
		return;
	list_for_each_entry(entry, &log->entries, list) {
		if (entry->seq <= log->complete_seq)
			continue;
		if (!entry->complete)
			break;
		WRITE_ONCE(log->complete_seq, entry->seq);
		acknowledge(log, entry);
	}
	wake_up_all(&log->pool->progress);
}

/* ---- commit ---------------------------------------------------------------------------------------------- */

static void flush_done(struct raidx_batch *batch)
{
	struct raidx_log *log = container_of(batch, struct raidx_log, commit_batch);

	WRITE_ONCE(log->commit_flushed, true);
	raidx_pool_wake(log->pool);
}

static void commit_flush(struct raidx_log *log)
{
	struct raidx_set *set = log->pool->set;
	u32 slot;

	log->commit_flushed = false;
	raidx_batch_init(&log->commit_batch, set, flush_done);
	for (slot = 0; slot < set->geo.nr_slots; slot++)
		if (raidx_member_writable(set, slot) && READ_ONCE(set->member[slot].needs_flush)) {
			WRITE_ONCE(set->member[slot].needs_flush, false);
			raidx_batch_flush(&log->commit_batch, slot);
		}
	log->commit_state = RAIDX_COMMIT_FLUSH;
	raidx_batch_end(&log->commit_batch);
}

/* Put as many records into entries as there is room for. */
static void commit_records(struct raidx_log *log)
{
	struct raidx_record_item *item, *next;

	while (!list_empty(&log->commit_records)) {
		struct raidx_log_entry *entry;

		if (!raidx_log_room(log, 1, true))
			break;
		entry = raidx_log_entry_new(log);
		if (!entry)
			break;
		list_for_each_entry_safe(item, next, &log->commit_records, list) {
			void *record = NULL;

			if (item->bytes) {
				record = raidx_entry_add(page_address(entry->header), item->record->type, item->bytes, 0);
				if (!record)
					break;
				memcpy(record, item->record, item->bytes);
			}
			list_move_tail(&item->list, &log->commit_written);
		}
		if (raidx_log_submit(log, entry, true, true)) {
			raidx_log_entry_free(entry);
			break;
		}
		log->commit_target = entry->seq;
	}
	if (list_empty(&log->commit_records))
		log->commit_gate = false;
	else
		wake_up(&log->pool->destage_wait);
}

static void commit_finish(struct raidx_log *log)
{
	struct raidx_record_item *item, *next;
	struct raidx_request *request, *next_request;

	if (!log->failed)
		log->durable_seq = log->commit_target;
	list_for_each_entry_safe(item, next, &log->commit_written, list) {
		list_del(&item->list);
		log->pool->nr_pending_records--;
		raidx_grave_add(log->pool, item);
	}
	log->commit_state = RAIDX_COMMIT_IDLE;
	log->commit_gate = false;
	log->commit_count++;
	log->pool->stats.commits++;
	log->pool->last_commit_jiffies = jiffies;
	list_for_each_entry_safe(request, next_request, &log->commit_requests, list) {
		list_del_init(&request->list);
		raidx_request_end(request, log->failed ? BLK_STS_IOERR : BLK_STS_OK);
	}
	wake_up_all(&log->pool->progress);
}

static void commit_begin(struct raidx_log *log)
{
	list_splice_tail_init(&log->commit_waiters, &log->commit_requests);
	list_splice_tail_init(&log->pool->pending_records, &log->commit_records);
	log->commit_target = log->last_seq;
	log->commit_gate = !list_empty(&log->commit_records);
	log->commit_wanted = false;
	log->commit_started++;
	log->commit_state = RAIDX_COMMIT_DRAIN;
}

/* Take the commit as far as it goes now. set->lock held, the worker. */
void raidx_log_commit_step(struct raidx_log *log)
{
	if (log->commit_state == RAIDX_COMMIT_IDLE &&
	    (log->commit_wanted || !list_empty(&log->commit_waiters)))
		commit_begin(log);
	if (log->commit_state == RAIDX_COMMIT_DRAIN && (log->complete_seq >= log->commit_target || log->failed))
		commit_flush(log);
	if (log->commit_state == RAIDX_COMMIT_FLUSH && READ_ONCE(log->commit_flushed)) {
		if (log->commit_batch.error &&
		    raidx_set_fail_members(log->pool->set, log->commit_batch.failed, "flush"))
			log_fail(log);
		if (!log->failed)
			log->durable_seq = max(log->durable_seq, log->commit_target);
		log->commit_state = RAIDX_COMMIT_RECORD;
	}
	if (log->commit_state == RAIDX_COMMIT_RECORD) {
		if (log->failed)
			list_splice_tail_init(&log->commit_records, &log->commit_written);
		else
			commit_records(log);
		if (list_empty(&log->commit_records) && (log->failed || log->complete_seq >= log->commit_target))
			commit_finish(log);
	}
}

/*
 * raidx_log_commit_wait() - make everything so far durable.
 *
 * Context: process, no lock held.  Return: 0, -EIO when the log has failed.
 */
int raidx_log_commit_wait(struct raidx_pool *pool)
{
	struct raidx_log *log = &pool->log;
	u64 wanted;

	mutex_lock(&pool->set->lock);
	/* A running one may have begun too early. */
	wanted = log->commit_count + (log->commit_state == RAIDX_COMMIT_IDLE ? 1 : 2);
	log->commit_wanted = true;
	mutex_unlock(&pool->set->lock);
	raidx_pool_wake(pool);
	wait_event(pool->progress, READ_ONCE(log->commit_count) >= wanted || READ_ONCE(log->failed));
	return log->failed ? -EIO : 0;
}

/* ---- placement -------------------------------------------------------------------------------------------- */

static bool segment_in_use(struct raidx_log *log, u32 segment)
{
	u32 lanes = log->pool->set->geo.nr_lanes;
	struct raidx_lane *lane = &log->lane[segment % lanes];
	u32 index = segment / lanes, used = (lane->first + log->per_lane - lane->tail) % log->per_lane;

	return (index + log->per_lane - lane->tail) % log->per_lane <= used;
}

static bool index_taken(struct raidx_log *log, u8 slot, u8 index)
{
	const struct raidx_disk_super *super = log->pool->set->super;
	u32 i, copy;

	for (i = 0; i < log->pool->set->geo.nr_segments; i++)
		for (copy = 0; copy < log->pool->set->geo.copies; copy++)
			if (super->segment[i].slot[copy] == slot && super->segment[i].index[copy] == index)
				return true;
	return false;
}

static bool place_copy(struct raidx_log *log, struct raidx_disk_segment *segment, u32 copy)
{
	const struct raidx_geometry *geo = &log->pool->set->geo;
	u32 i, other, index;

	for (i = 0; i < geo->nr_slots - geo->nr_spares; i++) {
		u32 slot = (i + segment->lane + segment->index[0]) % (geo->nr_slots - geo->nr_spares);
		bool same = false;

		for (other = 0; other < geo->copies; other++)
			if (other != copy && segment->slot[other] == slot)
				same = true;
		if (same || !raidx_member_writable(log->pool->set, slot))
			continue;
		for (index = 0; index < geo->segment_slots; index++)
			if (!index_taken(log, slot, index)) {
				segment->slot[copy] = slot;
				segment->index[copy] = index;
				return true;
			}
	}
	return false;
}

/*
 * raidx_log_replace_segments() - after a member failed: segments without content get whole copies again.
 *
 * Segments in use keep the copies they have and lose only the failed one; lanes go on in a fresh segment, so new
 * entries have all their copies.  The caller writes the superblocks.  Context: set->lock held.
 */
void raidx_log_replace_segments(struct raidx_log *log)
{
	struct raidx_disk_super *super = log->pool->set->super;
	const struct raidx_geometry *geo = &log->pool->set->geo;
	u32 i, copy;

	for (i = 0; i < geo->nr_segments; i++)
		for (copy = 0; copy < geo->copies; copy++) {
			u8 slot = super->segment[i].slot[copy];

			if (slot != RAIDX_NO_SLOT && !raidx_member_writable(log->pool->set, slot))
				super->segment[i].slot[copy] = RAIDX_NO_SLOT;
		}
	for (i = 0; i < geo->nr_segments; i++)
		for (copy = 0; copy < geo->copies; copy++)
			if (super->segment[i].slot[copy] == RAIDX_NO_SLOT && !segment_in_use(log, i))
				place_copy(log, &super->segment[i], copy);
	for (i = 0; i < geo->nr_lanes; i++) {
		struct raidx_lane *lane = &log->lane[i];
		const struct raidx_disk_segment *segment = &super->segment[raidx_log_segment(log, i, lane->first)];
		u32 next = next_index(log, lane->first);

		for (copy = 0; copy < geo->copies; copy++)
			if (segment->slot[copy] == RAIDX_NO_SLOT && next != lane->tail && lane->block) {
				lane->first = next;
				lane->block = 0;
				break;
			}
	}
	super->segment_map_generation = cpu_to_le32(le32_to_cpu(super->segment_map_generation) + 1);
}

int raidx_log_init(struct raidx_pool *pool)
{
	struct raidx_log *log = &pool->log;
	u64 limit = pool->set->log_cache_sectors / RAIDX_BLOCK_SECTORS;

	log->pool = pool;
	log->per_lane = pool->set->geo.nr_segments / pool->set->geo.nr_lanes;
	INIT_LIST_HEAD(&log->entries);
	INIT_LIST_HEAD(&log->commit_waiters);
	INIT_LIST_HEAD(&log->commit_requests);
	INIT_LIST_HEAD(&log->commit_records);
	INIT_LIST_HEAD(&log->commit_written);
	init_llist_head(&log->completed);
	log->cache_limit = limit ? limit : min_t(u64, raidx_log_total_blocks(log), totalram_pages() / 16);
	return raidx_index_init(log);
}

void raidx_log_exit(struct raidx_pool *pool)
{
	struct raidx_log *log = &pool->log;
	struct raidx_log_entry *entry, *next;

	if (!log->pool)
		return;
	list_for_each_entry_safe(entry, next, &log->entries, list) {
		struct raidx_node *node, *next_node;

		spin_lock(&pool->index_lock);
		list_for_each_entry_safe(node, next_node, &entry->nodes, in_entry)
			raidx_index_drop(log, node);
		spin_unlock(&pool->index_lock);
		raidx_log_entry_free(entry);
	}
	raidx_index_exit(log);
}
