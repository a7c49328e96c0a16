// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx anchor pages: block groups, roots, lost blocks.  Resident, two homes each, a copy on every member.
 *
 * An anchor page of generation g counts when g <= the checkpoint that the superblock names; of those the highest
 * counts.  A checkpoint writes only the home that is not current, so a power cut in it leaves the old one whole.
 * Format writes generation 0 of every root and lost page; group pages are found up to groups_used.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <raidx/pool.h>

#define ANCHOR_RUN	32	/* pages read with one command */

/* Called for each page found. */
typedef const char *(*anchor_take_t)(struct raidx_pool *pool, u32 number, void *payload, u8 home);

static struct page **pages_alloc(u32 nr)
{
	struct page **pages = kvcalloc(nr, sizeof(*pages), GFP_KERNEL);
	u32 i;

	for (i = 0; pages && i < nr; i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		if (!pages[i])
			goto err_free;
	}
	return pages;

err_free:
	while (i--)
		__free_page(pages[i]);
	kvfree(pages);
	return NULL;
}

static void pages_free(struct page **pages, u32 nr)
{
	u32 i;

	for (i = 0; pages && i < nr; i++)
		__free_page(pages[i]);
	kvfree(pages);
}

/* Look at both homes of each page as read from one member; remember the best. */
static void judge_run(struct raidx_pool *pool, u8 table, u32 first, u32 nr, struct page **pages, struct page **best,
		      s64 *generation, u8 *home, bool *aborted)
{
	struct raidx_set *set = pool->set;
	u32 i, h;

	for (i = 0; i < nr; i++)
		for (h = 0; h < 2; h++) {
			struct raidx_disk_page *page = page_address(pages[2 * i + h]);
			u64 found = le64_to_cpu(page->generation);

			if (raidx_page_check(page, set->super->set_uuid, table, first + i))
				continue;
			if (found > pool->checkpoint)
				aborted[i] = true;
			if (found > pool->checkpoint || (s64)found <= generation[i])
				continue;
			generation[i] = found;
			home[i] = h;
			memcpy(page_address(best[i]), page, RAIDX_BLOCK_BYTES);
		}
}

/*
 * A checkpoint that was cut left a version behind that the next checkpoint's number would make valid: the page is
 * written again by that checkpoint, over it.
 */
static void rewrite_aborted(struct raidx_pool *pool, u8 table, u32 number)
{
	if (table == RAIDX_TABLE_GROUP)
		__set_bit(number, pool->group_dirty);
	else if (table == RAIDX_TABLE_ROOT)
		__set_bit(number, pool->root_dirty);
	else
		pool->lost_dirty = true;
}

static const char *load_run(struct raidx_pool *pool, u8 table, u32 first, u32 nr, struct page **pages,
			    struct page **best, anchor_take_t take)
{
	struct raidx_set *set = pool->set;
	const struct raidx_geometry *geo = &set->geo;
	u64 block = geo->anchor_start + 2ULL * (raidx_anchor_base(geo, table) + first);
	s64 generation[ANCHOR_RUN];
	bool aborted[ANCHOR_RUN] = { };
	u8 home[ANCHOR_RUN];
	const char *error;
	u32 slot, i;

	for (i = 0; i < nr; i++)
		generation[i] = -1;
	for (slot = 0; slot < geo->nr_slots; slot++) {
		struct raidx_batch batch;

		if (!raidx_member_readable(set, slot))
			continue;
		raidx_batch_init(&batch, set, NULL);
		raidx_batch_pages(&batch, slot, REQ_OP_READ | REQ_META, block, pages, 2 * nr);
		if (!raidx_batch_wait(&batch))
			judge_run(pool, table, first, nr, pages, best, generation, home, aborted);
	}
	for (i = 0; i < nr; i++) {
		if (generation[i] < 0) {
			DMERR("%s: anchor page %u of table %u: no valid copy on any member", set->name, first + i, table);
			return "an anchor page has no valid copy on any member";
		}
		error = take(pool, first + i, raidx_page_payload(page_address(best[i])), home[i]);
		if (error)
			return error;
		if (aborted[i])
			rewrite_aborted(pool, table, first + i);
	}
	return NULL;
}

static const char *load_table(struct raidx_pool *pool, u8 table, u32 total, anchor_take_t take)
{
	struct page **pages = pages_alloc(2 * ANCHOR_RUN), **best = pages_alloc(ANCHOR_RUN);
	const char *error = pages && best ? NULL : "out of memory for anchor pages";
	u32 first;

	for (first = 0; !error && first < total; first += ANCHOR_RUN)
		error = load_run(pool, table, first, min_t(u32, ANCHOR_RUN, total - first), pages, best, take);
	pages_free(pages, 2 * ANCHOR_RUN);
	pages_free(best, ANCHOR_RUN);
	return error;
}

