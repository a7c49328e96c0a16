// SPDX-License-Identifier: GPL-2.0-only
/*
 * Content of a simulated disk: what is durable, and what a power cut may still take back.
 *
 * The disk is a sparse array of 4 KiB cells. A cell has a durable page (or none: absent, reads as zeroes or as a pattern)
 * and a list of volatile versions, newest first. Each write command adds one version to every cell it touches, with a mask
 * of the 512-byte sectors that it wrote; a discard adds versions without data. A read takes each sector from the newest
 * version that has it, else from the durable page.
 *
 * All versions of one command share a struct sim_write. It is durable when it was acknowledged as such (FUA, or no cache),
 * or when its acknowledgement is not younger than the issue of a flush that has ended. Acknowledging and flushing only
 * change numbers; the versions are folded into the durable page later (settle_cell()): when their cell is written again, or
 * by sweep(), a few per command. Folding a version takes its sectors out of all older versions, because an older write
 * cannot come back above a newer durable one. A cell with too many versions has the oldest acknowledged one folded early,
 * and so have the cells that have been dirty for longest when all versions take too many pages (destage()): a cache may write
 * back when it likes.
 *
 * A cut (sim_store_cut()) judges every write that is not durable: kept, dropped or torn, each by the seed and the number of
 * the write. The survivors are folded in order of issue, so a dropped newer version lets an older one surface.
 *
 * Pages are never copied but for sectors: a version's page becomes the durable page, and the old one goes to the pool.
 */
#include <linux/bitops.h>
#include <linux/blk-mq.h>
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "store.h"

#define READY_MAX	512	/* pages kept in a store's pool, or more when it was filled with more */
#define SWEEP_STEP	2	/* cells examined per cell written */
#define DESTAGE_CELLS	1024	/* looked at per command; more than a command of 1 MiB makes dirty */
#define SWEEP_FLUSH	64	/* and per flush */

static_assert(PAGE_SIZE == SIM_CELL_BYTES);

struct sim_version {
	struct sim_version *older;	/* also links the pools */
	struct sim_write *write;
	void *data;			/* NULL: a discard */
	u8 mask;			/* sectors that this version gives */
	bool paged;			/* counted in store->volatile_pages */
};

struct sim_cell {
	struct list_head dirty;		/* in store->dirty while it has versions */
	struct sim_version *newest;
	void *data;			/* durable page; NULL: absent */
	pgoff_t index;
	u8 bad;				/* durable sectors that cannot be read */
	u16 versions;
};

static struct kmem_cache *cell_cache, *version_cache, *write_cache;

int sim_store_module_init(void)
{
	cell_cache = KMEM_CACHE(sim_cell, 0);
	version_cache = KMEM_CACHE(sim_version, 0);
	write_cache = KMEM_CACHE(sim_write, 0);
	if (cell_cache && version_cache && write_cache)
		return 0;
	sim_store_module_exit();
	return -ENOMEM;
}

void sim_store_module_exit(void)
{
	kmem_cache_destroy(cell_cache);
	kmem_cache_destroy(version_cache);
	kmem_cache_destroy(write_cache);
}

void sim_store_init(struct sim_store *store)
{
	memset(store, 0, sizeof(*store));
	xa_init_flags(&store->cells, XA_FLAGS_LOCK_IRQ);
	INIT_LIST_HEAD(&store->dirty);
	store->max_versions = 8;
	store->max_ready = READY_MAX;
	store->max_volatile_pages = 32 << (20 - SIM_CELL_SHIFT);
}

static u8 sector_mask(unsigned int first, unsigned int count)
{
	return ((1U << count) - 1) << first;
}

/* Mask of the sectors that the bytes touch. */
static u8 byte_mask(unsigned int offset, unsigned int bytes)
{
	unsigned int first = offset >> 9;

	return sector_mask(first, ((offset + bytes - 1) >> 9) - first + 1);
}

static void copy_bytes(void *to, const void *from, unsigned int bytes)
{
	if (bytes == SIM_CELL_BYTES)
		copy_page(to, (void *)from);
	else
		memcpy(to, from, bytes);
}

/* ---- absent content ---- */

