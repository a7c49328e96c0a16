// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx replay: brings index and tables from the last checkpoint to the end of the log.
 *
 * Lanes are merged by sequence, from the superblock's tail to the first entry that is missing.  An entry belongs to
 * the walk when its sequence is the next one and its epoch is not lower than that of the entry before it; each start
 * writes a first entry of its own epoch before it accepts a write, so leftovers of an earlier epoch behind the end
 * are never taken for new.  Entries up to the durable mark that later headers carry need only their headers; the
 * payload of those behind it is verified, and written again on every copy, since a power cut may have left one only.
 *
 * DATA and ZERO fill the index.  MAP, GROUP and LOST records up to checkpoint_seq are in the tables already.  Later ones
 * are applied when they fit what is there: a MAP whose old home is the present one, a GROUP by its creation number; others
 * were made before the checkpoint's snapshot and logged after it.  Replay writes nothing but the missing copies, so it may
 * be interrupted and repeated.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <raidx/pool.h>

struct lane_walk {
	u64 lane_seq;	/* of the entry looked for */
	u32 index;	/* segment within the lane */
	u32 block;
	bool found;
	u32 found_index;
	u32 found_block;
	struct page *header;
};

struct replay {
	struct raidx_pool *pool;
	struct lane_walk lane[RAIDX_MAX_LANES];
	struct page *pages[RAIDX_ENTRY_MAX_BLOCKS + 1];
	u64 expected;
	u64 epoch;		/* of the last entry taken */
	u64 epoch_most;
	u64 durable;
	u64 checkpoint_seq;
	u64 applied;
	u64 resynced;
};

static int read_log(struct raidx_pool *pool, u32 segment, u32 copy, u32 block, struct page **pages, u32 nr)
{
	struct raidx_batch batch;
	unsigned int slot;
	u64 at = raidx_log_copy_block(pool, segment, copy, block, &slot);

	if (slot == RAIDX_NO_SLOT || !raidx_member_readable(pool->set, slot))
		return -ENODEV;
	raidx_batch_init(&batch, pool->set, NULL);
	raidx_batch_pages(&batch, slot, REQ_OP_READ, at, pages, nr);
	return raidx_batch_wait(&batch);
}

/*
 * raidx_log_read_block() - read a logged block that is not in the log cache.
 *
 * Context: process, waits for I/O; the caller's reader epoch keeps the log space.  Return: 0, -EIO.
 */
int raidx_log_read_block(struct raidx_pool *pool, const struct raidx_log_entry *entry, u16 index, u32 crc,
			 struct page *page)
{
	u32 copy;

	for (copy = 0; copy < pool->set->geo.copies; copy++) {
		if (read_log(pool, entry->segment, copy, entry->block + 1 + index, &page, 1))
			continue;
		if (raidx_crc32c(page_address(page), RAIDX_BLOCK_BYTES) == crc)
			return 0;
		DMERR_LIMIT("%s: a logged block of entry %llu has a wrong checksum on copy %u", pool->set->name, entry->seq,
			    copy);
	}
	return -EIO;
}

/* Is this header the lane's next entry? */
static bool header_fits(struct replay *replay, u32 lane, const struct raidx_disk_entry *header, u32 block)
{
	const struct raidx_set *set = replay->pool->set;

	return !raidx_entry_check(header, set->super->set_uuid, replay->epoch, &set->geo) && header->lane == lane &&
	       le64_to_cpu(header->epoch) <= replay->epoch_most &&
	       le64_to_cpu(header->lane_seq) == replay->lane[lane].lane_seq &&
	       block + 1 + le16_to_cpu(header->nr_blocks) <= set->geo.segment_blocks;
}

static bool peek_at(struct replay *replay, u32 lane, u32 index, u32 block)
{
	struct raidx_pool *pool = replay->pool;
	struct lane_walk *walk = &replay->lane[lane];
	u32 copy;

	if (block >= pool->set->geo.segment_blocks)
		return false;
	for (copy = 0; copy < pool->set->geo.copies; copy++)
		if (!read_log(pool, raidx_log_segment(&pool->log, lane, index), copy, block, &walk->header, 1) &&
		    header_fits(replay, lane, page_address(walk->header), block)) {
			walk->found = true;
			walk->found_index = index;
			walk->found_block = block;
			return true;
		}
	return false;
}

static void peek(struct replay *replay, u32 lane)
{
	struct lane_walk *walk = &replay->lane[lane];

	walk->found = false;
	if (!peek_at(replay, lane, walk->index, walk->block))
		peek_at(replay, lane, (walk->index + 1) % replay->pool->log.per_lane, 0);
}

