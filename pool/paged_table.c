// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx paged tables: map, rows, heat as arrays of fixed-size records in 4 KiB pages, read on demand.
 *
 * Pages live in block groups of level TABLE, `copies` copies, two homes each.  The root byte of a page says which
 * home is current and the low bits of its generation; only a checkpoint writes pages, always to the home that is
 * not current, so what the durable roots name stays whole until the next superblock.
 *
 * Content is changed under set->lock and index_lock together and may be read under either.  A page is evicted when it
 * is clean and not being written by a checkpoint.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <raidx/pool.h>

u64 raidx_root_index(struct raidx_pool *pool, u8 table, u64 number)
{
	const struct raidx_geometry *geo = &pool->set->geo;

	switch (table) {
	case RAIDX_TABLE_MAP:
		return number;
	case RAIDX_TABLE_ROW:
		return geo->map_pages + number;
	default:
		return geo->map_pages + geo->row_pages + number;
	}
}

static u64 table_pages(struct raidx_pool *pool, u8 table)
{
	const struct raidx_geometry *geo = &pool->set->geo;

	if (table == RAIDX_TABLE_MAP)
		return geo->map_pages;
	return table == RAIDX_TABLE_ROW ? geo->row_pages : geo->heat_pages;
}

void *raidx_table_payload(struct raidx_table_page *page)
{
	return raidx_page_payload(page_address(page->page));
}

struct raidx_table_page *raidx_table_find(struct raidx_pool *pool, u8 table, u64 number)
{
	struct raidx_table_page *page = xa_load(&pool->pages[table], number);

	if (page)
		page->used = true;
	return page;
}

/**
 * raidx_table_unit() - the block group that holds a page.
 * @pool: the pool.
 * @table: table.
 * @number: page.
 * @create: make it if need be; set->lock held then.
 *
 * Return: group number; -ENODATA when there is none, -ENOSPC.
 */
int raidx_table_unit(struct raidx_pool *pool, u8 table, u64 number, bool create)
{
	u32 unit = div_u64(number, raidx_unit_pages(&pool->set->geo)), group;
	int ret;

	if (WARN_ON_ONCE(unit >= pool->nr_units[table]))
		return -ENODATA;
	if (pool->unit_group[table][unit])
		return pool->unit_group[table][unit] - 1;
	if (!create)
		return -ENODATA;
	ret = raidx_group_create(pool, RAIDX_LEVEL_TABLE, table, unit, true, &group);
	return ret ? ret : (int)group;
}

static u32 block_in_unit(struct raidx_pool *pool, u64 number, u8 home)
{
	u32 index;

	div_u64_rem(number, raidx_unit_pages(&pool->set->geo), &index);
	return 2 * index + home;
}

/* Read a page as its root expects it; -EUCLEAN when no copy is it. */
static int read_page(struct raidx_pool *pool, u8 table, u64 number, u8 root, const struct raidx_disk_group *image,
		     struct page *page)
{
	struct raidx_set *set = pool->set;
	u32 column;

	for (column = 0; column < image->width; column++) {
		struct raidx_disk_page *disk = page_address(page);
		u8 slot = image->column[column].slot;
		struct raidx_batch batch;
		u64 block;

		if (!raidx_member_readable(set, slot))
			continue;
		raidx_batch_init(&batch, set, NULL);
		block = raidx_extent_block(&set->geo, &image->column[column],
					   block_in_unit(pool, number, RAIDX_ROOT_HOME(root)));
		raidx_batch_pages(&batch, slot, REQ_OP_READ | REQ_META, block, &page, 1);
		if (raidx_batch_wait(&batch))
			continue;
		if (!raidx_page_check(disk, set->super->set_uuid, table, number) &&
		    (le64_to_cpu(disk->generation) & 63) == RAIDX_ROOT_GENERATION(root))
			return 0;
		DMERR_LIMIT("%s: member %u: page %llu of table %u is not what its root expects; trying another copy",
			    set->name, slot, number, table);
	}
	return -EUCLEAN;
}

static void evict_some(struct raidx_pool *pool)
{
	u8 table;

	for (table = RAIDX_TABLE_MAP; table < RAIDX_NR_TABLES; table++) {
		unsigned long index = pool->clock_hand[table];
		struct raidx_table_page *page;
		u32 looked = 0;

		while (pool->nr_pages >= pool->max_pages && looked++ < 128) {
			page = xa_find(&pool->pages[table], &index, ULONG_MAX, XA_PRESENT);
			if (!page) {
				index = 0;
				page = xa_find(&pool->pages[table], &index, ULONG_MAX, XA_PRESENT);
				if (!page)
					break;
			}
			if (!page->dirty && !page->writing && !page->used) {
				spin_lock(&pool->index_lock);
				xa_erase(&pool->pages[table], page->number);
				spin_unlock(&pool->index_lock);
				__free_page(page->page);
				kfree(page);
				pool->nr_pages--;
			} else {
				page->used = false;
			}
			index++;
		}
		pool->clock_hand[table] = index;
	}
}

/* set->lock held.  Takes over @content. */
static int insert_page(struct raidx_pool *pool, u8 table, u64 number, struct page *content)
{
	struct raidx_table_page *page = kzalloc(sizeof(*page), GFP_NOIO);
	int ret;

	if (!page)
		return -ENOMEM;
	if (pool->nr_pages >= pool->max_pages)
		evict_some(pool);
	page->page = content;
	page->number = number;
	page->table = table;
	page->used = true;
	/* Insertion may allocate; lookups under index_lock are safe against it by RCU. */
	ret = xa_err(xa_store(&pool->pages[table], number, page, GFP_NOIO));
	if (ret)
		kfree(page);
	else
		pool->nr_pages++;
	return ret;
}