/* What never was written, or was discarded: a non-zero word per 8 bytes that depends on its place only. */
static void fill_absent(const struct sim_store *store, void *to, u64 byte, unsigned int bytes)
{
	unsigned int done, part;
	u64 word;

	if (!store->garbage) {
		memset(to, 0, bytes);
		return;
	}
	for (done = 0; done < bytes; done += part) {
		word = sim_hash((byte + done) >> 3) | 0x0101010101010101ULL;
		part = min_t(unsigned int, bytes - done, 8 - ((byte + done) & 7));
		memcpy(to + done, (u8 *)&word + ((byte + done) & 7), part);
	}
}

static void fill_absent_sectors(const struct sim_store *store, pgoff_t index, void *page, u8 mask)
{
	unsigned int i;

	for (i = 0; i < SIM_CELL_SECTORS; i++)
		if (mask & BIT(i))
			fill_absent(store, page + (i << 9), ((u64)index << SIM_CELL_SHIFT) + (i << 9), 512);
}

/* ---- pools ---- */

static struct sim_write *get_write(struct sim_store *store, sector_t sector, u32 sectors)
{
	struct sim_write *write = store->writes;

	if (write)
		store->writes = write->next;
	else
		write = kmem_cache_alloc(write_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!write)
		return NULL;
	*write = (struct sim_write){ .id = ++store->write_id, .sector = sector, .sectors = sectors, .refs = 1 };
	return write;
}

static void put_write(struct sim_store *store, struct sim_write *write)
{
	if (--write->refs)
		return;
	write->next = store->writes;
	store->writes = write;
}

static void put_version(struct sim_store *store, struct sim_version *version)
{
	put_write(store, version->write);
	store->volatile_pages -= version->paged;
	if (version->data) {
		store->pages--;
		if (store->ready_count < store->max_ready) {
			version->older = store->ready;
			store->ready = version;
			store->ready_count++;
			return;
		}
		free_page((unsigned long)version->data);
		version->data = NULL;
	}
	version->older = store->bare;
	store->bare = version;
}

static struct sim_version *get_bare(struct sim_store *store, gfp_t gfp)
{
	struct sim_version *version = store->bare;

	if (version)
		store->bare = version->older;
	else
		version = kmem_cache_alloc(version_cache, gfp | __GFP_NOWARN);
	if (version)
		version->data = NULL;
	return version;
}

static bool fill_pool(struct sim_store *store, unsigned int count, gfp_t gfp)
{
	struct sim_version *version;

	while (store->ready_count < count) {
		version = get_bare(store, gfp);
		if (!version)
			return false;
		version->data = (void *)__get_free_page(gfp | __GFP_NOWARN);
		version->older = version->data ? store->ready : store->bare;
		if (!version->data) {
			store->bare = version;
			return false;
		}
		store->ready = version;
		store->ready_count++;
	}
	return true;
}

bool sim_store_reserve(struct sim_store *store, unsigned int cells)
{
	return fill_pool(store, cells, GFP_ATOMIC);
}

int sim_store_fill_pool(struct sim_store *store, unsigned int pages)
{
	store->max_ready = max_t(unsigned int, pages, READY_MAX);
	return fill_pool(store, pages, GFP_KERNEL) ? 0 : -ENOMEM;
}

static struct sim_version *get_ready(struct sim_store *store)
{
	struct sim_version *version = store->ready;

	if (WARN_ON_ONCE(!version))
		return NULL;
	store->ready = version->older;
	store->ready_count--;
	store->pages++;
	return version;
}

/* ---- cells ---- */

static struct sim_cell *find_cell(struct sim_store *store, pgoff_t index)
{
	return xa_load(&store->cells, index);
}

static struct sim_cell *make_cell(struct sim_store *store, pgoff_t index)
{
	struct sim_cell *cell = find_cell(store, index);

	if (cell)
		return cell;
	cell = kmem_cache_zalloc(cell_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!cell)
		return NULL;
	INIT_LIST_HEAD(&cell->dirty);
	cell->index = index;
	if (xa_is_err(xa_store(&store->cells, index, cell, GFP_ATOMIC | __GFP_NOWARN))) {
		kmem_cache_free(cell_cache, cell);
		return NULL;
	}
	return cell;
}

