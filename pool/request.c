// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx requests: the life of a bio in a pool.
 *
 * Reads whose blocks are all at home on healthy members are cloned in the submitter's context; blocks in the log
 * cache are copied; anything else (degraded, page-in, blocks in the log but not in memory) goes to a workqueue.
 * Writes, discards and zeroes are queued for the worker, in order.  The worker sends whole stripes to new rows and
 * the rest to the log.  A write below 4 KiB is merged with the block's newest content first, one at a time.
 *
 * request->value[0] = flags, value[1] = reader epoch.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <raidx/pool.h>

enum request_flags {
	REQUEST_FUA = 1,	/* to be made durable before it is acknowledged */
	REQUEST_READER = 2,	/* holds a reader epoch */
	REQUEST_SEQUENTIAL = 4,	/* goes on where the write before it ended */
};

#define HOLD_NS		500000	/* a sequential partial stripe waits so long for the rest of it */

static struct raidx_pool *request_pool(struct raidx_request *request)
{
	return request->set->level;
}

static u64 first_block(const struct bio *bio)
{
	return bio->bi_iter.bi_sector / RAIDX_BLOCK_SECTORS;
}

static u32 bio_blocks(const struct bio *bio)
{
	return bio->bi_iter.bi_size / RAIDX_BLOCK_BYTES;
}

static bool is_aligned(const struct bio *bio)
{
	return !(bio->bi_iter.bi_sector % RAIDX_BLOCK_SECTORS) && !(bio_sectors(bio) % RAIDX_BLOCK_SECTORS);
}

/* One part is done; the last one acknowledges, FUA writes by way of a commit. Process context for writes. */
void raidx_request_end(struct raidx_request *request, blk_status_t status)
{
	struct raidx_pool *pool = request_pool(request);

	if (status)
		request->status = status;
	if (!atomic_dec_and_test(&request->pending))
		return;
	if (request->value[0] & REQUEST_READER)
		raidx_readers_exit(pool, request->value[1]);
	if ((request->value[0] & REQUEST_FUA) && !request->status) {
		lockdep_assert_held(&pool->set->lock);
		request->value[0] &= ~REQUEST_FUA;
		atomic_set(&request->pending, 1);
		list_add_tail(&request->list, &pool->log.commit_waiters);
		raidx_pool_wake(pool);
		return;
	}
	request->bio->bi_status = request->status;
	bio_endio(request->bio);
}

/* ---- reads ---------------------------------------------------------------------------------------- */

/* What a read of one block needs. */
struct read_source {
	struct page *page;		/* referenced; copy from it */
	struct raidx_log_entry entry;	/* place in the log, when not in memory */
};

struct slow_read {
	struct work_struct work;
	struct raidx_request *request;
	struct bvec_iter iter;
};

/* Copy @bytes at @offset of a block's page into the bio at @iter, and advance. */
static void copy_to_bio(struct bio *bio, struct bvec_iter *iter, struct page *page, u32 offset, u32 bytes)
{
	while (bytes) {
		struct bio_vec vec = bio_iter_iovec(bio, *iter);
		u32 now = min(vec.bv_len, bytes);

		if (page)
			memcpy_to_page(vec.bv_page, vec.bv_offset, page_address(page) + offset, now);
		else
			memzero_page(vec.bv_page, vec.bv_offset, now);
		bio_advance_iter_single(bio, iter, now);
		offset += now;
		bytes -= now;
	}
}

static void copy_from_bio(struct bio *bio, struct bvec_iter *iter, struct page *page, u32 offset, u32 bytes)
{
	while (bytes) {
		struct bio_vec vec = bio_iter_iovec(bio, *iter);
		u32 now = min(vec.bv_len, bytes);

		memcpy_from_page(page_address(page) + offset, vec.bv_page, vec.bv_offset, now);
		bio_advance_iter_single(bio, iter, now);
		offset += now;
		bytes -= now;
	}
}

/*
 * read_block_any() - newest content of one block, from wherever it is.
 *
 * Context: process, waits for I/O, no lock held.  @stamp (may be NULL) tells which version it was.
 */
