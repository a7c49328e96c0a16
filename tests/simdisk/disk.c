// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simulated disk: the block device, and the life of its commands.
 *
 * queue_rq() executes a command at once: data moves between the request and the store (store.c), where a write is a
 * volatile version from then on. Then the model (timing.c) says when the command ends; until then a write is in flight.
 * sim_disk_finish() acknowledges it to the store, and only after that does the block layer hear of it, so nobody can issue
 * a flush between the two.
 *
 * A disk can be halted. Without power, or vanished, it fails all commands at once. Hung, it neither executes nor ends any;
 * the block layer's timeout may take them away. Frozen is the first half of a cut: to the host the disk is silent, like a
 * hung one, until the second half loses what is volatile and fails everything. Commands that are not executed because of a
 * halt wait in disk->held.
 */
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "cut.h"
#include "disk.h"

#define MAX_DISCARD_SECTORS	(1U << 21)

LIST_HEAD(sim_disks);
DEFINE_SPINLOCK(sim_disks_lock);

static atomic_t disk_count = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(disk_count_wait);

/* ---- commands ---- */

void sim_disk_complete(struct list_head *done)
{
	struct sim_cmd *cmd, *next;

	list_for_each_entry_safe(cmd, next, done, slot.node) {
		list_del_init(&cmd->slot.node);
		blk_mq_complete_request(sim_request(cmd));
	}
}

void sim_disk_finish(struct sim_disk *disk, struct sim_cmd *cmd, struct list_head *done)
{
	bool ok = cmd->status == BLK_STS_OK;

	if (cmd->write) {
		/*
		 * A write that failed is over as well; how much of it is there remains open until a flush. Without a cache none
		 * comes, and what was read once must not change later.
		 */
		bool durable = !disk->params.cache || (ok && cmd->fua && !disk->params.ignore_fua);

		sim_store_ack(&disk->store, cmd->write, durable);
		cmd->write = NULL;
	} else if (cmd->op == SIM_FLUSH && ok && !disk->params.ignore_flush) {
		sim_store_flushed(&disk->store, cmd->flush_mark);
	}
	if (!ok)
		disk->stats.errors++;
	if (!--disk->depth)
		disk->stats.busy_ns += ktime_get_ns() - disk->busy_since;
	cmd->finished = true;
	list_add_tail(&cmd->slot.node, done);
}

static unsigned int cells_of(const struct request *rq)
{
	sector_t first = blk_rq_pos(rq) / SIM_CELL_SECTORS;

	return (blk_rq_pos(rq) + blk_rq_sectors(rq) - 1) / SIM_CELL_SECTORS - first + 1;
}

static blk_status_t move_data(struct sim_disk *disk, struct sim_cmd *cmd)
{
	struct request *rq = sim_request(cmd);
	struct sim_store *store = &disk->store;
	int ret = 0;

	switch (cmd->op) {
	case SIM_READ:
		return sim_store_read(store, rq) ? BLK_STS_OK : BLK_STS_MEDIUM;
	case SIM_WRITE:
		if (disk->read_only)
			return BLK_STS_IOERR;
		if (sim_store_reserve(store, cells_of(rq)))
			ret = sim_store_write(store, rq, &cmd->write);
		else
			ret = -ENOMEM;
		break;
	case SIM_DISCARD:
		if (disk->read_only)
			return BLK_STS_IOERR;
		ret = sim_store_discard(store, blk_rq_pos(rq), blk_rq_sectors(rq), &cmd->write);
		break;
	case SIM_FLUSH:
		cmd->flush_mark = store->ack;
		break;
	}
	if (!ret)
		return BLK_STS_OK;
	pr_err_ratelimited("%s: no memory for a command\n", rq->q->disk->disk_name);
	return BLK_STS_NOSPC;
}