/* Forget a cell that says nothing any more. */
static void release_cell(struct sim_store *store, struct sim_cell *cell)
{
	if (cell->newest || cell->data || cell->bad)
		return;
	xa_erase(&store->cells, cell->index);
	kmem_cache_free(cell_cache, cell);
}

/* Make @version, already out of the cell's list, the durable content of the sectors in its mask; it is gone then. */
static void apply_version(struct sim_store *store, struct sim_cell *cell, struct sim_version *version)
{
	u8 mask = version->mask;
	unsigned int i;

	store->bad_sectors -= hweight8(cell->bad & mask);
	cell->bad &= ~mask;
	cell->versions--;
	if (mask == SIM_CELL_FULL) {
		swap(cell->data, version->data);
	} else if (!version->data) {
		if (cell->data)
			fill_absent_sectors(store, cell->index, cell->data, mask);
	} else if (!cell->data) {
		fill_absent_sectors(store, cell->index, version->data, ~mask);
		swap(cell->data, version->data);
	} else {
		for (i = 0; i < SIM_CELL_SECTORS; i++)
			if (mask & BIT(i))
				memcpy(cell->data + (i << 9), version->data + (i << 9), 512);
	}
	put_version(store, version);
}

static bool is_durable(const struct sim_store *store, const struct sim_write *write)
{
	return write->durable || (write->ack && write->ack <= store->flushed);
}

static void mark_clean_if_settled(struct sim_store *store, struct sim_cell *cell)
{
	if (cell->newest || list_empty(&cell->dirty))
		return;
	list_del_init(&cell->dirty);
	store->dirty_cells--;
}

/* Fold the versions that have become durable, and drop those that durable ones have covered. */
static void settle_cell(struct sim_store *store, struct sim_cell *cell)
{
	struct sim_version **link = &cell->newest, *version;
	u8 covered = 0, mask;

	while ((version = *link)) {
		version->mask &= ~covered;
		if (!version->mask) {
			*link = version->older;
			cell->versions--;
			put_version(store, version);
		} else if (is_durable(store, version->write)) {
			/* The masks of durable versions are disjoint now: their order does not matter any more. */
			*link = version->older;
			mask = version->mask;
			apply_version(store, cell, version);
			covered |= mask;
		} else {
			link = &version->older;
		}
	}
	mark_clean_if_settled(store, cell);
}

/* Too many versions: let the cache write back the oldest acknowledged one, which is always allowed. */
static void destage_oldest(struct sim_store *store, struct sim_cell *cell)
{
	struct sim_version **link, **found = NULL, *version;
	u8 mask;

	for (link = &cell->newest; *link; link = &(*link)->older)
		if ((*link)->write->ack)
			found = link;
	if (!found)
		return;
	version = *found;
	mask = version->mask;
	/* Older ones are in flight; what this one covers of them cannot come back. */
	for (link = &version->older; *link; link = &(*link)->older)
		(*link)->mask &= ~mask;
	*found = version->older;
	apply_version(store, cell, version);
}

/* Fold a little, so that the cost is spread over the commands. */
static void sweep(struct sim_store *store, u64 step)
{
	struct sim_cell *cell;

	for (; step && store->sweep; step--) {
		cell = list_first_entry_or_null(&store->dirty, struct sim_cell, dirty);
		if (!cell) {
			store->sweep = 0;
			return;
		}
		store->sweep--;
		settle_cell(store, cell);
		if (cell->newest)
			list_move_tail(&cell->dirty, &store->dirty);
		else
			release_cell(store, cell);
	}
}

/*
 * The versions take more pages than the cache has: let it write back, a version per cell, the cells that have been dirty for
 * longest first. Cells with nothing but writes in flight have to wait.
 */
static void destage(struct sim_store *store)
{
	u64 cells = min_t(u64, store->dirty_cells, DESTAGE_CELLS);
	struct sim_cell *cell;

	for (; cells && store->volatile_pages > store->max_volatile_pages; cells--) {
		cell = list_first_entry_or_null(&store->dirty, struct sim_cell, dirty);
		if (!cell)
			return;
		settle_cell(store, cell);
		destage_oldest(store, cell);
		settle_cell(store, cell);
		if (cell->newest)
			list_move_tail(&cell->dirty, &store->dirty);
		else
			release_cell(store, cell);
	}
}