static int read_block_any(struct raidx_pool *pool, u64 block, struct page *page, u64 *stamp)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_log_entry *entry = NULL;
	struct raidx_home home = { };
	struct raidx_node *node;
	u32 in_stripe, epoch, crc = 0;
	u64 stripe = div_u64_rem(block, geo->stripe_blocks, &in_stripe);
	u16 index = 0;
	int ret;

again:
	spin_lock(&pool->index_lock);
	epoch = raidx_readers_enter(pool);
	node = raidx_index_find(&pool->log, block);
	ret = 0;
	if (node) {
		if (stamp)
			*stamp = node->entry->seq;
		if (node->zero) {
			clear_page(page_address(page));
		} else if (node->page) {
			memcpy(page_address(page), page_address(node->page), RAIDX_BLOCK_BYTES);
		} else {
			entry = node->entry;	/* kept by our epoch */
			index = node->index;
			crc = node->crc;
		}
	} else if (raidx_lost_find(pool, block, 1)) {
		ret = -EIO;
	} else {
		ret = raidx_map_lookup(pool, stripe, &home);
		if (stamp)
			*stamp = 1ULL << 63 | (u64)home.group << 32 | home.row << 1 | (home.level != 0);
	}
	spin_unlock(&pool->index_lock);
	if (ret == -EAGAIN) {
		raidx_readers_exit(pool, epoch);
		ret = raidx_map_page_in(pool, stripe);
		if (ret)
			return ret;
		goto again;
	}
	if (entry)
		ret = raidx_log_read_block(pool, entry, index, crc, page);
	else if (!ret && !node && home.level == RAIDX_LEVEL_NONE)
		clear_page(page_address(page));
	else if (!ret && !node)
		ret = raidx_row_read(pool, &home, in_stripe, 1, &page);
	raidx_readers_exit(pool, epoch);
	return ret;
}

static void slow_read_work(struct work_struct *work)
{
	struct slow_read *slow = container_of(work, struct slow_read, work);
	struct raidx_request *request = slow->request;
	struct bio *bio = request->bio;
	struct page *page = alloc_page(GFP_NOIO | __GFP_NOFAIL);
	int ret = 0;

	while (slow->iter.bi_size && !ret) {
		u32 offset = slow->iter.bi_sector % RAIDX_BLOCK_SECTORS * SECTOR_SIZE;
		u32 bytes = min_t(u32, RAIDX_BLOCK_BYTES - offset, slow->iter.bi_size);

		ret = read_block_any(request_pool(request), slow->iter.bi_sector / RAIDX_BLOCK_SECTORS, page, NULL);
		if (!ret)
			copy_to_bio(bio, &slow->iter, page, offset, bytes);
	}
	__free_page(page);
	kfree(slow);
	raidx_request_end(request, errno_to_blk_status(ret));
}

/* @iter: the part of the bio; takes over one of request->pending. Any context. */
static void slow_read(struct raidx_request *request, struct bvec_iter iter)
{
	struct slow_read *slow = kmalloc(sizeof(*slow), GFP_NOWAIT);

	if (!slow) {
		/* Memory is short: the caller may retry; an error is not allowed to look like lost data. */
		raidx_request_end(request, BLK_STS_RESOURCE);
		return;
	}
	slow->request = request;
	slow->iter = iter;
	INIT_WORK(&slow->work, slow_read_work);
	queue_work(request_pool(request)->slow, &slow->work);
}

/* Where a clone came from, so that a failed one can be read from redundancy. */
struct clone_part {
	struct bvec_iter iter;
	struct raidx_request *request;
	u8 slot;
};

static void clone_end_io(struct bio *clone)
{
	struct clone_part *part = clone->bi_private;
	struct raidx_request *request = part->request;
	blk_status_t status = clone->bi_status;
	struct raidx_member *member = &request->set->member[part->slot];
	struct bvec_iter iter = part->iter;

	atomic_dec(&member->in_flight);
	bio_put(clone);
	kfree(part);
	if (!status) {
		raidx_request_end(request, BLK_STS_OK);
		return;
	}
	atomic_inc(&member->read_errors);
	slow_read(request, iter);
}