static int take(struct replay *replay, u32 lane)
{
	struct lane_walk *walk = &replay->lane[lane];
	struct raidx_log *log = &replay->pool->log;
	const struct raidx_disk_entry *header = page_address(walk->header);
	struct raidx_log_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return -ENOMEM;
	INIT_LIST_HEAD(&entry->nodes);
	INIT_LIST_HEAD(&entry->requests);
	entry->log = log;
	entry->seq = le64_to_cpu(header->seq);
	entry->lane_seq = walk->lane_seq;
	entry->lane = lane;
	entry->segment = raidx_log_segment(log, lane, walk->found_index);
	entry->block = walk->found_block;
	entry->complete = true;
	entry->trimmed = true;
	replay->epoch = le64_to_cpu(header->epoch);
	replay->durable = max(replay->durable, le64_to_cpu(header->durable_seq));
	walk->lane_seq++;
	walk->index = walk->found_index;
	walk->block = walk->found_block + 1 + le16_to_cpu(header->nr_blocks);
	list_add_tail(&entry->list, &log->entries);
	replay->expected++;
	return 0;
}

/* First pass: headers only, to the first entry that is missing. */
static int walk_headers(struct replay *replay)
{
	u32 lanes = replay->pool->set->geo.nr_lanes, lane;

	for (lane = 0; lane < lanes; lane++)
		peek(replay, lane);
	for (;;) {
		u64 epoch = replay->epoch;
		int ret;

		for (lane = 0; lane < lanes; lane++)
			if (replay->lane[lane].found &&
			    le64_to_cpu(((struct raidx_disk_entry *)page_address(replay->lane[lane].header))->seq) ==
			    replay->expected)
				break;
		if (lane == lanes)
			return 0;
		ret = take(replay, lane);
		if (ret)
			return ret;
		peek(replay, lane);
		/* A higher epoch makes what other lanes peeked at stale. */
		if (replay->epoch != epoch)
			for (lane = 0; lane < lanes; lane++)
				peek(replay, lane);
	}
}

/* ---- second pass -------------------------------------------------------------------------------------------- */

static bool payload_good(struct replay *replay, const struct raidx_disk_entry *header)
{
	const struct raidx_disk_record *record = NULL;
	u32 at = 1, i;

	while ((record = raidx_entry_next(header, record))) {
		const __le32 *crc;

		if (record->type == RAIDX_RECORD_DATA)
			crc = ((const struct raidx_disk_record_data *)record)->crc;
		else if (record->type == RAIDX_RECORD_PARITY)
			crc = ((const struct raidx_disk_record_in_place *)record)->crc;
		else
			continue;
		for (i = 0; i < le32_to_cpu(record->count); i++, at++)
			if (raidx_crc32c(page_address(replay->pages[at]), RAIDX_BLOCK_BYTES) != le32_to_cpu(crc[i]))
				return false;
	}
	return true;
}

/* The whole entry from @copy into replay->pages; true when every checksum is right. */
static bool read_whole(struct replay *replay, struct raidx_log_entry *entry, u32 copy, bool payload)
{
	struct raidx_pool *pool = replay->pool;
	const struct raidx_disk_entry *header = page_address(replay->pages[0]);

	if (read_log(pool, entry->segment, copy, entry->block, replay->pages, 1) ||
	    raidx_entry_check(header, pool->set->super->set_uuid, 0, &pool->set->geo) ||
	    le64_to_cpu(header->seq) != entry->seq)
		return false;
	entry->nr_blocks = le16_to_cpu(header->nr_blocks);
	if (!payload || !entry->nr_blocks)
		return true;
	return !read_log(pool, entry->segment, copy, entry->block + 1, replay->pages + 1, entry->nr_blocks) &&
	       payload_good(replay, header);
}

