/* SPDX-License-Identifier: GPL-2.0-only */
/* Cost of member I/O: positioning time x I/Os + bytes / bandwidth.  Pure. */
#ifndef RAIDX_COST_H
#define RAIDX_COST_H

#include <raidx/types.h>

/**
 * struct raidx_cost_model - measured speed of a class of members.
 * @position_ns: time of a small random command.
 * @ns_per_block: transfer time of one block.
 * @samples: measurements so far (few = use the defaults).
 * @small_ns: running mean of commands of up to 4 blocks, without the transfer.
 * @large_ns: running mean of commands of 64 blocks or more.
 * @large_blocks: their mean size.
 */
struct raidx_cost_model {
	u64 position_ns;
	u64 ns_per_block;
	u64 samples;
	u64 small_ns;
	u64 large_ns;
	u64 large_blocks;
};

/* Feed one finished command (alone in the member's queue). */
void raidx_cost_sample(struct raidx_cost_model *model, u32 blocks, u64 ns);

/* Cost of @ios commands that move @blocks blocks in all. */
u64 raidx_cost_io(const struct raidx_cost_model *model, u32 ios, u32 blocks);

enum raidx_destage_way {
	RAIDX_DESTAGE_FOLD_RAID5,
	RAIDX_DESTAGE_FOLD_RAID1,
	RAIDX_DESTAGE_RAID1_IN_PLACE,
	RAIDX_DESTAGE_PARITY_IN_PLACE,
};

/**
 * struct raidx_destage_case - one logical stripe that is to be destaged.
 * @level: its present home level.
 * @width: columns of its group.
 * @parity: parity columns.
 * @copies: copies of mirrored rows.
 * @stripe_blocks: blocks of a stripe.
 * @dirty_blocks: logged blocks.
 * @dirty_runs: runs of adjacent logged blocks.
 * @missing_in_memory: blocks of the home that must be read for a fold.
 * @log_reads: logged blocks that are no more in the log cache.
 * @write_hot: the policy would rather have it in RAID 1.
 * @can_in_place: in-place updates are allowed (no member missing).
 */
struct raidx_destage_case {
	u8 level;
	u32 width;
	u32 parity;
	u32 copies;
	u32 stripe_blocks;
	u32 dirty_blocks;
	u32 dirty_runs;
	u32 missing_in_memory;
	u32 log_reads;
	bool write_hot;
	bool can_in_place;
};

/* The cheapest safe way; @cost_ns (may be NULL) gets its cost. */
enum raidx_destage_way raidx_cost_destage(const struct raidx_cost_model *model,
					  const struct raidx_destage_case *which, u64 *cost_ns);

#endif /* RAIDX_COST_H */