static bool send_clone(struct raidx_request *request, u8 slot, u64 sector, struct bvec_iter iter)
{
	struct raidx_set *set = request->set;
	struct clone_part *part = kmalloc(sizeof(*part), GFP_NOWAIT);
	struct bio *clone;

	clone = part ? bio_alloc_clone(set->member[slot].bdev, request->bio, GFP_NOWAIT, &set->bios) : NULL;
	if (!clone) {
		kfree(part);
		return false;
	}
	part->iter = iter;
	part->request = request;
	part->slot = slot;
	clone->bi_iter = iter;
	clone->bi_iter.bi_sector = sector;
	clone->bi_private = part;
	clone->bi_end_io = clone_end_io;
	atomic_inc(&set->member[slot].in_flight);
	raidx_member_submit(set, slot, clone);
	return true;
}

/* Copy with the least work in front of it. */
static u32 choose_copy(struct raidx_pool *pool, const struct raidx_disk_group *image, const struct raidx_home *home,
		       u32 block, struct raidx_place *place)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	u32 copies = home->level == RAIDX_LEVEL_RAID1 ? geo->copies : 1, copy, best = U32_MAX;
	struct raidx_place now;
	int least = INT_MAX;

	for (copy = 0; copy < copies; copy++) {
		u8 slot;
		int load;

		raidx_row_place(geo, home->level, image->width, home->row, block, copy, &now);
		slot = image->column[now.column].slot;
		if (!raidx_member_readable(pool->set, slot))
			continue;
		load = atomic_read(&pool->set->member[slot].in_flight);
		if (load < least) {
			least = load;
			best = copy;
			*place = now;
		}
	}
	return best;
}

/* Where the next run of a read comes from. */
struct read_run {
	enum { RUN_ZERO, RUN_PAGE, RUN_MEMBER, RUN_SLOW } kind;
	u32 blocks;
	struct page *page;
	u8 slot;
	u64 member_block;
};

/* index_lock held. Blocks [first, first + most) lie in one stripe. */
static void plan_run(struct raidx_pool *pool, u64 first, u32 most, const struct raidx_home *home, struct read_run *run)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_node *node = raidx_index_find(&pool->log, first);
	const struct raidx_disk_group *image;
	struct raidx_place place;
	u32 in_stripe;

	run->blocks = 1;
	if (node) {
		run->kind = node->zero ? RUN_ZERO : node->page ? RUN_PAGE : RUN_SLOW;
		run->page = node->page;
		if (run->kind == RUN_PAGE)
			get_page(node->page);
		return;
	}
	div_u64_rem(first, geo->stripe_blocks, &in_stripe);
	if (home->level == RAIDX_LEVEL_NONE) {
		run->kind = RUN_ZERO;
	} else {
		image = &pool->group[home->group]->image;
		run->kind = RUN_SLOW;
		if (choose_copy(pool, image, home, in_stripe, &place) == U32_MAX)
			return;
		run->kind = RUN_MEMBER;
		run->slot = image->column[place.column].slot;
		run->member_block = raidx_extent_block(geo, &image->column[place.column], place.block);
		most = min(most, place.run);
	}
	if (pool->log.nr_nodes)
		while (run->blocks < most && !raidx_index_find(&pool->log, first + run->blocks))
			run->blocks++;
	else
		run->blocks = most;
}

