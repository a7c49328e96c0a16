// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx: a device-mapper target for RAID sets that grow, tier and survive power cuts.
 *
 * This file is the target: it holds what dm asks for and hands it on.  What a set is, see set/; what a level does
 * with a bio, see include/raidx/level.h.  No state of its own survives anything.
 *
 * dm's order: constructor (reads superblocks, writes nothing), preresume (creates, starts or adopts the set),
 * resume, ... postsuspend, destructor.  When a table is replaced the new one is resumed before the old one is
 * destroyed, and both share the set.
 */
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <raidx/level.h>
#include <raidx/message.h>
#include <raidx/registry.h>
#include <raidx/status.h>
#include <raidx/sysfs.h>

#define DM_MSG_PREFIX "raidx"

#define MOST_SECTORS	round_down(UINT_MAX >> SECTOR_SHIFT, RAIDX_BLOCK_SECTORS)

static void close_table(struct raidx_dm_table *table)
{
	unsigned int i;

	raidx_registry_close(table);
	for (i = 0; i < RAIDX_MAX_MEMBERS; i++)
		if (table->dev[i])
			dm_put_device(table->ti, table->dev[i]);
	kfree(table);
}

static const char *open_device(struct raidx_dm_table *table, unsigned int i)
{
	struct block_device *bdev;
	unsigned int other;
	int ret;

	ret = dm_get_device(table->ti, table->line.dev[i], dm_table_get_mode(table->ti->table), &table->dev[i]);
	if (ret) {
		table->dev[i] = NULL;
		DMERR("%s: cannot be opened (%d)", table->line.dev[i], ret);
		return "members: a device cannot be opened";
	}
	bdev = table->dev[i]->bdev;
	for (other = 0; other < i; other++)
		if (table->dev[other] && table->dev[other]->bdev == bdev)
			return "members: a device is given twice";
	if (bdev_is_zoned(bdev))
		return "members: zoned devices are not supported";
	if (bdev_logical_block_size(bdev) > RAIDX_BLOCK_BYTES)
		return "members: a device has logical blocks of more than 4096 bytes";
	return NULL;
}

static int open_devices(struct raidx_dm_table *table)
{
	const char *error = NULL;
	unsigned int i;

	for (i = 0; i < table->line.nr_members && !error; i++) {
		if (table->line.dev[i])
			error = open_device(table, i);
		if (error)
			DMERR("%s: %s", table->line.dev[i], error);
	}
	memset(table->line.dev, 0, sizeof(table->line.dev));
	if (!error)
		return 0;
	table->ti->error = (char *)error;
	return -EINVAL;
}

static int set_up_target(struct dm_target *ti, const struct raidx_set *set)
{
	u32 split = 0;

	ti->per_io_data_size = sizeof(struct raidx_request);
	ti->num_flush_bios = 1;
	ti->flush_supported = true;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->num_secure_erase_bios = 0;
	ti->discards_supported = set->geo.level != RAIDX_LEVEL_RAID0;
	if (raidx_level_is_pool(set->geo.level))
		split = set->geo.stripe_blocks;
	else if (set->geo.level != RAIDX_LEVEL_RAID1)
		split = set->geo.chunk_blocks;
	if (!split)
		return 0;
	ti->error = "chunk_sectors: refused by device-mapper";
	return dm_set_target_max_io_len(ti, split * RAIDX_BLOCK_SECTORS);
}

static int raidx_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct raidx_dm_table *table;
	const char *error;
	int ret = -EINVAL;

	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table) {
		ti->error = "no memory for the table";
		return -ENOMEM;
	}
	table->ti = ti;
	error = raidx_table_line_parse(argc, argv, &table->line);
	if (!error && ti->begin)
		error = "start: a raidx target must be the only one of its table and begin at 0";
	if (error) {
		ti->error = (char *)error;
		goto err_close;
	}
	ret = open_devices(table);
	if (ret)
		goto err_close;
	ret = raidx_registry_open(table, &error);
	if (ret) {
		ti->error = (char *)error;
		goto err_close;
	}
	ret = set_up_target(ti, table->set);
	if (ret)
		goto err_close;
	ti->error = NULL;
	ti->private = table;
	return 0;

err_close:
	close_table(table);
	return ret;
}

static void raidx_dtr(struct dm_target *ti)
{
	close_table(ti->private);
}

static int raidx_map(struct dm_target *ti, struct bio *bio)
{
	struct raidx_request *request = dm_per_bio_data(bio, sizeof(*request));
	struct raidx_set *set = ((struct raidx_dm_table *)ti->private)->set;
	enum raidx_mode mode = READ_ONCE(set->mode);

	request->bio = bio;
	request->set = set;
	if (unlikely(mode == RAIDX_MODE_FAILED || (mode == RAIDX_MODE_READONLY && op_is_write(bio_op(bio)))))
		return DM_MAPIO_KILL;
	return set->ops->map(set, bio, request);
}