static const char *take_group(struct raidx_pool *pool, u32 number, void *payload, u8 home)
{
	const struct raidx_disk_group *image = payload;
	const char *error = raidx_group_check(image, &pool->set->geo);
	u32 i;

	pool->group_home[number] = home;
	if (error || image->level == RAIDX_LEVEL_NONE)
		return error;
	for (i = 0; i < image->width; i++) {
		u8 slot = image->column[i].slot;
		u32 extent = le32_to_cpu(image->column[i].extent);

		if (extent >= pool->set->member[slot].data_extents || test_bit(extent, pool->extent_busy[slot]))
			return "a block group claims an extent that is not there or not free";
	}
	raidx_group_install(pool, number, image);
	__clear_bit(number, pool->group_dirty);
	return NULL;
}

static const char *take_roots(struct raidx_pool *pool, u32 number, void *payload, u8 home)
{
	pool->root_home[number] = home;
	memcpy(pool->roots + (size_t)number * RAIDX_ROOTS_PER_PAGE, payload, RAIDX_ROOTS_PER_PAGE);
	return NULL;
}

static const char *take_lost(struct raidx_pool *pool, u32 number, void *payload, u8 home)
{
	const struct raidx_disk_lost *lost = payload;
	u32 i;

	pool->lost_home[number] = home;
	for (i = 0; i < RAIDX_LOST_PER_PAGE; i++) {
		if (!lost[i].count || pool->nr_lost == pool->max_lost)
			continue;
		pool->lost[pool->nr_lost].first = le64_to_cpu(lost[i].first);
		pool->lost[pool->nr_lost++].count = le32_to_cpu(lost[i].count);
	}
	return NULL;
}

/**
 * raidx_anchor_load() - read all anchor pages.
 * @pool: with groups, roots and lost allocated and empty.
 * @error: sentence on failure.
 *
 * Context: start, set->lock held.  Return: 0, -EIO.
 */
int raidx_anchor_load(struct raidx_pool *pool, const char **error)
{
	struct raidx_set *set = pool->set;

	pool->checkpoint = le64_to_cpu(set->super->checkpoint);
	*error = load_table(pool, RAIDX_TABLE_GROUP, le32_to_cpu(set->super->groups_used), take_group);
	if (!*error)
		*error = load_table(pool, RAIDX_TABLE_ROOT, set->geo.root_pages, take_roots);
	if (!*error)
		*error = load_table(pool, RAIDX_TABLE_LOST, set->geo.lost_pages, take_lost);
	return *error ? -EIO : 0;
}

/* Write generation 0 of @total pages of @table, all zero, to home 0 on every member. */
static int format_table(struct raidx_set *set, u8 table, u32 total, struct page **pages)
{
	const struct raidx_geometry *geo = &set->geo;
	u32 first, i, slot, nr;
	int ret = 0;

	for (first = 0; first < total && !ret; first += nr) {
		struct raidx_batch batch;

		nr = min_t(u32, ANCHOR_RUN, total - first);
		for (i = 0; i < nr; i++)
			raidx_page_seal(page_address(pages[2 * i]), set->super->set_uuid, table, first + i, 0);
		raidx_batch_init(&batch, set, NULL);
		for (slot = 0; slot < geo->nr_slots; slot++)
			if (set->member[slot].bdev)
				raidx_batch_pages(&batch, slot, REQ_OP_WRITE | REQ_META | REQ_SYNC, geo->anchor_start +
						  2ULL * (raidx_anchor_base(geo, table) + first), pages, 2 * nr);
		ret = raidx_batch_wait(&batch);
	}
	return ret;
}

/**
 * raidx_anchor_format() - create: write the first version of roots and lost blocks, and flush it.
 * @set: members open, superblock image ready.
 *
 * Context: process, set->lock held.  Return: 0 or the first error.
 */
int raidx_anchor_format(struct raidx_set *set)
{
	struct page **pages = pages_alloc(2 * ANCHOR_RUN);
	struct raidx_batch batch;
	u32 i, slot;
	int ret;

	if (!pages)
		return -ENOMEM;
	for (i = 0; i < 2 * ANCHOR_RUN; i++)
		clear_page(page_address(pages[i]));
	ret = format_table(set, RAIDX_TABLE_ROOT, set->geo.root_pages, pages);
	if (!ret)
		ret = format_table(set, RAIDX_TABLE_LOST, set->geo.lost_pages, pages);
	pages_free(pages, 2 * ANCHOR_RUN);
	if (ret)
		return ret;
	raidx_batch_init(&batch, set, NULL);
	for (slot = 0; slot < set->geo.nr_slots; slot++)
		if (set->member[slot].bdev)
			raidx_batch_flush(&batch, slot);
	return raidx_batch_wait(&batch);
}