/* Split a read into runs and start each. The bio lies within one stripe (max_io_len), any sector alignment. */
static void start_read(struct raidx_pool *pool, struct raidx_request *request)
{
	struct bio *bio = request->bio;
	struct bvec_iter iter = bio->bi_iter;
	struct raidx_home home = { };
	u32 in_stripe;
	u64 stripe = div_u64_rem(first_block(bio), pool->set->geo.stripe_blocks, &in_stripe);
	int ret;

	atomic_set(&request->pending, 1);
	spin_lock(&pool->index_lock);
	request->value[0] |= REQUEST_READER;
	request->value[1] = raidx_readers_enter(pool);
	ret = raidx_map_lookup(pool, stripe, &home);
	if (!ret && pool->nr_lost &&
	    raidx_lost_find(pool, first_block(bio), bio_blocks(bio) + 2))
		ret = -EAGAIN;
	spin_unlock(&pool->index_lock);
	if (ret) {
		slow_read(request, iter);
		return;
	}
	while (iter.bi_size) {
		u32 skip = iter.bi_sector % RAIDX_BLOCK_SECTORS * SECTOR_SIZE, bytes;
		struct bvec_iter part = iter;
		struct read_run run;

		spin_lock(&pool->index_lock);
		plan_run(pool, iter.bi_sector / RAIDX_BLOCK_SECTORS,
			 DIV_ROUND_UP(skip + iter.bi_size, RAIDX_BLOCK_BYTES), &home, &run);
		spin_unlock(&pool->index_lock);
		bytes = min_t(u32, run.blocks * RAIDX_BLOCK_BYTES - skip, iter.bi_size);
		part.bi_size = bytes;
		if (run.kind == RUN_PAGE || run.kind == RUN_ZERO) {
			copy_to_bio(bio, &part, run.kind == RUN_PAGE ? run.page : NULL, skip, bytes);
			if (run.kind == RUN_PAGE)
				put_page(run.page);
		} else {
			atomic_inc(&request->pending);
			if (run.kind == RUN_SLOW ||
			    !send_clone(request, run.slot, run.member_block * RAIDX_BLOCK_SECTORS + skip / SECTOR_SIZE, part))
				slow_read(request, part);
		}
		bio_advance_iter(bio, &iter, bytes);
	}
	raidx_request_end(request, BLK_STS_OK);
}

/* ---- writes: collecting ---------------------------------------------------------------------------- */

/* Whole-stripe write of @nr queued requests that together cover @stripe. */
static int start_row(struct raidx_pool *pool, u64 stripe, struct list_head *parts, struct raidx_row_write **result)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_row_write *write = raidx_row_write_new(pool, stripe);
	struct raidx_request *request;

	if (!write)
		return -ENOMEM;
	if (raidx_row_alloc(pool, raidx_parity_level(pool), false, &write->new)) {
		raidx_row_write_free(write);
		return -ENOSPC;
	}
	write->absorbed_seq = pool->log.last_seq;
	list_for_each_entry(request, parts, list) {
		struct bvec_iter iter = request->bio->bi_iter;
		u32 at = first_block(request->bio) - stripe * geo->stripe_blocks;

		while (iter.bi_size)
			copy_from_bio(request->bio, &iter, write->pages[at++], 0, RAIDX_BLOCK_BYTES);
	}
	list_splice_init(parts, &write->requests);
	pool->stats.direct_rows++;
	*result = write;
	return 0;
}

/* Take from the queue's head the requests that cover a stripe one after the other. @hold: more may come soon. */
static bool take_stripe(struct raidx_pool *pool, u64 *stripe, struct list_head *parts, bool *hold)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_request *request, *next;
	u32 at = 0;
	u64 end = 0;

	*hold = false;
	list_for_each_entry(request, &pool->queue, list) {
		struct bio *bio = request->bio;
		u64 block = first_block(bio);

		if (bio_op(bio) != REQ_OP_WRITE)
			return false;
		if (!at) {
			*stripe = div_u64_rem(block, geo->stripe_blocks, &at);
			if (at)
				return false;
		} else if (block != end) {
			return false;
		}
		end = block + bio_blocks(bio);
		at = end - *stripe * geo->stripe_blocks;
		if (at >= geo->stripe_blocks)
			break;
	}
	if (at != geo->stripe_blocks) {
		/* The queue ends in the middle of a stripe: worth a moment if this is a sequential stream. */
		request = list_first_entry_or_null(&pool->queue, struct raidx_request, list);
		*hold = request && at < geo->stripe_blocks && (request->value[0] & REQUEST_SEQUENTIAL);
		return false;
	}
	list_for_each_entry_safe(request, next, &pool->queue, list) {
		bool last = first_block(request->bio) + bio_blocks(request->bio) == end;

		list_move_tail(&request->list, parts);
		pool->queued--;
		if (last)
			break;
	}
	return true;
}

static void end_requests(struct list_head *list, blk_status_t status)
{
	struct raidx_request *request, *next;

	list_for_each_entry_safe(request, next, list, list) {
		list_del_init(&request->list);
		raidx_request_end(request, status);
	}
}