/* One try; 1 = the root changed meanwhile. @locked: set->lock is held all the time. */
static int load_once(struct raidx_pool *pool, u8 table, u64 number, bool locked)
{
	struct raidx_set *set = pool->set;
	struct raidx_disk_group *image;
	struct page *content;
	int ret = 0, group;
	u8 root;

	if (number >= table_pages(pool, table))
		return -EINVAL;
	image = kmalloc(sizeof(*image), GFP_NOIO);
	content = alloc_page(GFP_NOIO | __GFP_ZERO);
	if (!content || !image) {
		ret = -ENOMEM;
		goto out;
	}
	if (!locked)
		mutex_lock(&set->lock);
	root = pool->roots[raidx_root_index(pool, table, number)];
	if (xa_load(&pool->pages[table], number)) {
		ret = -EEXIST;
	} else if (root != RAIDX_ROOT_NEVER) {
		group = raidx_table_unit(pool, table, number, false);
		if (group < 0)
			ret = -EUCLEAN;
		else
			*image = pool->group[group]->image;
	}
	if (!locked)
		mutex_unlock(&set->lock);
	if (ret)
		goto out;
	if (root != RAIDX_ROOT_NEVER)
		ret = read_page(pool, table, number, root, image, content);
	if (ret) {
		DMERR_LIMIT("%s: page %llu of table %u cannot be read (%d)", set->name, number, table, ret);
		goto out;
	}
	if (!locked)
		mutex_lock(&set->lock);
	if (xa_load(&pool->pages[table], number))
		ret = -EEXIST;
	else if (root != pool->roots[raidx_root_index(pool, table, number)])
		ret = 1;
	else
		ret = insert_page(pool, table, number, content);
	if (!locked)
		mutex_unlock(&set->lock);
	if (!ret)
		content = NULL;
out:
	kfree(image);
	if (content)
		__free_page(content);
	return ret == -EEXIST ? 0 : ret;
}

/*
 * raidx_table_load() - bring a page into the cache.
 *
 * Context: process, set->lock not held; waits for I/O.  Return: 0, -EUCLEAN, -ENOMEM, -EINVAL.
 * The page may be evicted again before the caller looks: look and retry.
 */
int raidx_table_load(struct raidx_pool *pool, u8 table, u64 number)
{
	int ret;

	do {
		ret = load_once(pool, table, number, false);
	} while (ret > 0);
	return ret;
}

/* The same with set->lock held; the page stays until the lock is dropped or another page is loaded. */
int raidx_table_load_locked(struct raidx_pool *pool, u8 table, u64 number)
{
	lockdep_assert_held(&pool->set->lock);
	if (xa_load(&pool->pages[table], number))
		return 0;
	return load_once(pool, table, number, true);
}

/* set->lock held. */
void raidx_table_dirty(struct raidx_pool *pool, struct raidx_table_page *page)
{
	if (page->dirty)
		return;
	page->dirty = true;
	pool->nr_dirty_pages++;
}

int raidx_table_init(struct raidx_pool *pool)
{
	const struct raidx_geometry *geo = &pool->set->geo;
	size_t roots = (size_t)geo->root_pages * RAIDX_ROOTS_PER_PAGE;
	u8 table;

	pool->max_pages = pool->set->cache_pages ? pool->set->cache_pages : 16384;
	pool->max_lost = geo->lost_pages * RAIDX_LOST_PER_PAGE;
	pool->roots = vzalloc(roots);
	pool->root_home = kvzalloc(geo->root_pages, GFP_KERNEL);
	pool->root_dirty = kvcalloc(BITS_TO_LONGS(geo->root_pages), sizeof(long), GFP_KERNEL);
	pool->lost = kvcalloc(pool->max_lost, sizeof(*pool->lost), GFP_KERNEL);
	pool->lost_home = kvzalloc(geo->lost_pages, GFP_KERNEL);
	if (!pool->roots || !pool->root_home || !pool->root_dirty || !pool->lost || !pool->lost_home)
		return -ENOMEM;
	for (table = 0; table < RAIDX_NR_TABLES; table++)
		xa_init(&pool->pages[table]);
	for (table = RAIDX_TABLE_MAP; table < RAIDX_NR_TABLES; table++) {
		pool->nr_units[table] = div_u64(table_pages(pool, table), raidx_unit_pages(geo)) + 1;
		pool->unit_group[table] = kvcalloc(pool->nr_units[table], sizeof(u32), GFP_KERNEL);
		if (!pool->unit_group[table])
			return -ENOMEM;
	}
	return 0;
}

void raidx_table_exit(struct raidx_pool *pool)
{
	struct raidx_table_page *page;
	unsigned long index;
	u8 table;

	for (table = RAIDX_TABLE_MAP; table < RAIDX_NR_TABLES; table++) {
		if (!pool->unit_group[table])
			continue;
		xa_for_each(&pool->pages[table], index, page) {
			__free_page(page->page);
			kfree(page);
		}
		xa_destroy(&pool->pages[table]);
		kvfree(pool->unit_group[table]);
	}
	vfree(pool->roots);
	kvfree(pool->root_home);
	kvfree(pool->root_dirty);
	kvfree(pool->lost);
	kvfree(pool->lost_home);
}
