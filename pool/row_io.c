// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx rows: writing new ones from memory, in runs; reading them, degraded if need be.
 *
 * A row that the map names is never written in place (but for the repair of a block that could not be read, with
 * what it already held), so a reader needs no lock: it only keeps the row from being reused (raidx_readers_enter).
 * A run of consecutive rows is one command a member; pads are written as zeroes so that runs have no holes.
 */
#include <linux/slab.h>
#include <raidx/parity.h>
#include <raidx/pool.h>

/*
 * raidx_row_write_new() - pages for a stripe and its parity.
 *
 * Pages of data are the caller's to fill.  Context: process, GFP_NOIO.  Return: NULL when memory is short.
 */
struct raidx_row_write *raidx_row_write_new(struct raidx_pool *pool, u64 stripe)
{
	u32 most = pool->set->geo.stripe_blocks * (1 + pool->set->geo.parity), i;
	struct raidx_row_write *write;

	write = kvzalloc(struct_size(write, pages, most) + most * sizeof(u32), GFP_NOIO);
	if (!write)
		return NULL;
	write->crcs = (u32 *)&write->pages[most];
	write->pool = pool;
	write->stripe = stripe;
	INIT_LIST_HEAD(&write->list);
	INIT_LIST_HEAD(&write->requests);
	for (i = 0; i < pool->set->geo.stripe_blocks; i++) {
		write->pages[i] = alloc_page(GFP_NOIO);
		if (!write->pages[i]) {
			raidx_row_write_free(write);
			return NULL;
		}
		write->nr_pages++;
	}
	return write;
}

void raidx_row_write_free(struct raidx_row_write *write)
{
	u32 i;

	for (i = 0; i < write->nr_pages; i++)
		__free_page(write->pages[i]);
	kvfree(write);
}

/* Page that goes to block @offset of @column of the row; pads are the zero page. */
static struct page *page_of(struct raidx_row_write *write, u32 width, u32 column, u32 offset)
{
	const struct raidx_geometry *geo = &write->pool->set->geo;
	u8 level = write->new.level;
	u32 chunk = raidx_row_chunk_blocks(geo, level, width);
	u32 turned, block;

	if (level == RAIDX_LEVEL_RAID1) {
		block = (column + width - write->new.row % width) % width * chunk + offset;
		return block < geo->copies * geo->stripe_blocks ? write->pages[block % geo->stripe_blocks] : ZERO_PAGE(0);
	}
	turned = (column + width - raidx_row_data_column(geo, level, width, write->new.row, 0)) % width;
	if (turned >= width - geo->parity)	/* parity columns come just before the data, cyclically */
		return write->pages[geo->stripe_blocks + (turned - (width - geo->parity)) * chunk + offset];
	block = turned * chunk + offset;
	return block < geo->stripe_blocks ? write->pages[block] : ZERO_PAGE(0);
}

static int make_parity(struct raidx_row_write *write, u32 width)
{
	const struct raidx_geometry *geo = &write->pool->set->geo;
	u32 chunk = raidx_row_chunk_blocks(geo, write->new.level, width), offset, data, nr;
	void *sources[RAIDX_MAX_MEMBERS];

	for (offset = 0; offset < chunk; offset++) {
		struct page *parity = alloc_page(GFP_NOIO);

		if (!parity)
			return -ENOMEM;
		write->pages[write->nr_pages++] = parity;
		for (data = 0, nr = 0; data < width - 1; data++)
			if (data * chunk + offset < geo->stripe_blocks)
				sources[nr++] = page_address(write->pages[data * chunk + offset]);
		raidx_parity_xor(page_address(parity), sources, nr);
	}
	return 0;
}

static int prepare(struct raidx_row_write *write, u32 width)
{
	u32 i;
	int ret = 0;

	if (write->new.level != RAIDX_LEVEL_RAID1)
		ret = make_parity(write, width);
	for (i = 0; i < write->nr_pages && !ret; i++)
		write->crcs[i] = raidx_crc32c(page_address(write->pages[i]), RAIDX_BLOCK_BYTES);
	return ret;
}

static void run_done(struct raidx_batch *batch)
{
	struct raidx_row_run *run = container_of(batch, struct raidx_row_run, batch);
	struct raidx_pool *pool = run->pool;

	if (run->waiter) {
		complete(run->waiter);
		return;
	}
	llist_add(&run->completed, &pool->rows_completed);
	raidx_pool_wake(pool);
}

/**
 * raidx_row_run_start() - write rows that follow each other in one group.
 * @pool: the pool.
 * @writes: in the order of their rows.
 * @nr: at most RAIDX_RUN_ROWS.
 * @waiter: completed at the end; NULL: the worker calls raidx_row_run_finish().
 * @result: the run.
 *
 * Context: process.  A member that is not there is left out (degraded row).  Return: 0 or -ENOMEM (nothing sent).
 */