/* As many whole stripes as the queue's head has, written as runs of consecutive rows. */
static u32 start_rows(struct raidx_pool *pool, bool *hold)
{
	struct raidx_row_write *writes[RAIDX_RUN_ROWS];
	struct raidx_row_run *run;
	u32 nr = 0, i, from;
	u64 stripe;

	while (nr < RAIDX_RUN_ROWS) {
		LIST_HEAD(parts);
		int ret;

		if (!take_stripe(pool, &stripe, &parts, hold))
			break;
		ret = start_row(pool, stripe, &parts, &writes[nr]);
		if (ret) {
			/* No row or no memory: back to the head of the queue, by way of the log. */
			struct raidx_request *request;

			list_for_each_entry(request, &parts, list)
				pool->queued++;
			list_splice(&parts, &pool->queue);
			*hold = false;
			break;
		}
		nr++;
	}
	for (from = 0, i = 1; from < nr; i++) {
		if (i < nr && writes[i]->new.group == writes[from]->new.group &&
		    writes[i]->new.row == writes[from]->new.row + i - from)
			continue;
		if (raidx_row_run_start(pool, writes + from, i - from, NULL, &run)) {
			u32 k;

			for (k = from; k < i; k++) {
				end_requests(&writes[k]->requests, BLK_STS_RESOURCE);
				raidx_row_free_busy(pool, writes[k]->new.group, writes[k]->new.row);
				raidx_row_write_free(writes[k]);
			}
		} else {
			pool->rows_in_flight++;
		}
		from = i;
	}
	return nr;
}

void raidx_rows_reap(struct raidx_pool *pool)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&pool->rows_completed));
	struct raidx_row_run *run, *next;

	llist_for_each_entry_safe(run, next, list, completed) {
		pool->rows_in_flight--;
		raidx_row_run_finish(run);
	}
}

/* ---- writes: to the log ------------------------------------------------------------------------------- */

/* Add blocks of the queue's first request to @entry. 1 = the whole request is in; 0 = the entry is full. */
static int add_data(struct raidx_pool *pool, struct raidx_log_entry *entry, struct raidx_request *request)
{
	struct bio *bio = request->bio;
	struct raidx_disk_entry *header = page_address(entry->header);
	struct raidx_disk_record_data *record;
	u32 nr = min_t(u32, bio_blocks(bio), RAIDX_ENTRY_MAX_BLOCKS - entry->nr_blocks), i;
	u32 room = raidx_entry_room(header);

	if (room < sizeof(*record) + 8)
		return 0;
	nr = min_t(u32, nr, (room - sizeof(*record)) / 4 & ~1u);
	if (!nr && bio_blocks(bio) == 1 && entry->nr_blocks < RAIDX_ENTRY_MAX_BLOCKS)
		nr = 1;
	if (!nr)
		return 0;
	for (i = 0; i < nr; i++) {
		struct page *page = alloc_page(GFP_NOIO | __GFP_MEMALLOC);

		if (!page) {
			nr = i;
			break;
		}
		entry->pages[1 + entry->nr_blocks + i] = page;
	}
	if (!nr)
		return -ENOMEM;
	record = raidx_entry_add(header, RAIDX_RECORD_DATA, struct_size(record, crc, nr), nr);
	record->block = cpu_to_le64(first_block(bio));
	for (i = 0; i < nr; i++) {
		u64 block = first_block(bio);
		struct page *page = entry->pages[1 + entry->nr_blocks];
		u32 crc;

		copy_from_bio(bio, &bio->bi_iter, page, 0, RAIDX_BLOCK_BYTES);
		crc = raidx_crc32c(page_address(page), RAIDX_BLOCK_BYTES);
		record->crc[i] = cpu_to_le32(crc);
		if (pool->nr_lost)
			raidx_lost_heal(pool, block, 1);
		raidx_index_add(&pool->log, entry, block, page, crc, entry->nr_blocks, false);
		entry->nr_blocks++;
	}
	pool->stats.logged_blocks += nr;
	/* Entries are acknowledged in order, so waiting for the last part is enough. */
	if (!bio->bi_iter.bi_size)
		list_move_tail(&request->list, &entry->requests);
	return !bio->bi_iter.bi_size;
}

