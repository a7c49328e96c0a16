// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx cost model: what a piece of member I/O costs, and which way to destage a stripe is the cheapest.
 *
 * A command is taken to cost a positioning time and a time per block.  Both come from running means over the
 * finished commands that had their member to themselves: small commands say positioning, large ones the rest.  Pure:
 * holds no state of its own; a model belongs to its caller, who serialises.  A wrong figure costs speed only.
 */
#include <raidx/cost.h>
#ifdef __KERNEL__
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#endif

#define DEFAULT_POSITION_NS	100000u
#define DEFAULT_NS_PER_BLOCK	8000u
#define MIN_SAMPLES		16
#define MAX_SAMPLE_NS		1000000000ULL	/* longer: an error's retries, not the medium */
#define SMALL_BLOCKS		4
#define LARGE_BLOCKS		64
#define ROWS_PER_RUN		4	/* rows of a pass that share a positioning */

/* Running mean over about the last 8. */
static u64 mean(u64 old, u64 now)
{
	return old ? (7 * old + now + 4) >> 3 : now;
}

static u64 position_of(const struct raidx_cost_model *model)
{
	return model->samples < MIN_SAMPLES ? DEFAULT_POSITION_NS : model->position_ns;
}

static u64 block_of(const struct raidx_cost_model *model)
{
	return model->samples < MIN_SAMPLES || !model->large_blocks ? DEFAULT_NS_PER_BLOCK : model->ns_per_block;
}

void raidx_cost_sample(struct raidx_cost_model *model, u32 blocks, u64 ns)
{
	ns = min(ns, MAX_SAMPLE_NS);
	if (!blocks || (blocks > SMALL_BLOCKS && blocks < LARGE_BLOCKS))
		return;
	model->samples++;
	if (blocks <= SMALL_BLOCKS) {
		/* Without the transfer of its blocks. */
		u64 transfer = blocks * (model->large_blocks ? model->ns_per_block : 0);

		model->small_ns = mean(model->small_ns, ns - min(ns, transfer));
	} else {
		model->large_ns = mean(model->large_ns, ns);
		model->large_blocks = mean(model->large_blocks, blocks);
	}
	model->position_ns = model->small_ns ? model->small_ns : DEFAULT_POSITION_NS;
	if (model->large_blocks)
		model->ns_per_block = div64_u64(model->large_ns - min(model->large_ns, model->small_ns),
						model->large_blocks);
}

u64 raidx_cost_io(const struct raidx_cost_model *model, u32 ios, u32 blocks)
{
	return ios * position_of(model) + blocks * block_of(model);
}

/* Logged blocks that left the log cache come back run by run. */
static u64 log_read_cost(const struct raidx_cost_model *model, const struct raidx_destage_case *which)
{
	return raidx_cost_io(model, min(which->log_reads, max(which->dirty_runs, 1u)), which->log_reads);
}

static u64 fold_cost(const struct raidx_cost_model *model, const struct raidx_destage_case *which, bool to_raid1)
{
	u32 data = which->width > which->parity ? which->width - which->parity : 1;
	u32 chunk = max(DIV_ROUND_UP(which->stripe_blocks, data), 1u);
	u32 pieces, written;

	/* What is missing lies between the dirty runs, on at most all data columns. */
	pieces = max(DIV_ROUND_UP(which->missing_in_memory, chunk), min(which->missing_in_memory, which->dirty_runs));
	pieces = min(pieces, data);
	written = to_raid1 ? which->copies * which->stripe_blocks : which->width * chunk;
	return log_read_cost(model, which) + raidx_cost_io(model, pieces, which->missing_in_memory) +
	       div_u64(which->width * position_of(model), ROWS_PER_RUN) + raidx_cost_io(model, 0, written);
}

static u64 raid1_in_place_cost(const struct raidx_cost_model *model, const struct raidx_destage_case *which)
{
	return log_read_cost(model, which) +
	       raidx_cost_io(model, which->copies * which->dirty_runs, which->copies * which->dirty_blocks);
}

/* Each run: old data and parity are read, the new parity is logged, then both are written. */
static u64 parity_in_place_cost(const struct raidx_cost_model *model, const struct raidx_destage_case *which)
{
	u32 touched = 2 * (1 + which->parity);

	return log_read_cost(model, which) +
	       raidx_cost_io(model, touched * which->dirty_runs, touched * which->dirty_blocks) +
	       raidx_cost_io(model, 2, which->copies * which->parity * which->dirty_blocks);
}

enum raidx_destage_way raidx_cost_destage(const struct raidx_cost_model *model,
					  const struct raidx_destage_case *which, u64 *cost_ns)
{
	enum raidx_destage_way way = which->write_hot ? RAIDX_DESTAGE_FOLD_RAID1 : RAIDX_DESTAGE_FOLD_RAID5;
	u64 cost = fold_cost(model, which, which->write_hot), in_place;

	if (which->can_in_place && which->level == RAIDX_LEVEL_RAID1) {
		in_place = raid1_in_place_cost(model, which);
		if (in_place < cost) {
			way = RAIDX_DESTAGE_RAID1_IN_PLACE;
			cost = in_place;
		}
	} else if (which->can_in_place && (which->level == RAIDX_LEVEL_RAID5 || which->level == RAIDX_LEVEL_RAID6)) {
		in_place = parity_in_place_cost(model, which);
		if (in_place < cost) {
			way = RAIDX_DESTAGE_PARITY_IN_PLACE;
			cost = in_place;
		}
	}
	if (cost_ns)
		*cost_ns = cost;
	return way;
}
