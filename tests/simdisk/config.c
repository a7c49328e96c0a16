// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/config/simdisk/NAME: the attributes of one disk. The numeric parameters come from the table SIM_PARAMS in
 * disk.h; what they mean is in README.md.
 */
#include <linux/blkdev.h>
#include <linux/configfs.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include "config.h"
#include "cut.h"
#include "disk.h"

enum when { SIM_SETUP, SIM_LIVE };

static struct sim_disk *disk_of(struct config_item *item)
{
	return container_of(item, struct sim_disk, item);
}

static int parse_number(const char *text, u64 least, u64 greatest, u64 *number)
{
	int ret = kstrtou64(text, 0, number);

	if (ret)
		return ret;
	return *number < least || *number > greatest ? -ERANGE : 0;
}

/* ---- numeric parameters ---- */

/* Values that the store keeps in its own form. Lock held. */
static void update_store(struct sim_disk *disk)
{
	disk->store.max_versions = disk->params.versions;
	disk->store.max_volatile_pages = (u64)disk->params.cache_mb << (20 - SIM_CELL_SHIFT);
	disk->store.tear_shift = disk->params.tear_bytes ? ilog2(disk->params.tear_bytes) - 9 : SIM_NO_TEAR;
}

static bool is_allowed(const struct sim_disk *disk, const u32 *field, u64 value)
{
	const struct sim_params *params = &disk->params;

	if (field == &params->logical_block || field == &params->physical_block)
		return is_power_of_2(value);
	if (field == &params->tear_bytes)
		return !value || (value >= 512 && is_power_of_2(value));
	return true;
}

static ssize_t store_param(struct config_item *item, u32 *field, const char *text, size_t bytes, u64 least, u64 greatest,
			   enum when when)
{
	struct sim_disk *disk = disk_of(item);
	unsigned long flags;
	u64 value;
	int ret;

	ret = parse_number(text, least, greatest, &value);
	if (ret)
		return ret;
	if (!is_allowed(disk, field, value))
		return -EINVAL;
	mutex_lock(&sim_cut_mutex);
	if (when == SIM_SETUP && disk->gendisk) {
		ret = -EBUSY;
	} else {
		spin_lock_irqsave(&disk->lock, flags);
		*field = value;
		update_store(disk);
		spin_unlock_irqrestore(&disk->lock, flags);
	}
	mutex_unlock(&sim_cut_mutex);
	return ret ? ret : bytes;
}

#define SIM_PARAM_FUNCTIONS(name, default_, least, greatest, when)						\
static ssize_t sim_param_##name##_show(struct config_item *item, char *page)					\
{														\
	return sprintf(page, "%u\n", disk_of(item)->params.name);						\
}														\
														\
static ssize_t sim_param_##name##_store(struct config_item *item, const char *text, size_t bytes)		\
{														\
	return store_param(item, &disk_of(item)->params.name, text, bytes, least, greatest, when);		\
}														\
														\
CONFIGFS_ATTR(sim_param_, name);
SIM_PARAMS(SIM_PARAM_FUNCTIONS)

/* ---- words ---- */

static const char * const model_names[SIM_MODEL_NR] = {
	[SIM_MODEL_RAM] = "ram",
	[SIM_MODEL_FIXED] = "fixed",
	[SIM_MODEL_HDD] = "hdd",
	[SIM_MODEL_SSD] = "ssd",
};

static const char * const discard_names[SIM_DISCARD_NR] = {
	[SIM_DISCARD_OFF] = "off",
	[SIM_DISCARD_ZERO] = "zero",
	[SIM_DISCARD_GARBAGE] = "garbage",
};

static int store_word(struct sim_disk *disk, const char *text, const char * const *names, int count, unsigned int *word)
{
	int ret = __sysfs_match_string(names, count, text);

	if (ret < 0)
		return ret;
	mutex_lock(&sim_cut_mutex);
	if (!disk->gendisk) {
		*word = ret;
		ret = 0;
	} else {
		ret = -EBUSY;
	}
	mutex_unlock(&sim_cut_mutex);
	return ret;
}

static ssize_t sim_disk_model_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", model_names[disk_of(item)->params.model]);
}

static ssize_t sim_disk_model_store(struct config_item *item, const char *text, size_t bytes)
{
	struct sim_disk *disk = disk_of(item);
	unsigned int word = disk->params.model;
	int ret = store_word(disk, text, model_names, SIM_MODEL_NR, &word);

	disk->params.model = word;
	return ret ? ret : bytes;
}