int raidx_row_run_start(struct raidx_pool *pool, struct raidx_row_write **writes, u32 nr, struct completion *waiter,
			struct raidx_row_run **result)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	const struct raidx_disk_group *image = &pool->group[writes[0]->new.group]->image;
	u32 chunk = raidx_row_chunk_blocks(geo, image->level, image->width), i, column, offset;
	struct raidx_row_run *run = kzalloc(sizeof(*run), GFP_NOIO);
	struct blk_plug plug;

	if (run)
		run->columns = kvmalloc_array(nr * chunk, sizeof(*run->columns), GFP_NOIO);
	if (!run || !run->columns)
		goto err_memory;
	for (i = 0; i < nr; i++) {
		if (prepare(writes[i], image->width))
			goto err_memory;
		run->write[i] = writes[i];
	}
	run->pool = pool;
	run->nr = nr;
	run->waiter = waiter;
	*result = run;
	raidx_batch_init(&run->batch, pool->set, run_done);
	blk_start_plug(&plug);
	for (column = 0; column < image->width; column++) {
		u8 slot = image->column[column].slot;

		if (!raidx_member_writable(pool->set, slot))
			continue;
		for (i = 0; i < nr; i++)
			for (offset = 0; offset < chunk; offset++)
				run->columns[i * chunk + offset] = page_of(writes[i], image->width, column, offset);
		raidx_batch_pages(&run->batch, slot, REQ_OP_WRITE | REQ_SYNC | REQ_IDLE,
				  raidx_extent_block(geo, &image->column[column], writes[0]->new.row * chunk),
				  run->columns, nr * chunk);
	}
	blk_finish_plug(&plug);
	raidx_batch_end(&run->batch);
	return 0;

err_memory:
	if (run)
		kvfree(run->columns);
	kfree(run);
	return -ENOMEM;
}

/* A fold is void when the stripe has a newer home than the one it read. */
static int switch_home(struct raidx_row_write *write)
{
	struct raidx_pool *pool = write->pool;
	struct raidx_home now;
	u32 nr = write->nr_pages;
	u32 index;
	int ret;

	div_u64_rem(write->stripe, RAIDX_MAPS_PER_PAGE, &index);
	ret = raidx_table_load_locked(pool, RAIDX_TABLE_MAP, div_u64(write->stripe, RAIDX_MAPS_PER_PAGE));
	if (!ret)
		ret = raidx_map_lookup(pool, write->stripe, &now);
	if (ret)
		return ret;
	if (write->fold && !raidx_home_equal(&now, &write->old))
		return -ESTALE;
	return raidx_map_switch(pool, write->stripe, &now, &write->new, write->absorbed_seq, write->crcs, nr);
}

/*
 * raidx_row_run_finish() - all commands of a run have returned: switch the stripes' homes, acknowledge.
 *
 * Members that missed a write are recorded as failed first (invariant 1).  Context: set->lock held; frees @run.
 */
void raidx_row_run_finish(struct raidx_row_run *run)
{
	struct raidx_pool *pool = run->pool;
	u32 i;
	int fatal = 0;

	if (run->batch.error)
		fatal = raidx_set_fail_members(pool->set, run->batch.failed, "row write");
	for (i = 0; i < run->nr; i++) {
		struct raidx_row_write *write = run->write[i];
		struct raidx_request *request, *next;
		int ret = fatal ? fatal : switch_home(write);

		if (ret)
			raidx_row_free_busy(pool, write->new.group, write->new.row);
		else if (!write->fold)
			raidx_lost_heal(pool, write->stripe * pool->set->geo.stripe_blocks, pool->set->geo.stripe_blocks);
		list_for_each_entry_safe(request, next, &write->requests, list) {
			list_del_init(&request->list);
			raidx_request_end(request, ret ? BLK_STS_IOERR : BLK_STS_OK);
		}
		raidx_row_write_free(write);
	}
	kvfree(run->columns);
	kfree(run);
}

/* ---- reading ------------------------------------------------------------------------------------ */

static int read_direct(struct raidx_pool *pool, const struct raidx_disk_group *image, const struct raidx_place *place,
		       u32 nr, struct page **pages)
{
	const struct raidx_disk_extent *column = &image->column[place->column];
	struct raidx_batch batch;

	if (!raidx_member_readable(pool->set, column->slot))
		return -ENODEV;
	raidx_batch_init(&batch, pool->set, NULL);
	raidx_batch_pages(&batch, column->slot, REQ_OP_READ, raidx_extent_block(&pool->set->geo, column, place->block),
			  pages, nr);
	return raidx_batch_wait(&batch);
}

/* XOR of the same blocks on all other columns. */
static int read_by_parity(struct raidx_pool *pool, const struct raidx_disk_group *image, const struct raidx_place *place,
			  struct page *page)
{
	void *sources[RAIDX_MAX_MEMBERS];
	struct page *peers[RAIDX_MAX_MEMBERS] = { };
	struct raidx_batch batch;
	u32 column, nr = 0, i;
	int ret = 0;