/* Returns true when sim_cut_fire() must be called after unlocking. */
static bool execute(struct sim_disk *disk, struct sim_cmd *cmd, u64 now, struct list_head *done)
{
	bool lose = false, fire = false;

	if (unlikely(disk->faults.any))
		cmd->status = sim_fault_status(disk, cmd, &lose);
	if (cmd->status == BLK_STS_OK && !lose)
		cmd->status = move_data(disk, cmd);
	cmd->executed = true;
	disk->stats.commands[cmd->op]++;
	disk->stats.sectors[cmd->op] += blk_rq_sectors(sim_request(cmd));
	disk->stats.fua += cmd->fua;

	if (unlikely(atomic64_read(&sim_cut_left)) && cmd->op != SIM_READ && sim_cut_count(disk)) {
		fire = true;
		list_add_tail(&cmd->slot.node, &disk->held);
	} else if (disk->timing.model) {
		sim_timing_submit(disk, cmd, now);
	} else {
		sim_disk_finish(disk, cmd, done);
	}
	return fire;
}

static enum sim_op op_of(const struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		return SIM_READ;
	case REQ_OP_FLUSH:
		return SIM_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		return SIM_DISCARD;
	default:
		return SIM_WRITE;
	}
}

static void enter(struct sim_disk *disk, u64 now)
{
	if (!disk->depth++)
		disk->busy_since = now;
	if (disk->depth > disk->stats.max_depth)
		disk->stats.max_depth = disk->depth;
}

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
{
	struct sim_disk *disk = hctx->queue->queuedata;
	struct request *rq = bd->rq;
	struct sim_cmd *cmd = blk_mq_rq_to_pdu(rq), *next;
	bool fire = false;
	unsigned long flags;
	LIST_HEAD(done);
	u64 now;

	INIT_LIST_HEAD(&cmd->slot.node);
	cmd->write = NULL;
	cmd->status = BLK_STS_OK;
	cmd->op = op_of(rq);
	cmd->fua = rq->cmd_flags & REQ_FUA;
	cmd->executed = false;
	cmd->finished = false;

	spin_lock_irqsave(&disk->lock, flags);
	if (cmd->op == SIM_WRITE && !sim_store_reserve(&disk->store, cells_of(rq))) {
		spin_unlock_irqrestore(&disk->lock, flags);
		pr_warn_ratelimited("%s: memory is short, a write waits\n", rq->q->disk->disk_name);
		return BLK_STS_RESOURCE;
	}
	blk_mq_start_request(rq);
	now = ktime_get_ns();
	enter(disk, now);
	if (likely(!disk->halted)) {
		fire = execute(disk, cmd, now, &done);
	} else if (disk->halted & (SIM_HALT_OFF | SIM_HALT_GONE)) {
		cmd->status = disk->halted & SIM_HALT_OFF ? BLK_STS_IOERR : BLK_STS_OFFLINE;
		sim_disk_finish(disk, cmd, &done);
	} else {
		list_add_tail(&cmd->slot.node, &disk->held);
	}
	spin_unlock_irqrestore(&disk->lock, flags);

	if (unlikely(fire))
		sim_cut_fire();
	list_for_each_entry_safe(cmd, next, &done, slot.node) {
		list_del_init(&cmd->slot.node);
		blk_mq_end_request(sim_request(cmd), cmd->status);
	}
	return BLK_STS_OK;
}

static void complete_rq(struct request *rq)
{
	struct sim_cmd *cmd = blk_mq_rq_to_pdu(rq);

	blk_mq_end_request(rq, cmd->status);
}