static ssize_t sim_disk_discard_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", discard_names[disk_of(item)->params.discard]);
}

static ssize_t sim_disk_discard_store(struct config_item *item, const char *text, size_t bytes)
{
	struct sim_disk *disk = disk_of(item);
	unsigned int word = disk->params.discard;
	int ret = store_word(disk, text, discard_names, SIM_DISCARD_NR, &word);

	disk->params.discard = word;
	return ret ? ret : bytes;
}

/* ---- power ---- */

static ssize_t sim_disk_power_show(struct config_item *item, char *page)
{
	struct sim_disk *disk = disk_of(item);

	return sprintf(page, "%d\n", disk->gendisk && !(READ_ONCE(disk->halted) & SIM_HALT_OFF));
}

static ssize_t sim_disk_power_store(struct config_item *item, const char *text, size_t bytes)
{
	struct sim_disk *disk = disk_of(item);
	bool on;
	int ret;

	ret = kstrtobool(text, &on);
	if (ret)
		return ret;
	mutex_lock(&sim_cut_mutex);
	if (disk->gendisk)
		sim_disk_halt(disk, on ? 0 : SIM_HALT_OFF, on ? SIM_HALT_OFF : 0);
	else if (on)
		ret = sim_disk_start(disk);
	mutex_unlock(&sim_cut_mutex);
	return ret ? ret : bytes;
}

static ssize_t sim_disk_cut_store(struct config_item *item, const char *text, size_t bytes)
{
	u64 seed;
	int ret;

	ret = kstrtou64(text, 0, &seed);
	if (ret)
		return ret;
	sim_cut_disk(disk_of(item), seed);
	return bytes;
}

/* ---- halts ---- */

static ssize_t show_halt(struct config_item *item, char *page, unsigned int halt)
{
	return sprintf(page, "%d\n", !!(READ_ONCE(disk_of(item)->halted) & halt));
}

static ssize_t store_halt(struct config_item *item, const char *text, size_t bytes, unsigned int halt)
{
	bool on;
	int ret;

	ret = kstrtobool(text, &on);
	if (ret)
		return ret;
	mutex_lock(&sim_cut_mutex);
	sim_disk_halt(disk_of(item), on ? halt : 0, on ? 0 : halt);
	mutex_unlock(&sim_cut_mutex);
	return bytes;
}

static ssize_t sim_disk_hang_show(struct config_item *item, char *page)
{
	return show_halt(item, page, SIM_HALT_HUNG);
}

static ssize_t sim_disk_hang_store(struct config_item *item, const char *text, size_t bytes)
{
	return store_halt(item, text, bytes, SIM_HALT_HUNG);
}

static ssize_t sim_disk_vanish_show(struct config_item *item, char *page)
{
	return show_halt(item, page, SIM_HALT_GONE);
}

static ssize_t sim_disk_vanish_store(struct config_item *item, const char *text, size_t bytes)
{
	return store_halt(item, text, bytes, SIM_HALT_GONE);
}

static ssize_t sim_disk_read_only_show(struct config_item *item, char *page)
{
	return sprintf(page, "%d\n", disk_of(item)->read_only);
}

static ssize_t sim_disk_read_only_store(struct config_item *item, const char *text, size_t bytes)
{
	struct sim_disk *disk = disk_of(item);
	unsigned long flags;
	bool on;
	int ret;

	ret = kstrtobool(text, &on);
	if (ret)
		return ret;
	mutex_lock(&sim_cut_mutex);
	spin_lock_irqsave(&disk->lock, flags);
	disk->read_only = on;
	spin_unlock_irqrestore(&disk->lock, flags);
	if (disk->gendisk)
		set_disk_ro(disk->gendisk, on);
	mutex_unlock(&sim_cut_mutex);
	return bytes;
}

/* ---- faults ---- */

static ssize_t sim_disk_read_error_show(struct config_item *item, char *page)
{
	return sim_fault_show_errors(disk_of(item), &disk_of(item)->faults.read, page);
}

static ssize_t sim_disk_read_error_store(struct config_item *item, const char *text, size_t bytes)
{
	int ret = sim_fault_parse_errors(disk_of(item), &disk_of(item)->faults.read, text);

	return ret ? ret : bytes;
}

static ssize_t sim_disk_write_error_show(struct config_item *item, char *page)
{
	return sim_fault_show_errors(disk_of(item), &disk_of(item)->faults.write, page);
}