/* Find a good copy; behind the durable mark make sure that all copies are. */
static int load_entry(struct replay *replay, struct raidx_log_entry *entry)
{
	struct raidx_pool *pool = replay->pool;
	bool verify = entry->seq > replay->durable;
	bool bad[RAIDX_MAX_COPIES] = { };
	u32 copies = pool->set->geo.copies, copy, good = copies;
	struct raidx_batch batch;

	for (copy = 0; copy < copies; copy++) {
		if (good == copies || verify)
			bad[copy] = !read_whole(replay, entry, copy, verify);
		if (!bad[copy] && good == copies) {
			good = copy;
			if (!verify)
				return 0;
		}
	}
	if (good == copies)
		return -ENODATA;
	if (!read_whole(replay, entry, good, verify))
		return -EIO;
	raidx_batch_init(&batch, pool->set, NULL);
	for (copy = 0; copy < copies; copy++) {
		unsigned int slot;
		u64 block = raidx_log_copy_block(pool, entry->segment, copy, entry->block, &slot);

		if (!bad[copy] || slot == RAIDX_NO_SLOT || !raidx_member_writable(pool->set, slot))
			continue;
		raidx_batch_pages(&batch, slot, REQ_OP_WRITE, block, replay->pages, entry->nr_blocks + 1);
		replay->resynced++;
	}
	raidx_batch_wait(&batch);
	return batch.error ? raidx_set_fail_members(pool->set, batch.failed, "log repair") : 0;
}

static void apply_data(struct replay *replay, struct raidx_log_entry *entry, const struct raidx_disk_record *record,
		       u32 at)
{
	const struct raidx_disk_record_data *data = (const void *)record;
	u32 i;

	for (i = 0; i < le32_to_cpu(record->count); i++)
		raidx_index_add(&replay->pool->log, entry, le64_to_cpu(data->block) + i, NULL, le32_to_cpu(data->crc[i]),
				at + i, false);
	if (entry->seq > replay->checkpoint_seq && replay->pool->nr_lost)
		raidx_lost_heal(replay->pool, le64_to_cpu(data->block), le32_to_cpu(record->count));
}

static int unmap(struct raidx_pool *pool, u64 stripe)
{
	static const struct raidx_home none;
	struct raidx_home home;
	int ret = raidx_table_load_locked(pool, RAIDX_TABLE_MAP, div_u64(stripe, RAIDX_MAPS_PER_PAGE));

	if (!ret)
		ret = raidx_map_lookup(pool, stripe, &home);
	if (ret || home.level == RAIDX_LEVEL_NONE)
		return ret;
	raidx_row_mark_used(pool, home.group, home.row, false);
	return raidx_map_set(pool, stripe, &none);
}

static int apply_zero(struct replay *replay, struct raidx_log_entry *entry, const struct raidx_disk_record *record)
{
	const struct raidx_disk_record_zero *zero = (const void *)record;
	struct raidx_pool *pool = replay->pool;
	const struct raidx_geometry *geo = &pool->set->geo;
	u64 block = le64_to_cpu(zero->block), left = le64_to_cpu(zero->blocks);
	int ret = 0;

	if (entry->seq > replay->checkpoint_seq && pool->nr_lost)
		raidx_lost_heal(pool, block, left);
	while (left && !ret) {
		u32 at, i;
		u64 stripe = div_u64_rem(block, geo->stripe_blocks, &at);
		u32 now = min_t(u64, left, geo->stripe_blocks - at);

		if (now == geo->stripe_blocks || (!at && block + now == geo->length_blocks)) {
			raidx_index_drop_range(&pool->log, block, now, U64_MAX);
			if (entry->seq > replay->checkpoint_seq)
				ret = unmap(pool, stripe);
		} else {
			for (i = 0; i < now; i++)
				raidx_index_add(&pool->log, entry, block + i, NULL, 0, 0, true);
		}
		block += now;
		left -= now;
	}
	return ret;
}

static int apply_map(struct replay *replay, struct raidx_log_entry *entry, const struct raidx_disk_record *record)
{
	const struct raidx_disk_record_map *map = (const void *)record;
	struct raidx_pool *pool = replay->pool;
	const struct raidx_geometry *geo = &pool->set->geo;
	u64 stripe = le64_to_cpu(map->stripe);
	struct raidx_home now, old, new;
	u32 nr = le32_to_cpu(record->count);
	int ret;

	raidx_index_drop_range(&pool->log, stripe * geo->stripe_blocks, geo->stripe_blocks, le64_to_cpu(map->absorbed_seq));
	if (entry->seq <= replay->checkpoint_seq)
		return 0;
	raidx_home_from_disk(&map->old, &old);
	raidx_home_from_disk(&map->new, &new);
	ret = raidx_table_load_locked(pool, RAIDX_TABLE_MAP, div_u64(stripe, RAIDX_MAPS_PER_PAGE));
	if (!ret)
		ret = raidx_map_lookup(pool, stripe, &now);
	if (ret || !raidx_home_equal(&now, &old))
		return ret;
	if (new.level != RAIDX_LEVEL_NONE) {
		if (!pool->group[new.group] || pool->group[new.group]->image.level != new.level ||
		    new.row >= le32_to_cpu(pool->group[new.group]->image.rows)) {
			DMERR("%s: replay: entry %llu maps stripe %llu to a block group that does not exist", pool->set->name,
			      entry->seq, stripe);
			return -EUCLEAN;
		}
		raidx_row_mark_used(pool, new.group, new.row, true);
		ret = raidx_row_record_replay(pool, &new, stripe, map->crc, nr, entry->seq);
		if (ret)
			return ret;
	}
	if (old.level != RAIDX_LEVEL_NONE)
		raidx_row_mark_used(pool, old.group, old.row, false);
	return raidx_map_set(pool, stripe, &new);
}