/* The block layer has lost patience. A slow command gets more time; one that hangs is given up. */
static enum blk_eh_timer_return timed_out(struct request *rq)
{
	struct sim_disk *disk = rq->q->queuedata;
	struct sim_cmd *cmd = blk_mq_rq_to_pdu(rq);
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&disk->lock, flags);
	if (!(disk->halted & SIM_HALT_HUNG) || disk->halted & SIM_HALT_FROZEN || cmd->finished) {
		spin_unlock_irqrestore(&disk->lock, flags);
		return BLK_EH_RESET_TIMER;
	}
	list_del_init(&cmd->slot.node);
	if (cmd->executed)
		sim_timing_forget(disk, cmd);
	cmd->status = BLK_STS_TIMEOUT;
	sim_disk_finish(disk, cmd, &done);
	spin_unlock_irqrestore(&disk->lock, flags);
	sim_disk_complete(&done);
	return BLK_EH_DONE;
}

static const struct blk_mq_ops queue_ops = {
	.queue_rq = queue_rq,
	.complete = complete_rq,
	.timeout = timed_out,
};

/* ---- halts ---- */

/* Fail all commands in the disk. Lock held. */
static void abort_commands(struct sim_disk *disk, blk_status_t status, struct list_head *done)
{
	struct sim_cmd *cmd, *next;
	LIST_HEAD(victims);

	if (disk->timing.model)
		sim_timing_drain(disk, &victims);
	list_splice_tail_init(&disk->held, &victims);
	list_for_each_entry_safe(cmd, next, &victims, slot.node) {
		list_del_init(&cmd->slot.node);
		cmd->status = status;
		sim_disk_finish(disk, cmd, done);
	}
}

/* Serve what came while the disk was halted. Lock held. */
static bool serve_held(struct sim_disk *disk, struct list_head *done)
{
	u64 now = ktime_get_ns();
	bool fire = false;
	struct sim_cmd *cmd;

	if (disk->timing.model)
		sim_timing_resume(disk);
	while (!disk->halted && !list_empty(&disk->held)) {
		cmd = list_first_entry(&disk->held, struct sim_cmd, slot.node);
		list_del_init(&cmd->slot.node);
		fire |= execute(disk, cmd, now, done);
	}
	return fire;
}

void sim_disk_halt(struct sim_disk *disk, unsigned int set, unsigned int clear)
{
	bool fire = false;
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&disk->lock, flags);
	disk->halted = (disk->halted & ~clear) | set;
	if (set & (SIM_HALT_OFF | SIM_HALT_GONE)) {
		abort_commands(disk, set & SIM_HALT_OFF ? BLK_STS_IOERR : BLK_STS_OFFLINE, &done);
		if (set & SIM_HALT_OFF)
			sim_store_flushed(&disk->store, disk->store.ack);
	}
	if (!disk->halted)
		fire = serve_held(disk, &done);
	spin_unlock_irqrestore(&disk->lock, flags);
	if (fire)
		sim_cut_fire();
	sim_disk_complete(&done);
	if (clear & SIM_HALT_OFF && disk->gendisk)
		invalidate_bdev(disk->gendisk->part0);
}

void sim_disk_freeze(struct sim_disk *disk)
{
	unsigned long flags;

	spin_lock_irqsave(&disk->lock, flags);
	disk->halted |= SIM_HALT_FROZEN;
	spin_unlock_irqrestore(&disk->lock, flags);
}

void sim_disk_lose_power(struct sim_disk *disk, u64 seed)
{
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&disk->lock, flags);
	/* Without power already: nothing is volatile, and the counters stay. */
	if (!(disk->halted & SIM_HALT_OFF)) {
		disk->cut_count++;
		sim_store_cut(&disk->store, sim_hash(seed) ^ disk->name_hash, &disk->cuts);
	}
	disk->halted = (disk->halted & ~SIM_HALT_FROZEN) | SIM_HALT_OFF;
	abort_commands(disk, BLK_STS_IOERR, &done);
	spin_unlock_irqrestore(&disk->lock, flags);
	sim_disk_complete(&done);
}

/* ---- coming and going ---- */

static void release_disk(struct kref *ref)
{
	struct sim_disk *disk = container_of(ref, struct sim_disk, ref);

	sim_timing_destroy(disk);
	sim_store_destroy(&disk->store);
	kfree(disk);
	if (atomic_dec_and_test(&disk_count))
		wake_up_all(&disk_count_wait);
}