static ssize_t sim_disk_write_error_store(struct config_item *item, const char *text, size_t bytes)
{
	int ret = sim_fault_parse_errors(disk_of(item), &disk_of(item)->faults.write, text);

	return ret ? ret : bytes;
}

static ssize_t store_count(struct config_item *item, u32 *count, const char *text, size_t bytes)
{
	struct sim_disk *disk = disk_of(item);
	unsigned long flags;
	u64 number;
	int ret;

	ret = parse_number(text, 0, U32_MAX, &number);
	if (ret)
		return ret;
	spin_lock_irqsave(&disk->lock, flags);
	*count = number;
	sim_fault_update(disk);
	spin_unlock_irqrestore(&disk->lock, flags);
	return bytes;
}

static ssize_t sim_disk_flush_error_show(struct config_item *item, char *page)
{
	return sprintf(page, "%u\n", disk_of(item)->faults.flushes);
}

static ssize_t sim_disk_flush_error_store(struct config_item *item, const char *text, size_t bytes)
{
	return store_count(item, &disk_of(item)->faults.flushes, text, bytes);
}

static ssize_t sim_disk_lost_write_show(struct config_item *item, char *page)
{
	return sprintf(page, "%u\n", disk_of(item)->faults.lost);
}

static ssize_t sim_disk_lost_write_store(struct config_item *item, const char *text, size_t bytes)
{
	return store_count(item, &disk_of(item)->faults.lost, text, bytes);
}

static ssize_t sim_disk_bad_show(struct config_item *item, char *page)
{
	struct sim_disk *disk = disk_of(item);
	unsigned long flags;
	u64 sectors;

	spin_lock_irqsave(&disk->lock, flags);
	sim_store_settle(&disk->store);
	sectors = disk->store.bad_sectors;
	spin_unlock_irqrestore(&disk->lock, flags);
	return sprintf(page, "%llu\n", (unsigned long long)sectors);
}

static ssize_t sim_disk_bad_store(struct config_item *item, const char *text, size_t bytes)
{
	struct sim_disk *disk = disk_of(item);
	unsigned long long start, count;
	unsigned long flags;
	int ret = 0;

	if (sysfs_streq(text, "clear")) {
		spin_lock_irqsave(&disk->lock, flags);
		sim_store_clear_bad(&disk->store);
		spin_unlock_irqrestore(&disk->lock, flags);
		return bytes;
	}
	/* One sector each takes a cell at worst: a limit keeps a slip of the pen from eating the memory. */
	if (sscanf(text, "%llu %llu", &start, &count) != 2 || !count || count > 1U << 21)
		return -EINVAL;
	spin_lock_irqsave(&disk->lock, flags);
	ret = sim_store_set_bad(&disk->store, start, count);
	spin_unlock_irqrestore(&disk->lock, flags);
	return ret ? ret : bytes;
}

static ssize_t sim_disk_flip_store(struct config_item *item, const char *text, size_t bytes)
{
	struct sim_disk *disk = disk_of(item);
	unsigned long long byte;
	unsigned int mask = 0xff;
	unsigned long flags;
	int ret;

	if (sscanf(text, "%llu %i", &byte, &mask) < 1 || !mask || mask > 0xff)
		return -EINVAL;
	spin_lock_irqsave(&disk->lock, flags);
	ret = sim_store_flip(&disk->store, byte, mask);
	spin_unlock_irqrestore(&disk->lock, flags);
	return ret ? ret : bytes;
}

/* ---- statistics ---- */

