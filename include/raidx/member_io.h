/* SPDX-License-Identifier: GPL-2.0-only */
/* I/O to members: the only place that calls submit_bio. */
#ifndef RAIDX_MEMBER_IO_H
#define RAIDX_MEMBER_IO_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/completion.h>
#include <raidx/types.h>

struct raidx_set;

/**
 * struct raidx_batch - several member commands that complete together.
 * @set: the set.
 * @pending: commands under way, plus one for the submitter.
 * @failed: bit per slot: a command to this slot failed.
 * @error: first error.
 * @done: called once when all are complete and raidx_batch_end() was called; any context, irqs may be off.
 * @finished: for raidx_batch_wait().
 */
struct raidx_batch {
	struct raidx_set *set;
	atomic_t pending;
	unsigned long failed[BITS_TO_LONGS(RAIDX_MAX_MEMBERS)];
	blk_status_t error;
	void (*done)(struct raidx_batch *batch);
	struct completion finished;
};

/* @done NULL: the submitter calls raidx_batch_wait(). */
void raidx_batch_init(struct raidx_batch *batch, struct raidx_set *set, void (*done)(struct raidx_batch *batch));

/**
 * raidx_batch_pages() - transfer whole blocks between pages and one member.
 * @batch: the batch.
 * @slot: member; a slot that is not there fails at once.
 * @opf: REQ_OP_READ or REQ_OP_WRITE with flags.
 * @block: first 4 KiB block on the member.
 * @pages: one page a block; they stay the caller's until the batch is done.
 * @nr: blocks.
 *
 * Context: process, may sleep (GFP_NOIO mempools).
 */
void raidx_batch_pages(struct raidx_batch *batch, unsigned int slot, blk_opf_t opf, u64 block,
		       struct page **pages, unsigned int nr);

/* Flush a member's cache. Process context. */
void raidx_batch_flush(struct raidx_batch *batch, unsigned int slot);

/* Nothing more will be added. */
void raidx_batch_end(struct raidx_batch *batch);

/* raidx_batch_end() and sleep until all is done. Return: 0 or the first error as an errno. */
int raidx_batch_wait(struct raidx_batch *batch);

static inline bool raidx_batch_slot_failed(const struct raidx_batch *batch, unsigned int slot)
{
	return test_bit(slot, batch->failed);
}

/**
 * raidx_member_submit() - send a bio (a clone, its end_io set) to a member.
 * @set: the set.
 * @slot: member.
 * @bio: its sector is absolute on the member; bdev is set here.
 *
 * A slot that is not there ends the bio with an I/O error.  Context: where submit_bio may be called.
 */
void raidx_member_submit(struct raidx_set *set, unsigned int slot, struct bio *bio);

int raidx_member_io_init(struct raidx_set *set);
void raidx_member_io_exit(struct raidx_set *set);

#endif /* RAIDX_MEMBER_IO_H */