static void push_version(struct sim_store *store, struct sim_cell *cell, struct sim_version *version,
			 struct sim_write *write)
{
	if (cell->newest) {
		settle_cell(store, cell);
		if (cell->versions >= store->max_versions)
			destage_oldest(store, cell);
	}
	version->mask = 0;
	version->paged = version->data;
	store->volatile_pages += version->paged;
	version->write = write;
	write->refs++;
	version->older = cell->newest;
	cell->newest = version;
	cell->versions++;
	if (list_empty(&cell->dirty)) {
		list_add_tail(&cell->dirty, &store->dirty);
		store->dirty_cells++;
	}
}

/* ---- commands ---- */

int sim_store_write(struct sim_store *store, struct request *rq, struct sim_write **result)
{
	struct sim_write *write = get_write(store, blk_rq_pos(rq), blk_rq_sectors(rq));
	u64 byte = (u64)blk_rq_pos(rq) << 9;
	struct sim_version *version = NULL;
	struct req_iterator iter;
	struct sim_cell *cell;
	struct bio_vec bvec;
	pgoff_t index = 0;

	*result = write;
	if (!write)
		return -ENOMEM;
	destage(store);
	rq_for_each_segment(bvec, rq, iter) {
		unsigned int left = bvec.bv_len, offset, part;
		u8 *buffer = bvec_kmap_local(&bvec), *from = buffer;

		for (; left; left -= part, from += part, byte += part) {
			offset = byte & (SIM_CELL_BYTES - 1);
			part = min(left, SIM_CELL_BYTES - offset);
			if (!version || index != byte >> SIM_CELL_SHIFT) {
				index = byte >> SIM_CELL_SHIFT;
				sweep(store, SWEEP_STEP);
				cell = make_cell(store, index);
				version = cell ? get_ready(store) : NULL;
				if (!version) {
					kunmap_local(buffer);
					return -ENOMEM;
				}
				push_version(store, cell, version, write);
			}
			copy_bytes(version->data + offset, from, part);
			version->mask |= byte_mask(offset, part);
		}
		kunmap_local(buffer);
	}
	return 0;
}

int sim_store_discard(struct sim_store *store, sector_t sector, u32 sectors, struct sim_write **result)
{
	struct sim_write *write = get_write(store, sector, sectors);
	pgoff_t first = sector / SIM_CELL_SECTORS, last = (sector + sectors - 1) / SIM_CELL_SECTORS;
	struct sim_version *version;
	struct sim_cell *cell;
	unsigned long index;

	*result = write;
	if (!write)
		return -ENOMEM;
	xa_for_each_range(&store->cells, index, cell, first, last) {
		sector_t start = max_t(sector_t, sector, (sector_t)index * SIM_CELL_SECTORS);
		sector_t end = min_t(sector_t, sector + sectors, (sector_t)(index + 1) * SIM_CELL_SECTORS);

		version = get_bare(store, GFP_ATOMIC);
		if (!version)
			return -ENOMEM;
		push_version(store, cell, version, write);
		version->mask = sector_mask(start % SIM_CELL_SECTORS, end - start);
	}
	return 0;
}

/* Bytes of a cell whose sectors come from different versions. */
static bool read_mixed(struct sim_store *store, const struct sim_cell *cell, unsigned int offset, u8 *to,
		       unsigned int bytes)
{
	const struct sim_version *version;
	unsigned int part;
	const void *from;

	for (; bytes; bytes -= part, to += part, offset += part) {
		part = min(bytes, 512 - (offset & 511));
		for (version = cell->newest; version; version = version->older)
			if (version->mask & BIT(offset >> 9))
				break;
		if (!version && cell->bad & BIT(offset >> 9))
			return false;
		from = version ? version->data : cell->data;
		if (from)
			memcpy(to, from + offset, part);
		else
			fill_absent(store, to, ((u64)cell->index << SIM_CELL_SHIFT) + offset, part);
	}
	return true;
}