static int apply_group(struct replay *replay, struct raidx_log_entry *entry, const struct raidx_disk_record *record)
{
	const struct raidx_disk_record_group *group = (const void *)record;
	struct raidx_pool *pool = replay->pool;
	u32 number = le32_to_cpu(group->group), count = le32_to_cpu(record->count), i;
	struct raidx_group *there = pool->group[number];
	struct raidx_disk_group *image;
	const char *error;

	if (entry->seq <= replay->checkpoint_seq)
		return 0;
	if (group->level == RAIDX_LEVEL_NONE) {
		if (there && there->image.created == group->created)
			raidx_group_remove(pool, number);
		return 0;
	}
	pool->groups_created = max(pool->groups_created, le64_to_cpu(group->created));
	if (there && le64_to_cpu(there->image.created) >= le64_to_cpu(group->created))
		return 0;
	if (there)
		raidx_group_remove(pool, number);
	image = kzalloc(sizeof(*image), GFP_KERNEL | __GFP_NOFAIL);
	image->level = group->level;
	image->width = count;
	image->table = group->table;
	image->unit = group->unit;
	image->rows = group->rows;
	image->created = group->created;
	memcpy(image->column, group->column, count * sizeof(image->column[0]));
	error = raidx_group_check(image, &pool->set->geo);
	for (i = 0; i < count && !error; i++)
		if (le32_to_cpu(image->column[i].extent) >= pool->set->member[image->column[i].slot].data_extents)
			error = "block group: an extent is out of range";
	if (error)
		DMERR("%s: replay: entry %llu: %s", pool->set->name, entry->seq, error);
	else
		raidx_group_install(pool, number, image);
	kfree(image);
	return error ? -EUCLEAN : 0;
}

static int apply_lost(struct replay *replay, struct raidx_log_entry *entry, const struct raidx_disk_record *record)
{
	const struct raidx_disk_record_lost *lost = (const void *)record;

	if (entry->seq <= replay->checkpoint_seq)
		return 0;
	if (record->flags & RAIDX_RECORD_LOST_HEALED)
		raidx_lost_heal(replay->pool, le64_to_cpu(lost->block), le64_to_cpu(lost->blocks));
	else
		raidx_lost_add(replay->pool, le64_to_cpu(lost->block), le64_to_cpu(lost->blocks));
	return 0;
}

static int apply_entry(struct replay *replay, struct raidx_log_entry *entry)
{
	const struct raidx_disk_entry *header = page_address(replay->pages[0]);
	const struct raidx_disk_record *record = NULL;
	u32 at = 0;
	int ret = 0;

	while (!ret && (record = raidx_entry_next(header, record))) {
		switch (record->type) {
		case RAIDX_RECORD_DATA:
			apply_data(replay, entry, record, at);
			break;
		case RAIDX_RECORD_ZERO:
			ret = apply_zero(replay, entry, record);
			break;
		case RAIDX_RECORD_MAP:
			ret = apply_map(replay, entry, record);
			break;
		case RAIDX_RECORD_GROUP:
			ret = apply_group(replay, entry, record);
			break;
		case RAIDX_RECORD_LOST:
			ret = apply_lost(replay, entry, record);
			break;
		default:
			DMERR("%s: replay: entry %llu has a record of type %u, which this version does not write",
			      replay->pool->set->name, entry->seq, record->type);
			ret = -EUCLEAN;
		}
		at += raidx_record_blocks(record);
	}
	replay->applied++;
	return ret;
}

/* Entries from @entry on did not survive. */
static void cut_off(struct replay *replay, struct raidx_log_entry *entry)
{
	struct raidx_log *log = &replay->pool->log;
	struct raidx_log_entry *next;

	list_for_each_entry_safe_from(entry, next, &log->entries, list) {
		list_del(&entry->list);
		kfree(entry);
	}
}