/* Stripes that the range covers whole are unmapped; parts of stripes get zero nodes. set->lock held. */
static int apply_zero(struct raidx_pool *pool, struct raidx_log_entry *entry, u64 block, u64 nr)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	static const struct raidx_home none;

	while (nr) {
		u32 at, now, i;
		u64 stripe = div_u64_rem(block, geo->stripe_blocks, &at);
		struct raidx_home home;
		struct raidx_record_item *item;
		int ret;

		now = min_t(u64, nr, geo->stripe_blocks - at);
		if (now == geo->stripe_blocks || (!at && block + now == geo->length_blocks)) {
			ret = raidx_table_load_locked(pool, RAIDX_TABLE_MAP, div_u64(stripe, RAIDX_MAPS_PER_PAGE));
			if (!ret)
				ret = raidx_map_lookup(pool, stripe, &home);
			if (ret)
				return ret;
			raidx_index_drop_range(&pool->log, block, now, U64_MAX);
			if (home.level != RAIDX_LEVEL_NONE) {
				ret = raidx_map_set(pool, stripe, &none);
				if (ret)
					return ret;
				raidx_row_mark_used(pool, home.group, home.row, false);
				item = raidx_record_new(0, 0, 0);
				item->frees_row = true;
				item->row_group = home.group;
				item->row = home.row;
				raidx_record_queue(pool, item);
			}
		} else {
			for (i = 0; i < now; i++)
				raidx_index_add(&pool->log, entry, block + i, NULL, 0, 0, true);
		}
		block += now;
		nr -= now;
	}
	return 0;
}

/* A range of zeroes: one record. Blocks that it covers in part only are left (discard) or were merged (zeroes). */
static int add_zero(struct raidx_pool *pool, struct raidx_log_entry *entry, struct raidx_request *request)
{
	struct bio *bio = request->bio;
	u64 first = DIV_ROUND_UP_SECTOR_T(bio->bi_iter.bi_sector, RAIDX_BLOCK_SECTORS);
	u64 end = div_u64(bio_end_sector(bio), RAIDX_BLOCK_SECTORS);
	struct raidx_disk_record_zero *record;
	int ret;

	if (end > first) {
		record = raidx_entry_add(page_address(entry->header), RAIDX_RECORD_ZERO, sizeof(*record), 0);
		if (!record)
			return 0;
		record->block = cpu_to_le64(first);
		record->blocks = cpu_to_le64(end - first);
		if (bio_op(bio) == REQ_OP_DISCARD)
			record->head.flags = RAIDX_RECORD_ZERO_DISCARD;
		ret = apply_zero(pool, entry, first, end - first);
		raidx_lost_heal(pool, first, end - first);
		if (ret)
			request->status = errno_to_blk_status(ret);
	}
	list_move_tail(&request->list, &entry->requests);
	return 1;
}

/* Fill an entry from the queue's head. */
static void fill_entry(struct raidx_pool *pool, struct raidx_log_entry *entry)
{
	while (!list_empty(&pool->queue) && entry->nr_blocks < RAIDX_ENTRY_MAX_BLOCKS) {
		struct raidx_request *request = list_first_entry(&pool->queue, struct raidx_request, list);
		struct bio *bio = request->bio;
		bool data = bio_op(bio) == REQ_OP_WRITE;
		u32 at;

		/* A whole stripe in one bio goes to a row; the caller sees to it. */
		if (data && bio_blocks(bio) == pool->set->geo.stripe_blocks && entry->nr_blocks) {
			div_u64_rem(first_block(bio), pool->set->geo.stripe_blocks, &at);
			if (!at)
				break;
		}
		if (data ? add_data(pool, entry, request) != 1 : add_zero(pool, entry, request) != 1)
			break;
		pool->queued--;
	}
}

/*
 * raidx_request_queue_run() - send what waits in the queue on its way.
 *
 * Context: the worker, set->lock held.  Return: ns after which a held request must go on; 0 = nothing is held.
 */
