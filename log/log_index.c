// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx log index: the newest logged version of each block, by block number.
 *
 * One node a block; it hangs on the entry that holds that version, so an entry without nodes holds nothing that is
 * still needed.  Changed under set->lock and index_lock, read under either.  Rebuilt by replay.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <raidx/pool.h>

static struct kmem_cache *node_cache;

static struct hlist_head *bucket(struct raidx_log *log, u64 block)
{
	return &log->hash[hash_64(block, RAIDX_LOG_HASH_BITS)];
}

struct raidx_node *raidx_index_find(struct raidx_log *log, u64 block)
{
	struct raidx_node *node;

	hlist_for_each_entry(node, bucket(log, block), hash)
		if (node->block == block)
			return node;
	return NULL;
}

static void release_page(struct raidx_log *log, struct raidx_node *node)
{
	if (!node->page)
		return;
	put_page(node->page);
	node->page = NULL;
	log->cached_blocks--;
}

/* index_lock held. */
void raidx_index_drop(struct raidx_log *log, struct raidx_node *node)
{
	hlist_del(&node->hash);
	list_del(&node->in_entry);
	node->entry->nr_nodes--;
	log->nr_nodes--;
	release_page(log, node);
	kmem_cache_free(node_cache, node);
}

/* Forget blocks [first, first + nr) whose version is not newer than @max_seq. set->lock held. */
void raidx_index_drop_range(struct raidx_log *log, u64 first, u32 nr, u64 max_seq)
{
	u32 i;

	if (!log->nr_nodes)
		return;
	spin_lock(&log->pool->index_lock);
	for (i = 0; i < nr; i++) {
		struct raidx_node *node = raidx_index_find(log, first + i);

		if (node && node->entry->seq <= max_seq && (node->entry->seq || max_seq == U64_MAX))
			raidx_index_drop(log, node);
	}
	spin_unlock(&log->pool->index_lock);
}

/**
 * raidx_index_add() - a block has a new newest version.
 * @log: the log.
 * @entry: entry that holds it.
 * @block: logical block.
 * @page: our copy; a reference is taken. NULL for zeroes and on replay.
 * @crc: of the data.
 * @index: payload block in the entry.
 * @zero: no payload.
 *
 * Context: set->lock held.  Return: 0; cannot fail (the allocation waits).
 */
int raidx_index_add(struct raidx_log *log, struct raidx_log_entry *entry, u64 block, struct page *page, u32 crc,
		    u16 index, bool zero)
{
	struct raidx_node *node, *fresh = kmem_cache_alloc(node_cache, GFP_NOIO | __GFP_NOFAIL);

	spin_lock(&log->pool->index_lock);
	node = raidx_index_find(log, block);
	if (node) {
		list_del(&node->in_entry);
		node->entry->nr_nodes--;
		release_page(log, node);
		kmem_cache_free(node_cache, fresh);
	} else {
		node = fresh;
		node->block = block;
		hlist_add_head(&node->hash, bucket(log, block));
		log->nr_nodes++;
	}
	node->page = page;
	if (page) {
		get_page(page);
		log->cached_blocks++;
	}
	node->entry = entry;
	node->crc = crc;
	node->index = index;
	node->zero = zero;
	list_add_tail(&node->in_entry, &entry->nodes);
	entry->nr_nodes++;
	spin_unlock(&log->pool->index_lock);
	return 0;
}

/* Give pages back, oldest entries first, until the cache is within its limit. set->lock held. */
void raidx_index_trim(struct raidx_log *log)
{
	struct raidx_log_entry *entry;

	if (log->cached_blocks <= log->cache_limit)
		return;
	list_for_each_entry(entry, &log->entries, list) {
		struct raidx_node *node;

		if (!entry->complete || entry->seq > log->complete_seq)
			break;
		if (entry->trimmed)
			continue;
		spin_lock(&log->pool->index_lock);
		list_for_each_entry(node, &entry->nodes, in_entry)
			release_page(log, node);
		spin_unlock(&log->pool->index_lock);
		entry->trimmed = true;
		if (log->cached_blocks <= log->cache_limit - log->cache_limit / 16)
			break;
	}
}

int raidx_index_init(struct raidx_log *log)
{
	log->hash = kvcalloc(1 << RAIDX_LOG_HASH_BITS, sizeof(*log->hash), GFP_KERNEL);
	return log->hash ? 0 : -ENOMEM;
}

void raidx_index_exit(struct raidx_log *log)
{
	kvfree(log->hash);
}

int raidx_pool_module_init(void)
{
	node_cache = KMEM_CACHE(raidx_node, 0);
	return node_cache ? 0 : -ENOMEM;
}

void raidx_pool_module_exit(void)
{
	kmem_cache_destroy(node_cache);
}
