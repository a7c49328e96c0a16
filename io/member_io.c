// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx member I/O: the only caller of submit_bio.
 *
 * Counts commands under way per member, remembers which members hold unflushed writes (needs_flush) and
 * counts errors.  Holds nothing that survives a crash.
 *
 * needs_flush is set when a write without FUA *completes*, and cleared by the flusher before it sends the
 * flush: a write that completes later sets it again, so no completed write is ever missed by a flush.
 */
#include <linux/slab.h>
#include <raidx/member_io.h>
#include <raidx/set.h>

/**
 * struct member_command - front pad of our bios.
 * @batch: whom to tell.
 * @slot: the member.
 * @bio: must be last.
 */
struct member_command {
	struct raidx_batch *batch;
	unsigned int slot;
	struct bio bio;
};

int raidx_member_io_init(struct raidx_set *set)
{
	return bioset_init(&set->bios, 256, offsetof(struct member_command, bio), BIOSET_NEED_BVECS);
}

void raidx_member_io_exit(struct raidx_set *set)
{
	bioset_exit(&set->bios);
}

void raidx_batch_init(struct raidx_batch *batch, struct raidx_set *set, void (*done)(struct raidx_batch *batch))
{
	memset(batch, 0, sizeof(*batch));
	batch->set = set;
	batch->done = done;
	atomic_set(&batch->pending, 1);
	init_completion(&batch->finished);
}

static void batch_put(struct raidx_batch *batch)
{
	if (!atomic_dec_and_test(&batch->pending))
		return;
	if (batch->done)
		batch->done(batch);
	else
		complete(&batch->finished);
}

static void batch_error(struct raidx_batch *batch, unsigned int slot, blk_status_t status)
{
	set_bit(slot, batch->failed);
	batch->error = status;
}

static void command_end_io(struct bio *bio)
{
	struct member_command *command = container_of(bio, struct member_command, bio);
	struct raidx_batch *batch = command->batch;
	struct raidx_member *member = &batch->set->member[command->slot];

	if (bio->bi_status) {
		batch_error(batch, command->slot, bio->bi_status);
		atomic_inc(op_is_write(bio_op(bio)) ? &member->write_errors : &member->read_errors);
	} else if (bio_op(bio) == REQ_OP_WRITE && !(bio->bi_opf & REQ_FUA) && !op_is_flush(bio->bi_opf)) {
		WRITE_ONCE(member->needs_flush, true);
	}
	atomic_dec(&member->in_flight);
	bio_put(bio);
	batch_put(batch);
}

static struct bio *command_alloc(struct raidx_batch *batch, unsigned int slot, unsigned int vecs, blk_opf_t opf)
{
	struct raidx_member *member = &batch->set->member[slot];
	struct member_command *command;
	struct bio *bio;

	if (!member->bdev || READ_ONCE(member->failing)) {
		batch_error(batch, slot, BLK_STS_IOERR);
		return NULL;
	}
	bio = bio_alloc_bioset(member->bdev, vecs, opf, GFP_NOIO, &batch->set->bios);
	command = container_of(bio, struct member_command, bio);
	command->batch = batch;
	command->slot = slot;
	bio->bi_end_io = command_end_io;
	atomic_inc(&batch->pending);
	atomic_inc(&member->in_flight);
	return bio;
}

void raidx_batch_pages(struct raidx_batch *batch, unsigned int slot, blk_opf_t opf, u64 block,
		       struct page **pages, unsigned int nr)
{
	while (nr) {
		unsigned int now = min_t(unsigned int, nr, BIO_MAX_VECS), i;
		struct bio *bio = command_alloc(batch, slot, now, opf);

		if (!bio)
			return;
		bio->bi_iter.bi_sector = block * RAIDX_BLOCK_SECTORS;
		for (i = 0; i < now; i++)
			if (WARN_ON_ONCE(bio_add_page(bio, pages[i], RAIDX_BLOCK_BYTES, 0) != RAIDX_BLOCK_BYTES))
				bio->bi_status = BLK_STS_IOERR;
		batch->set->member[slot].last_block = block + now;
		submit_bio(bio);
		pages += now;
		block += now;
		nr -= now;
	}
}

void raidx_batch_flush(struct raidx_batch *batch, unsigned int slot)
{
	struct bio *bio = command_alloc(batch, slot, 0, REQ_OP_WRITE | REQ_PREFLUSH);

	if (bio)
		submit_bio(bio);
}

void raidx_batch_end(struct raidx_batch *batch)
{
	batch_put(batch);
}

int raidx_batch_wait(struct raidx_batch *batch)
{
	batch_put(batch);
	wait_for_completion_io(&batch->finished);
	return blk_status_to_errno(batch->error);
}

void raidx_member_submit(struct raidx_set *set, unsigned int slot, struct bio *bio)
{
	struct raidx_member *member = &set->member[slot];

	if (!member->bdev || READ_ONCE(member->failing)) {
		bio_io_error(bio);
		return;
	}
	bio_set_dev(bio, member->bdev);
	submit_bio(bio);
}