int raidx_request_queue_run(struct raidx_pool *pool)
{
	struct raidx_log *log = &pool->log;
	bool hold;

	while (!list_empty(&pool->queue) && !log->commit_gate) {
		struct raidx_log_entry *entry;
		u64 now;

		if (pool->set->mode >= RAIDX_MODE_READONLY || log->failed) {
			end_requests(&pool->queue, BLK_STS_IOERR);
			pool->queued = 0;
			break;
		}
		if (start_rows(pool, &hold))
			continue;
		if (hold) {
			now = ktime_get_ns();
			if (!pool->hold_until)
				pool->hold_until = now + HOLD_NS;
			if (now < pool->hold_until)
				return pool->hold_until - now;
		}
		pool->hold_until = 0;
		if (!raidx_log_room(log, RAIDX_ENTRY_MAX_BLOCKS + 1, false)) {
			wake_up(&pool->destage_wait);
			break;
		}
		entry = raidx_log_entry_new(log);
		if (!entry)
			break;
		fill_entry(pool, entry);
		if (!entry->nr_blocks && list_empty(&entry->requests)) {
			/* No memory for a single block: the worker comes back. */
			raidx_log_entry_free(entry);
			break;
		}
		if (raidx_log_submit(log, entry, false, false))
			break;
	}
	return 0;
}

/* ---- writes below 4 KiB ----------------------------------------------------------------------------------- */

struct merge {
	struct work_struct work;
	struct raidx_request *request;
};

/* Is the newest version of the block still the one of @stamp?  set->lock held. */
static bool stamp_holds(struct raidx_pool *pool, u64 block, u64 stamp)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_home home;
	struct raidx_node *node;
	bool same;

	spin_lock(&pool->index_lock);
	node = raidx_index_find(&pool->log, block);
	if (node)
		same = node->entry->seq == stamp;
	else
		same = !raidx_map_lookup(pool, div_u64(block, geo->stripe_blocks), &home) &&
		       stamp == (1ULL << 63 | (u64)home.group << 32 | home.row << 1 | (home.level != 0));
	spin_unlock(&pool->index_lock);
	return same;
}

/* One block of a merged write: 0, 1 = the block changed meanwhile or the log has no room: again. */
static int merge_block(struct raidx_pool *pool, struct raidx_request *request, struct page *page, u64 stamp,
		       u32 offset, u32 bytes)
{
	struct raidx_log *log = &pool->log;
	struct bio *bio = request->bio;
	u64 block = first_block(bio);
	struct raidx_disk_record_data *record;
	struct raidx_log_entry *entry;
	u32 crc;

	if (log->commit_gate || !stamp_holds(pool, block, stamp) || !raidx_log_room(log, 2, false))
		return 1;
	if (pool->set->mode >= RAIDX_MODE_READONLY || log->failed)
		return -EIO;
	entry = raidx_log_entry_new(log);
	if (!entry)
		return 1;
	if (bio_op(bio) == REQ_OP_WRITE) {
		copy_from_bio(bio, &bio->bi_iter, page, offset, bytes);
	} else {
		memset(page_address(page) + offset, 0, bytes);
		bio->bi_iter.bi_sector += bytes / SECTOR_SIZE;
		bio->bi_iter.bi_size -= bytes;
	}
	crc = raidx_crc32c(page_address(page), RAIDX_BLOCK_BYTES);
	record = raidx_entry_add(page_address(entry->header), RAIDX_RECORD_DATA, struct_size(record, crc, 1), 1);
	record->block = cpu_to_le64(block);
	record->crc[0] = cpu_to_le32(crc);
	entry->pages[1] = page;
	raidx_index_add(log, entry, block, page, crc, 0, false);
	entry->nr_blocks = 1;
	raidx_lost_heal(pool, block, 1);
	/* The request waits for each of its entries; it is listed in the last. */
	if (!bio->bi_iter.bi_size)
		list_add_tail(&request->list, &entry->requests);
	pool->stats.merged++;
	return raidx_log_submit(log, entry, false, false) ? -EIO : 0;
}