static ssize_t sim_disk_stats_show(struct config_item *item, char *page)
{
	struct sim_disk *disk = disk_of(item);
	struct sim_cut_result cuts;
	struct sim_stats stats;
	u64 pages, volatile_cells, cut_count, busy;
	unsigned long flags;
	ssize_t bytes = 0;

	spin_lock_irqsave(&disk->lock, flags);
	sim_store_settle(&disk->store);
	stats = disk->stats;
	cuts = disk->cuts;
	cut_count = disk->cut_count;
	pages = disk->store.pages;
	volatile_cells = disk->store.dirty_cells;
	busy = stats.busy_ns + (disk->depth ? ktime_get_ns() - disk->busy_since : 0);
	spin_unlock_irqrestore(&disk->lock, flags);
#define SIM_LINE(key, value) \
	(bytes += scnprintf(page + bytes, PAGE_SIZE - bytes, key " %llu\n", (unsigned long long)(value)))
	SIM_LINE("reads", stats.commands[SIM_READ]);
	SIM_LINE("read_sectors", stats.sectors[SIM_READ]);
	SIM_LINE("writes", stats.commands[SIM_WRITE]);
	SIM_LINE("write_sectors", stats.sectors[SIM_WRITE]);
	SIM_LINE("discards", stats.commands[SIM_DISCARD]);
	SIM_LINE("discard_sectors", stats.sectors[SIM_DISCARD]);
	SIM_LINE("flushes", stats.commands[SIM_FLUSH]);
	SIM_LINE("fua_writes", stats.fua);
	SIM_LINE("errors", stats.errors);
	SIM_LINE("seeks", stats.seeks);
	SIM_LINE("busy_ns", busy);
	SIM_LINE("max_depth", stats.max_depth);
	SIM_LINE("pages", pages);
	SIM_LINE("volatile_cells", volatile_cells);
	SIM_LINE("cuts", cut_count);
	SIM_LINE("cut_kept", cuts.writes[SIM_FATE_KEPT]);
	SIM_LINE("cut_dropped", cuts.writes[SIM_FATE_DROPPED]);
	SIM_LINE("cut_torn", cuts.writes[SIM_FATE_TORN]);
	SIM_LINE("cut_in_flight", cuts.in_flight);
#undef SIM_LINE
	return bytes;
}

static ssize_t sim_disk_stats_store(struct config_item *item, const char *text, size_t bytes)
{
	struct sim_disk *disk = disk_of(item);
	unsigned long flags;

	spin_lock_irqsave(&disk->lock, flags);
	memset(&disk->stats, 0, sizeof(disk->stats));
	memset(&disk->cuts, 0, sizeof(disk->cuts));
	disk->cut_count = 0;
	disk->busy_since = ktime_get_ns();
	spin_unlock_irqrestore(&disk->lock, flags);
	return bytes;
}

static ssize_t sim_disk_device_show(struct config_item *item, char *page)
{
	struct sim_disk *disk = disk_of(item);
	ssize_t bytes;

	mutex_lock(&sim_cut_mutex);
	bytes = disk->gendisk ? sprintf(page, "/dev/%s\n", disk->gendisk->disk_name) : sprintf(page, "none\n");
	mutex_unlock(&sim_cut_mutex);
	return bytes;
}

CONFIGFS_ATTR(sim_disk_, model);
CONFIGFS_ATTR(sim_disk_, discard);
CONFIGFS_ATTR(sim_disk_, power);
CONFIGFS_ATTR_WO(sim_disk_, cut);
CONFIGFS_ATTR(sim_disk_, hang);
CONFIGFS_ATTR(sim_disk_, vanish);
CONFIGFS_ATTR(sim_disk_, read_only);
CONFIGFS_ATTR(sim_disk_, read_error);
CONFIGFS_ATTR(sim_disk_, write_error);
CONFIGFS_ATTR(sim_disk_, flush_error);
CONFIGFS_ATTR(sim_disk_, lost_write);
CONFIGFS_ATTR(sim_disk_, bad);
CONFIGFS_ATTR_WO(sim_disk_, flip);
CONFIGFS_ATTR(sim_disk_, stats);
CONFIGFS_ATTR_RO(sim_disk_, device);

static struct configfs_attribute *disk_attrs[] = {
#define SIM_PARAM_ATTR(name, default_, least, greatest, when) &sim_param_attr_##name,
	SIM_PARAMS(SIM_PARAM_ATTR)
#undef SIM_PARAM_ATTR
	&sim_disk_attr_model,
	&sim_disk_attr_discard,
	&sim_disk_attr_power,
	&sim_disk_attr_cut,
	&sim_disk_attr_hang,
	&sim_disk_attr_vanish,
	&sim_disk_attr_read_only,
	&sim_disk_attr_read_error,
	&sim_disk_attr_write_error,
	&sim_disk_attr_flush_error,
	&sim_disk_attr_lost_write,
	&sim_disk_attr_bad,
	&sim_disk_attr_flip,
	&sim_disk_attr_stats,
	&sim_disk_attr_device,
	NULL,
};

static void release_item(struct config_item *item)
{
	sim_disk_put(disk_of(item));
}

static struct configfs_item_operations item_ops = {
	.release = release_item,
};

const struct config_item_type sim_config_disk_type = {
	.ct_item_ops = &item_ops,
	.ct_attrs = disk_attrs,
	.ct_owner = THIS_MODULE,
};
