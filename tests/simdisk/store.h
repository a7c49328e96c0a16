/* SPDX-License-Identifier: GPL-2.0-only */
/* What a simulated disk holds: durable content and the volatile versions above it. See store.c. */
#ifndef SIMDISK_STORE_H
#define SIMDISK_STORE_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct request;

#define SIM_CELL_SHIFT		12
#define SIM_CELL_BYTES		(1U << SIM_CELL_SHIFT)
#define SIM_CELL_SECTORS	(SIM_CELL_BYTES >> 9)
#define SIM_CELL_FULL		0xffU
#define SIM_NO_TEAR		63

/* What became of a write at a cut. */
enum sim_fate {
	SIM_FATE_OPEN,		/* not judged */
	SIM_FATE_KEPT,
	SIM_FATE_DROPPED,
	SIM_FATE_TORN,
	SIM_FATE_NR,
};

/* One write, discard or write-zeroes command; lives as long as the command or a version of it. */
struct sim_write {
	struct sim_write *next;	/* in the pool */
	u64 id;			/* order of issue, from 1 */
	u64 ack;		/* order of acknowledgement, from 1; 0 while in flight */
	sector_t sector;
	u32 sectors;
	u32 refs;
	bool durable;		/* acknowledged, and needs no flush */
	u8 fate;		/* enum sim_fate, at the cut */
};

/* Result of one cut, in write commands that were volatile or in flight. */
struct sim_cut_result {
	u64 writes[SIM_FATE_NR];
	u64 in_flight;		/* of these, not acknowledged */
};

struct sim_store {
	struct xarray cells;		/* struct sim_cell by byte offset >> SIM_CELL_SHIFT */
	struct list_head dirty;		/* cells with volatile versions, the longest unexamined first */
	u64 dirty_cells;
	u64 sweep;			/* cells that may hold a version that has become durable */
	u64 write_id;			/* of the last write issued */
	u64 ack;			/* of the last write acknowledged */
	u64 flushed;			/* what was acknowledged up to here is durable */
	u64 pages;			/* in use, not counting the pool */
	u64 volatile_pages;		/* of them, in versions */
	u64 bad_sectors;

	unsigned int max_versions;	/* per cell */
	u64 max_volatile_pages;
	unsigned int tear_shift;	/* sectors per tear unit, as a shift; SIM_NO_TEAR: never */
	bool garbage;			/* absent sectors read as a pattern, else as zeroes */

	struct sim_version *ready;	/* pool of versions with a page */
	struct sim_version *bare;	/* and without */
	struct sim_write *writes;
	unsigned int ready_count, max_ready;
};

/**
 * sim_store_init() - make an empty store.
 * @store: the store. The caller serialises everything below by one lock with interrupts off.
 */
void sim_store_init(struct sim_store *store);

/**
 * sim_store_destroy() - free everything.
 * @store: the store; no command is in flight.
 *
 * Context: process, without the lock: nobody else may use the store any more.
 */
void sim_store_destroy(struct sim_store *store);

/**
 * sim_store_fill_pool() - take pages before the first write, which are kept for the store.
 * @store: the store.
 * @pages: how many.
 *
 * Context: process, without the lock: nobody uses the store yet. Return: 0; -ENOMEM.
 */
int __must_check sim_store_fill_pool(struct sim_store *store, unsigned int pages);

/**
 * sim_store_reserve() - make sure that a write finds its pages.
 * @store: the store.
 * @cells: number of cells that the write touches.
 *
 * Return: true; false when memory is short now.
 */
bool __must_check sim_store_reserve(struct sim_store *store, unsigned int cells);

/**
 * sim_store_write() - take a write request's data as new volatile versions.
 * @store: the store, with enough reserved.
 * @rq: the request.
 * @write: set to the write's record, of which the caller gets a reference.
 *
 * Return: 0; -ENOMEM, then the data may be stored in part.
 */
int __must_check sim_store_write(struct sim_store *store, struct request *rq, struct sim_write **write);

/**
 * sim_store_discard() - make a range absent, as new volatile versions.
 * @store: the store.
 * @sector: start of the range.
 * @sectors: its length.
 * @write: set to the record, of which the caller gets a reference.
 *
 * Return: 0; -ENOMEM, then the range may be discarded in part.
 */
int __must_check sim_store_discard(struct sim_store *store, sector_t sector, u32 sectors, struct sim_write **write);

/**
 * sim_store_read() - fill a read request with the newest content.
 * @store: the store.
 * @rq: the request.
 *
 * Return: true; false when a sector of it is unreadable.
 */
bool __must_check sim_store_read(struct sim_store *store, struct request *rq);

/**
 * sim_store_ack() - a write ends; the caller's reference is dropped.
 * @store: the store.
 * @write: the write.
 * @durable: it needs no flush any more. Older writes stay as they are.
 */
void sim_store_ack(struct sim_store *store, struct sim_write *write, bool durable);

/**
 * sim_store_flushed() - a flush has ended.
 * @store: the store.
 * @mark: store->ack at the time when the flush was issued.
 */
void sim_store_flushed(struct sim_store *store, u64 mark);

/**
 * sim_store_settle() - fold everything that is durable, so that @store->pages and the like are exact.
 * @store: the store.
 */
void sim_store_settle(struct sim_store *store);

/**
 * sim_store_cut() - the power fails: decide what is left of each volatile write.
 * @store: the store; the references of commands in flight remain the caller's.
 * @seed: the decision is a pure function of it and of the commands so far.
 * @result: counters to add to.
 */
void sim_store_cut(struct sim_store *store, u64 seed, struct sim_cut_result *result);

/**
 * sim_store_flip() - change bits without a trace.
 * @store: the store.
 * @byte: offset on the disk.
 * @mask: the bits to invert, in every version of the byte.
 *
 * Return: 0; -ENOENT when nothing was ever written there.
 */
int sim_store_flip(struct sim_store *store, u64 byte, u8 mask);

/**
 * sim_store_set_bad() - make sectors unreadable until they are rewritten.
 * @store: the store.
 * @sector: start of the range.
 * @sectors: its length.
 *
 * Return: 0; -ENOMEM, then a part of the range is bad.
 */
int sim_store_set_bad(struct sim_store *store, sector_t sector, u32 sectors);

/**
 * sim_store_clear_bad() - make all sectors readable, with what was there before.
 * @store: the store.
 */
void sim_store_clear_bad(struct sim_store *store);

/** sim_hash() - mix a number well. @x: the number. Return: the hash. */
static inline u64 sim_hash(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

int sim_store_module_init(void);
void sim_store_module_exit(void);

#endif