	raidx_batch_init(&batch, pool->set, NULL);
	for (column = 0; column < image->width; column++) {
		const struct raidx_disk_extent *peer = &image->column[column];

		if (column == place->column)
			continue;
		peers[nr] = alloc_page(GFP_NOIO);
		if (!peers[nr])
			ret = -ENOMEM;
		else if (!raidx_member_readable(pool->set, peer->slot))
			ret = -EIO;
		else
			raidx_batch_pages(&batch, peer->slot, REQ_OP_READ,
					  raidx_extent_block(&pool->set->geo, peer, place->block), &peers[nr], 1);
		if (ret)
			break;
		sources[nr] = page_address(peers[nr]);
		nr++;
	}
	if (raidx_batch_wait(&batch))
		ret = ret ? ret : -EIO;
	if (!ret)
		raidx_parity_xor(page_address(page), sources, nr);
	for (i = 0; i < ARRAY_SIZE(peers) && peers[i]; i++)
		__free_page(peers[i]);
	return ret;
}

/* Write back what could not be read; the row cannot be reused while the reader holds its epoch. */
static void repair(struct raidx_pool *pool, const struct raidx_disk_group *image, const struct raidx_place *place,
		   struct page *page)
{
	const struct raidx_disk_extent *column = &image->column[place->column];
	struct raidx_batch batch;
	int ret;

	if (!raidx_member_writable(pool->set, column->slot) || pool->set->read_only)
		return;
	raidx_batch_init(&batch, pool->set, NULL);
	raidx_batch_pages(&batch, column->slot, REQ_OP_WRITE, raidx_extent_block(&pool->set->geo, column, place->block),
			  &page, 1);
	ret = raidx_batch_wait(&batch);
	DMWARN_LIMIT("%s: member %u (%s): block %llu could not be read; %s", pool->set->name, column->slot,
		     pool->set->member[column->slot].name, raidx_extent_block(&pool->set->geo, column, place->block),
		     ret ? "rewriting it failed too" : "served from redundancy and rewritten");
}

static int read_block(struct raidx_pool *pool, const struct raidx_disk_group *image, const struct raidx_home *home,
		      u32 block, struct page *page)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_place place, bad;
	int ret = -EIO, first_ret;
	u32 copy, copies = home->level == RAIDX_LEVEL_RAID1 ? geo->copies : 1;

	raidx_row_place(geo, home->level, image->width, home->row, block, 0, &bad);
	first_ret = read_direct(pool, image, &bad, 1, &page);
	if (!first_ret)
		return 0;
	for (copy = 1; copy < copies && ret; copy++) {
		raidx_row_place(geo, home->level, image->width, home->row, block, copy, &place);
		ret = read_direct(pool, image, &place, 1, &page);
	}
	if (ret && home->level == RAIDX_LEVEL_RAID5)
		ret = read_by_parity(pool, image, &bad, page);
	if (!ret && first_ret != -ENODEV)
		repair(pool, image, &bad, page);
	return ret;
}

/**
 * raidx_row_read() - read blocks of a stripe from its home, from redundancy where a member is missing or bad.
 * @pool: the pool.
 * @home: the home; kept by the caller's reader epoch.
 * @first: first block within the stripe.
 * @nr: blocks.
 * @pages: one each.
 *
 * Context: process, waits for I/O; no lock needed.  Return: 0; -EIO: some block is past the redundancy.
 */
int raidx_row_read(struct raidx_pool *pool, const struct raidx_home *home, u32 first, u32 nr, struct page **pages)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	struct raidx_disk_group *image;
	struct raidx_batch batch;
	u32 at, i, now;
	int ret = 0;

	/* Copied: the group may be freed and reused only after the reader, but its memory is not ours. */
	image = kmalloc(sizeof(*image), GFP_NOIO | __GFP_NOFAIL);
	spin_lock(&pool->index_lock);
	if (pool->group[home->group])
		*image = pool->group[home->group]->image;
	else
		ret = -EIO;
	spin_unlock(&pool->index_lock);
	raidx_batch_init(&batch, pool->set, NULL);
	for (at = 0; at < nr && !ret; at += now) {
		struct raidx_place place;
		u8 slot;

		raidx_row_place(geo, home->level, image->width, home->row, first + at, 0, &place);
		now = min(place.run, nr - at);
		slot = image->column[place.column].slot;
		if (raidx_member_readable(pool->set, slot))
			raidx_batch_pages(&batch, slot, REQ_OP_READ,
					  raidx_extent_block(geo, &image->column[place.column], place.block),
					  pages + at, now);
		else
			batch.error = BLK_STS_IOERR;
	}
	if (raidx_batch_wait(&batch) && !ret)
		for (i = 0; i < nr && !ret; i++)
			ret = read_block(pool, image, home, first + i, pages[i]);
	kfree(image);
	return ret;
}