static int apply_all(struct replay *replay)
{
	struct raidx_log *log = &replay->pool->log;
	struct raidx_log_entry *entry;
	int ret = 0;

	list_for_each_entry(entry, &log->entries, list) {
		ret = load_entry(replay, entry);
		if (ret == -ENODATA && entry->seq > replay->durable) {
			cut_off(replay, entry);
			return 0;
		}
		if (!ret)
			ret = apply_entry(replay, entry);
		if (ret)
			break;
	}
	return ret;
}

/* Where the lanes go on: behind the last entry of each. */
static void set_lanes(struct raidx_pool *pool)
{
	const struct raidx_disk_super *super = pool->set->super;
	u32 lanes = pool->set->geo.nr_lanes, i;
	struct raidx_log *log = &pool->log;
	struct raidx_log_entry *entry;

	for (i = 0; i < lanes; i++) {
		log->lane[i].next_seq = le64_to_cpu(super->lane_tail[i].lane_seq);
		log->lane[i].first = le32_to_cpu(super->lane_tail[i].segment) / lanes;
		log->lane[i].tail = log->lane[i].first;
		log->lane[i].block = le32_to_cpu(super->lane_tail[i].block);
	}
	log->last_seq = le64_to_cpu(super->tail_seq) - 1;
	list_for_each_entry(entry, &log->entries, list) {
		struct raidx_lane *lane = &log->lane[entry->lane];

		log->last_seq = entry->seq;
		lane->next_seq = entry->lane_seq + 1;
		lane->first = entry->segment / lanes;
		lane->block = entry->block + 1 + entry->nr_blocks;
	}
	log->complete_seq = log->last_seq;
	log->durable_seq = log->last_seq;
}

static int flush_members(struct raidx_pool *pool)
{
	struct raidx_batch batch;
	u32 slot;

	raidx_batch_init(&batch, pool->set, NULL);
	for (slot = 0; slot < pool->set->geo.nr_slots; slot++)
		if (raidx_member_writable(pool->set, slot))
			raidx_batch_flush(&batch, slot);
	raidx_batch_wait(&batch);
	return batch.error ? raidx_set_fail_members(pool->set, batch.failed, "flush") : 0;
}

static struct replay *replay_new(struct raidx_pool *pool)
{
	const struct raidx_disk_super *super = pool->set->super;
	struct replay *replay = vzalloc(sizeof(*replay));
	u32 i;

	if (!replay)
		return NULL;
	replay->pool = pool;
	replay->expected = le64_to_cpu(super->tail_seq);
	replay->epoch_most = le64_to_cpu(super->epoch);
	replay->checkpoint_seq = le64_to_cpu(super->checkpoint_seq);
	for (i = 0; i <= RAIDX_ENTRY_MAX_BLOCKS; i++)
		replay->pages[i] = alloc_page(GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < pool->set->geo.nr_lanes; i++) {
		replay->lane[i].lane_seq = le64_to_cpu(super->lane_tail[i].lane_seq);
		replay->lane[i].index = le32_to_cpu(super->lane_tail[i].segment) / pool->set->geo.nr_lanes;
		replay->lane[i].block = le32_to_cpu(super->lane_tail[i].block);
		replay->lane[i].header = alloc_page(GFP_KERNEL | __GFP_NOFAIL);
	}
	return replay;
}

static void replay_free(struct replay *replay)
{
	u32 i;

	for (i = 0; i <= RAIDX_ENTRY_MAX_BLOCKS; i++)
		__free_page(replay->pages[i]);
	for (i = 0; i < RAIDX_MAX_LANES; i++)
		if (replay->lane[i].header)
			__free_page(replay->lane[i].header);
	vfree(replay);
}

/**
 * raidx_log_replay() - from the checkpoint to the end of the log.
 * @pool: anchor loaded, index empty.
 * @error: sentence on failure.
 *
 * Context: start, set->lock held.  Return: 0, -EIO, -EUCLEAN, -ENOMEM.
 */
int raidx_log_replay(struct raidx_pool *pool, const char **error)
{
	struct replay *replay = replay_new(pool);
	int ret;

	if (!replay) {
		*error = "out of memory for replay";
		return -ENOMEM;
	}
	ret = walk_headers(replay);
	if (!ret)
		ret = apply_all(replay);
	if (!ret)
		ret = flush_members(pool);
	set_lanes(pool);
	if (ret)
		*error = "the log could not be replayed";
	else
		DMINFO("%s: replayed %llu log entries, %llu blocks are in the log, %llu copies repaired", pool->set->name,
		       replay->applied, pool->log.nr_nodes, replay->resynced);
	replay_free(replay);
	return ret;
}