static bool read_cell(struct sim_store *store, u64 byte, void *to, unsigned int bytes)
{
	const struct sim_cell *cell = find_cell(store, byte >> SIM_CELL_SHIFT);
	unsigned int offset = byte & (SIM_CELL_BYTES - 1);
	const void *from = NULL;

	if (cell) {
		const struct sim_version *newest = cell->newest;
		u8 mask = byte_mask(offset, bytes);

		if (newest && (newest->mask & mask) == mask)
			from = newest->data;
		else if (!newest && !(cell->bad & mask))
			from = cell->data;
		else
			return read_mixed(store, cell, offset, to, bytes);
	}
	if (from)
		copy_bytes(to, from + offset, bytes);
	else
		fill_absent(store, to, byte, bytes);
	return true;
}

bool sim_store_read(struct sim_store *store, struct request *rq)
{
	u64 byte = (u64)blk_rq_pos(rq) << 9;
	struct req_iterator iter;
	struct bio_vec bvec;
	bool ok = true;

	rq_for_each_segment(bvec, rq, iter) {
		unsigned int left = bvec.bv_len, part;
		u8 *buffer = bvec_kmap_local(&bvec), *to = buffer;

		for (; left && ok; left -= part, to += part, byte += part) {
			part = min_t(unsigned int, left, SIM_CELL_BYTES - (byte & (SIM_CELL_BYTES - 1)));
			ok = read_cell(store, byte, to, part);
		}
		kunmap_local(buffer);
		if (!ok)
			break;
	}
	return ok;
}

void sim_store_ack(struct sim_store *store, struct sim_write *write, bool durable)
{
	write->ack = ++store->ack;
	write->durable = durable;
	if (durable) {
		store->sweep = min(store->dirty_cells, store->sweep + write->refs - 1);
		sweep(store, write->refs);
	}
	put_write(store, write);
}

void sim_store_flushed(struct sim_store *store, u64 mark)
{
	if (mark <= store->flushed)
		return;
	store->flushed = mark;
	store->sweep = store->dirty_cells;
	sweep(store, SWEEP_FLUSH);
}

void sim_store_settle(struct sim_store *store)
{
	store->sweep = store->dirty_cells;
	sweep(store, store->sweep);
}

/* ---- power cut ---- */

static enum sim_fate judge(struct sim_store *store, struct sim_write *write, u64 seed, struct sim_cut_result *result)
{
	if (write->fate == SIM_FATE_OPEN) {
		write->fate = SIM_FATE_KEPT + sim_hash(seed ^ sim_hash(write->id)) % 3;
		/* One unit cannot tear. */
		if (write->fate == SIM_FATE_TORN &&
		    (write->sector >> store->tear_shift) ==
		    ((write->sector + write->sectors - 1) >> store->tear_shift))
			write->fate = SIM_FATE_KEPT + (sim_hash(~seed ^ sim_hash(write->id)) & 1);
		result->writes[write->fate]++;
		if (!write->ack)
			result->in_flight++;
	}
	return write->fate;
}

/*
 * The sectors of a torn write that reached the medium: half the time every unit by its own coin, else the units before or
 * after some point.
 */
static bool unit_survives(const struct sim_store *store, const struct sim_write *write, u64 seed, sector_t sector)
{
	u64 first = write->sector >> store->tear_shift;
	u64 last = (write->sector + write->sectors - 1) >> store->tear_shift;
	u64 unit = sector >> store->tear_shift, hash = sim_hash(seed + 1) ^ sim_hash(write->id), point;

	hash = sim_hash(hash);
	if (hash & 1)
		return sim_hash(hash ^ unit) & 1;
	point = first + 1 + (hash >> 8) % (last - first);
	return hash & 2 ? unit < point : unit >= point;
}

static u8 surviving_mask(struct sim_store *store, const struct sim_cell *cell, const struct sim_version *version,
			 u64 seed, struct sim_cut_result *result)
{
	u8 mask = 0;
	unsigned int i;

	if (is_durable(store, version->write))
		return version->mask;
	switch (judge(store, version->write, seed, result)) {
	case SIM_FATE_KEPT:
		return version->mask;
	case SIM_FATE_TORN:
		for (i = 0; i < SIM_CELL_SECTORS; i++)
			if (version->mask & BIT(i) &&
			    unit_survives(store, version->write, seed, (sector_t)cell->index * SIM_CELL_SECTORS + i))
				mask |= BIT(i);
		return mask;
	default:
		return 0;
	}
}