static void merge_work(struct work_struct *work)
{
	struct merge *merge = container_of(work, struct merge, work);
	struct raidx_request *request = merge->request;
	struct raidx_pool *pool = request_pool(request);
	struct bio *bio = request->bio;
	int ret = 0;

	kfree(merge);
	while (bio->bi_iter.bi_size && ret >= 0) {
		u32 offset = bio->bi_iter.bi_sector % RAIDX_BLOCK_SECTORS * SECTOR_SIZE;
		u32 bytes = min_t(u32, RAIDX_BLOCK_BYTES - offset, bio->bi_iter.bi_size);
		struct page *page = alloc_page(GFP_NOIO | __GFP_NOFAIL);
		u64 stamp;

		if (bytes == RAIDX_BLOCK_BYTES) {
			/* Whole inner blocks need no old content, but the order of this bio's parts is kept. */
			ret = read_block_any(pool, first_block(bio), page, &stamp);
			if (ret == -EIO)
				ret = 0;
		} else {
			ret = read_block_any(pool, first_block(bio), page, &stamp);
		}
		if (!ret) {
			mutex_lock(&pool->set->lock);
			ret = merge_block(pool, request, page, stamp, offset, bytes);
			mutex_unlock(&pool->set->lock);
		}
		if (ret)
			__free_page(page);
		if (ret == 1) {
			/* Gate or full log: wait until something moved. */
			u64 commits = READ_ONCE(pool->log.commit_count);

			raidx_pool_wake(pool);
			wake_up(&pool->destage_wait);
			wait_event_timeout(pool->progress, READ_ONCE(pool->log.commit_count) != commits, HZ / 100);
		}
	}
	if (ret < 0) {
		mutex_lock(&pool->set->lock);
		raidx_request_end(request, errno_to_blk_status(ret));
		mutex_unlock(&pool->set->lock);
	}
}

static bool needs_merge(const struct bio *bio)
{
	return (bio_op(bio) == REQ_OP_WRITE || bio_op(bio) == REQ_OP_WRITE_ZEROES) && !is_aligned(bio);
}

static void start_merge(struct raidx_pool *pool, struct raidx_request *request)
{
	struct merge *merge = kmalloc(sizeof(*merge), GFP_NOIO);

	if (!merge) {
		raidx_request_end(request, BLK_STS_RESOURCE);
		return;
	}
	merge->request = request;
	INIT_WORK(&merge->work, merge_work);
	queue_work(pool->merger, &merge->work);
}

/* Take in what was submitted since the last look. set->lock held. */
void raidx_requests_collect(struct raidx_pool *pool)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&pool->incoming));
	struct raidx_request *request, *next;

	llist_for_each_entry_safe(request, next, list, node) {
		struct bio *bio = request->bio;

		INIT_LIST_HEAD(&request->list);
		atomic_set(&request->pending, 1);
		if (bio->bi_opf & REQ_FUA)
			request->value[0] |= REQUEST_FUA;
		if (!bio->bi_iter.bi_size) {
			list_add_tail(&request->list, &pool->log.commit_waiters);
		} else if (needs_merge(bio)) {
			start_merge(pool, request);
		} else {
			if (first_block(bio) == pool->last_write_block)
				request->value[0] |= REQUEST_SEQUENTIAL;
			pool->last_write_block = first_block(bio) + bio_blocks(bio);
			list_add_tail(&request->list, &pool->queue);
			pool->queued++;
		}
		pool->last_write_jiffies = jiffies;
	}
}

/*
 * raidx_pool_map() - one bio.
 *
 * Context: as dm's map: may not wait for I/O.
 */
int raidx_pool_map(struct raidx_set *set, struct bio *bio, struct raidx_request *request)
{
	struct raidx_pool *pool = set->level;

	request->bio = bio;
	request->set = set;
	request->status = BLK_STS_OK;
	request->value[0] = 0;
	if (bio_op(bio) == REQ_OP_READ) {
		raidx_heat_note(pool, first_block(bio), false);
		start_read(pool, request);
		return DM_MAPIO_SUBMITTED;
	}
	if (set->read_only)
		return DM_MAPIO_KILL;
	if (bio_op(bio) == REQ_OP_WRITE && bio->bi_iter.bi_size)
		raidx_heat_note(pool, first_block(bio), true);
	if (llist_add(&request->node, &pool->incoming))
		raidx_pool_wake(pool);
	return DM_MAPIO_SUBMITTED;
}