void sim_disk_put(struct sim_disk *disk)
{
	kref_put(&disk->ref, release_disk);
}

static void free_gendisk(struct gendisk *gendisk)
{
	sim_disk_put(gendisk->private_data);
}

static const struct block_device_operations disk_ops = {
	.owner = THIS_MODULE,
	.free_disk = free_gendisk,
};

struct sim_disk *sim_disk_create(const char *name)
{
	struct sim_disk *disk = kzalloc(sizeof(*disk), GFP_KERNEL);
	const char *c;

	if (!disk)
		return ERR_PTR(-ENOMEM);
	kref_init(&disk->ref);
	INIT_LIST_HEAD(&disk->node);
	INIT_LIST_HEAD(&disk->held);
	spin_lock_init(&disk->lock);
	for (c = name; *c; c++)
		disk->name_hash = sim_hash(disk->name_hash ^ *c);
	sim_store_init(&disk->store);
#define SIM_DEFAULT(name, default_, least, greatest, when) disk->params.name = default_;
	SIM_PARAMS(SIM_DEFAULT)
#undef SIM_DEFAULT
	disk->params.model = SIM_MODEL_RAM;
	disk->params.discard = SIM_DISCARD_ZERO;
	disk->halted = SIM_HALT_OFF;
	atomic_inc(&disk_count);
	return disk;
}

static struct gendisk *alloc_gendisk(struct sim_disk *disk)
{
	const struct sim_params *params = &disk->params;
	unsigned int physical = max(params->physical_block, params->logical_block);
	unsigned int discard = params->discard == SIM_DISCARD_OFF ? 0 : MAX_DISCARD_SECTORS;
	unsigned int zeroes = params->discard == SIM_DISCARD_ZERO ? MAX_DISCARD_SECTORS : 0;
	bool rotational = disk->timing.model && disk->timing.model->rotational;
	struct gendisk *gendisk;
#ifdef SIMDISK_HAVE_ALLOC_LIMITS
	struct queue_limits lim = {
		.logical_block_size = params->logical_block,
		.physical_block_size = physical,
		.io_min = physical,
		.max_hw_sectors = params->max_kb << 1,
		.max_segments = 512,
		.max_segment_size = UINT_MAX,
		.max_hw_discard_sectors = discard,
		.discard_granularity = discard ? SIM_CELL_BYTES : 0,
		.max_write_zeroes_sectors = zeroes,
	};

#ifdef SIMDISK_HAVE_LIMIT_FEATURES
	if (params->cache)
		lim.features |= BLK_FEAT_WRITE_CACHE | (params->fua ? BLK_FEAT_FUA : 0);
	if (rotational)
		lim.features |= BLK_FEAT_ROTATIONAL;
#endif
	gendisk = blk_mq_alloc_disk(&disk->tag_set, &lim, disk);
#else
	gendisk = blk_mq_alloc_disk(&disk->tag_set, disk);
#endif
	if (IS_ERR(gendisk))
		return gendisk;
#ifndef SIMDISK_HAVE_ALLOC_LIMITS
	blk_queue_logical_block_size(gendisk->queue, params->logical_block);
	blk_queue_physical_block_size(gendisk->queue, physical);
	blk_queue_io_min(gendisk->queue, physical);
	blk_queue_max_hw_sectors(gendisk->queue, params->max_kb << 1);
	blk_queue_max_segments(gendisk->queue, 512);
	blk_queue_max_segment_size(gendisk->queue, UINT_MAX);
	blk_queue_max_discard_sectors(gendisk->queue, discard);
	blk_queue_max_write_zeroes_sectors(gendisk->queue, zeroes);
	gendisk->queue->limits.discard_granularity = discard ? SIM_CELL_BYTES : 0;
#endif
#ifndef SIMDISK_HAVE_LIMIT_FEATURES
	blk_queue_write_cache(gendisk->queue, params->cache, params->cache && params->fua);
	if (!rotational)
		blk_queue_flag_set(QUEUE_FLAG_NONROT, gendisk->queue);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, gendisk->queue);