static void cut_cell(struct sim_store *store, struct sim_cell *cell, u64 seed, struct sim_cut_result *result)
{
	struct sim_version *oldest = NULL, *version;

	settle_cell(store, cell);
	while ((version = cell->newest)) {
		cell->newest = version->older;
		version->older = oldest;
		oldest = version;
	}
	while ((version = oldest)) {
		oldest = version->older;
		version->mask = surviving_mask(store, cell, version, seed, result);
		if (version->mask) {
			apply_version(store, cell, version);
		} else {
			cell->versions--;
			put_version(store, version);
		}
	}
	mark_clean_if_settled(store, cell);
	release_cell(store, cell);
}

void sim_store_cut(struct sim_store *store, u64 seed, struct sim_cut_result *result)
{
	struct sim_cell *cell, *next;

	list_for_each_entry_safe(cell, next, &store->dirty, dirty)
		cut_cell(store, cell, seed, result);
	store->sweep = 0;
}

/* ---- faults ---- */

int sim_store_flip(struct sim_store *store, u64 byte, u8 mask)
{
	struct sim_cell *cell = find_cell(store, byte >> SIM_CELL_SHIFT);
	unsigned int offset = byte & (SIM_CELL_BYTES - 1);
	struct sim_version *version;
	bool found = false;

	if (!cell)
		return -ENOENT;
	for (version = cell->newest; version; version = version->older)
		if (version->data && version->mask & BIT(offset >> 9)) {
			((u8 *)version->data)[offset] ^= mask;
			found = true;
		}
	if (cell->data) {
		((u8 *)cell->data)[offset] ^= mask;
		found = true;
	}
	return found ? 0 : -ENOENT;
}

/* Let the cache write back all versions of a cell. */
static void destage_cell(struct sim_store *store, struct sim_cell *cell)
{
	struct sim_version *version;
	u8 covered = 0;

	while ((version = cell->newest)) {
		cell->newest = version->older;
		version->mask &= ~covered;
		covered |= version->mask;
		apply_version(store, cell, version);
	}
	mark_clean_if_settled(store, cell);
}

int sim_store_set_bad(struct sim_store *store, sector_t sector, u32 sectors)
{
	struct sim_cell *cell;
	u8 mask;

	for (; sectors; sectors--, sector++) {
		cell = make_cell(store, sector / SIM_CELL_SECTORS);
		if (!cell)
			return -ENOMEM;
		mask = BIT(sector % SIM_CELL_SECTORS);
		destage_cell(store, cell);
		if (!(cell->bad & mask))
			store->bad_sectors++;
		cell->bad |= mask;
	}
	return 0;
}

void sim_store_clear_bad(struct sim_store *store)
{
	struct sim_cell *cell;
	unsigned long index;

	xa_for_each(&store->cells, index, cell) {
		cell->bad = 0;
		release_cell(store, cell);
	}
	store->bad_sectors = 0;
}

/* ---- end ---- */

static void free_versions(struct sim_version *version)
{
	struct sim_version *older;

	for (; version; version = older) {
		older = version->older;
		free_page((unsigned long)version->data);
		kmem_cache_free(version_cache, version);
	}
}

void sim_store_destroy(struct sim_store *store)
{
	struct sim_version *version;
	struct sim_write *write;
	struct sim_cell *cell;
	unsigned long index;

	xa_for_each(&store->cells, index, cell) {
		for (version = cell->newest; version; version = version->older)
			put_write(store, version->write);
		free_versions(cell->newest);
		free_page((unsigned long)cell->data);
		kmem_cache_free(cell_cache, cell);
		if (!(index % 1024))
			cond_resched();
	}
	xa_destroy(&store->cells);
	free_versions(store->ready);
	free_versions(store->bare);
	while ((write = store->writes)) {
		store->writes = write->next;
		kmem_cache_free(write_cache, write);
	}
	INIT_LIST_HEAD(&store->dirty);
}