static int raidx_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error)
{
	struct raidx_request *request = dm_per_bio_data(bio, sizeof(*request));
	struct raidx_set *set = ((struct raidx_dm_table *)ti->private)->set;

	if (!set->ops->end_io)
		return DM_ENDIO_DONE;
	return set->ops->end_io(set, bio, request, error);
}

static int raidx_preresume(struct dm_target *ti)
{
	return raidx_registry_start(ti->private);
}

static void raidx_resume(struct dm_target *ti)
{
	struct raidx_set *set = ((struct raidx_dm_table *)ti->private)->set;

	mutex_lock(&set->lock);
	set->md = dm_table_get_md(ti->table);
	WRITE_ONCE(set->ti, ti);
	set->suspended = false;
	mutex_unlock(&set->lock);
	if (set->geo.level != RAIDX_LEVEL_RAID0)
		raidx_queue_set_stable(dm_disk(set->md)->queue);
	raidx_sysfs_create(set);
	if (set->ops->resume)
		set->ops->resume(set);
}

static void raidx_postsuspend(struct dm_target *ti)
{
	struct raidx_set *set = ((struct raidx_dm_table *)ti->private)->set;
	bool running;

	mutex_lock(&set->lock);
	running = set->started && !set->suspended;
	set->suspended = true;
	mutex_unlock(&set->lock);
	if (running && set->ops->suspend)
		set->ops->suspend(set);
}

static void raidx_target_status(struct dm_target *ti, status_type_t type, unsigned int status_flags, char *result,
				unsigned int maxlen)
{
	raidx_status(ti->private, type, result, maxlen);
}

static int raidx_target_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
				unsigned int maxlen)
{
	return raidx_message(((struct raidx_dm_table *)ti->private)->set, argc, argv, result, maxlen);
}

static void raidx_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	const struct raidx_geometry *geo = &((struct raidx_dm_table *)ti->private)->set->geo;
	unsigned int data = geo->nr_slots - geo->nr_spares;

	limits->physical_block_size = max_t(unsigned int, limits->physical_block_size, RAIDX_BLOCK_BYTES);
	limits->io_min = geo->chunk_blocks * RAIDX_BLOCK_BYTES;
	if (raidx_level_is_pool(geo->level)) {
		limits->io_opt = geo->stripe_blocks * RAIDX_BLOCK_BYTES;
	} else if (geo->level == RAIDX_LEVEL_RAID1) {
		limits->io_min = RAIDX_BLOCK_BYTES;
	} else {
		if (geo->level == RAIDX_LEVEL_RAID10)
			data = max(data / 2, 1u);
		limits->io_opt = data * geo->chunk_blocks * RAIDX_BLOCK_BYTES;
	}
	if (geo->level == RAIDX_LEVEL_RAID0)
		return;	/* what its members do */
	limits->discard_granularity = RAIDX_BLOCK_BYTES;
	limits->discard_alignment = 0;
	raidx_limits_set_discard(limits, MOST_SECTORS);
	limits->max_write_zeroes_sectors = MOST_SECTORS;
	raidx_limits_set_stable(limits);
}

static int raidx_iterate_devices(struct dm_target *ti, iterate_devices_callout_fn fn, void *data)
{
	struct raidx_dm_table *table = ti->private;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < table->line.nr_members && !ret; i++) {
		struct dm_dev *dev = table->dev[i];

		if (dev)
			ret = fn(ti, dev, 0, round_down(bdev_nr_sectors(dev->bdev), RAIDX_BLOCK_SECTORS), data);
	}
	return ret;
}

static struct target_type raidx_target = {
	.name = "raidx",
	.version = { 1, 0, 0 },
	.features = DM_TARGET_SINGLETON,
	.module = THIS_MODULE,
	.ctr = raidx_ctr,
	.dtr = raidx_dtr,
	.map = raidx_map,
	.end_io = raidx_end_io,
	.preresume = raidx_preresume,
	.resume = raidx_resume,
	.postsuspend = raidx_postsuspend,
	.status = raidx_target_status,
	.message = raidx_target_message,
	.io_hints = raidx_io_hints,
	.iterate_devices = raidx_iterate_devices,
};

static int __init raidx_init(void)
{
	int ret = raidx_pool_module_init();

	if (ret)
		return ret;
	ret = dm_register_target(&raidx_target);
	if (ret)
		raidx_pool_module_exit();
	return ret;
}

static void __exit raidx_exit(void)
{
	dm_unregister_target(&raidx_target);
	raidx_pool_module_exit();
}

module_init(raidx_init);
module_exit(raidx_exit);

MODULE_DESCRIPTION("device-mapper RAID target with tiering");
MODULE_LICENSE("GPL");