#endif
	return gendisk;
}

static sector_t capacity(const struct sim_params *params)
{
	sector_t sectors = params->size_sectors ? params->size_sectors : (sector_t)params->size_mb << 11;

	return round_down(sectors, params->logical_block >> 9);
}

int sim_disk_start(struct sim_disk *disk)
{
	struct gendisk *gendisk;
	unsigned long flags;
	int ret;

	ret = sim_store_fill_pool(&disk->store, disk->params.pool_mb << (20 - SIM_CELL_SHIFT));
	if (ret)
		return ret;
	ret = sim_timing_init(disk);
	if (ret)
		return ret;
	disk->store.garbage = disk->params.discard == SIM_DISCARD_GARBAGE;

	disk->tag_set.ops = &queue_ops;
	disk->tag_set.nr_hw_queues = 1;
	disk->tag_set.queue_depth = disk->params.queue_depth;
	if (!disk->tag_set.queue_depth)
		disk->tag_set.queue_depth = disk->timing.model ? disk->timing.model->queue_depth : 128;
	disk->tag_set.numa_node = NUMA_NO_NODE;
	disk->tag_set.cmd_size = sizeof(struct sim_cmd);
	disk->tag_set.timeout = msecs_to_jiffies(disk->params.timeout_ms);
#ifdef SIMDISK_HAVE_SHOULD_MERGE
	disk->tag_set.flags = BLK_MQ_F_SHOULD_MERGE;
#endif
	ret = blk_mq_alloc_tag_set(&disk->tag_set);
	if (ret)
		goto err_timing;
	gendisk = alloc_gendisk(disk);
	if (IS_ERR(gendisk)) {
		ret = PTR_ERR(gendisk);
		goto err_free_tags;
	}
	gendisk->fops = &disk_ops;
	gendisk->private_data = disk;
	strscpy(gendisk->disk_name, config_item_name(&disk->item), DISK_NAME_LEN);
	set_capacity(gendisk, capacity(&disk->params));
	set_disk_ro(gendisk, disk->read_only);
	kref_get(&disk->ref);
	disk->gendisk = gendisk;
	sim_disk_halt(disk, 0, SIM_HALT_OFF);
	ret = add_disk(gendisk);
	if (ret)
		goto err_put_gendisk;
	spin_lock_irqsave(&sim_disks_lock, flags);
	list_add_tail(&disk->node, &sim_disks);
	spin_unlock_irqrestore(&sim_disks_lock, flags);
	return 0;

err_put_gendisk:
	disk->gendisk = NULL;
	disk->halted = SIM_HALT_OFF;
	/* free_disk() is not called for a disk that never was added. */
	put_disk(gendisk);
	sim_disk_put(disk);
err_free_tags:
	blk_mq_free_tag_set(&disk->tag_set);
err_timing:
	sim_timing_destroy(disk);
	return ret;
}

void sim_disk_stop(struct sim_disk *disk)
{
	unsigned long flags;

	if (!disk->gendisk)
		return;
	spin_lock_irqsave(&sim_disks_lock, flags);
	list_del_init(&disk->node);
	spin_unlock_irqrestore(&sim_disks_lock, flags);
	sim_disk_halt(disk, SIM_HALT_GONE, SIM_HALT_FROZEN);
	del_gendisk(disk->gendisk);
	blk_mq_free_tag_set(&disk->tag_set);
	put_disk(disk->gendisk);
	disk->gendisk = NULL;
}

void sim_disk_module_exit(void)
{
	/* A device that was open when its directory was removed may still be on its way out. */
	wait_event(disk_count_wait, !atomic_read(&disk_count));
}
