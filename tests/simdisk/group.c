// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/config/simdisk: makes and drops disks, and has the attributes that concern many of them. The module's begin
 * and end are here too.
 */
#include <linux/configfs.h>
#include <linux/module.h>

#include "config.h"
#include "cut.h"
#include "disk.h"

static ssize_t sim_group_cut_store(struct config_item *item, const char *text, size_t bytes)
{
	int ret = sim_cut_now(text);

	return ret ? ret : bytes;
}

static ssize_t sim_group_cut_after_store(struct config_item *item, const char *text, size_t bytes)
{
	int ret = sim_cut_arm(text, false);

	return ret ? ret : bytes;
}

static ssize_t sim_group_cut_match_store(struct config_item *item, const char *text, size_t bytes)
{
	int ret = sim_cut_arm(text, true);

	return ret ? ret : bytes;
}

static ssize_t sim_group_power_store(struct config_item *item, const char *text, size_t bytes)
{
	int ret = sim_cut_power(text);

	return ret ? ret : bytes;
}

static ssize_t sim_group_state_show(struct config_item *item, char *page)
{
	return sim_cut_show(page);
}

static ssize_t sim_group_wait_show(struct config_item *item, char *page)
{
	int ret = sim_cut_wait();

	return ret ? ret : sim_cut_show(page);
}

CONFIGFS_ATTR_WO(sim_group_, cut);
CONFIGFS_ATTR_WO(sim_group_, cut_after);
CONFIGFS_ATTR_WO(sim_group_, cut_match);
CONFIGFS_ATTR_WO(sim_group_, power);
CONFIGFS_ATTR_RO(sim_group_, state);
CONFIGFS_ATTR_RO(sim_group_, wait);

static struct configfs_attribute *group_attrs[] = {
	&sim_group_attr_cut,
	&sim_group_attr_cut_after,
	&sim_group_attr_cut_match,
	&sim_group_attr_power,
	&sim_group_attr_state,
	&sim_group_attr_wait,
	NULL,
};

static struct config_item *make_item(struct config_group *group, const char *name)
{
	struct sim_disk *disk;

	if (strlen(name) >= DISK_NAME_LEN)
		return ERR_PTR(-ENAMETOOLONG);
	disk = sim_disk_create(name);
	if (IS_ERR(disk))
		return ERR_CAST(disk);
	config_item_init_type_name(&disk->item, name, &sim_config_disk_type);
	return &disk->item;
}

static void drop_item(struct config_group *group, struct config_item *item)
{
	struct sim_disk *disk = container_of(item, struct sim_disk, item);

	mutex_lock(&sim_cut_mutex);
	sim_disk_stop(disk);
	mutex_unlock(&sim_cut_mutex);
	config_item_put(item);
}

static struct configfs_group_operations group_ops = {
	.make_item = make_item,
	.drop_item = drop_item,
};

static const struct config_item_type group_type = {
	.ct_group_ops = &group_ops,
	.ct_attrs = group_attrs,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "simdisk",
			.ci_type = &group_type,
		},
	},
};

static int __init simdisk_init(void)
{
	int ret;

	ret = sim_store_module_init();
	if (ret)
		return ret;
	config_group_init(&subsystem.su_group);
	mutex_init(&subsystem.su_mutex);
	ret = configfs_register_subsystem(&subsystem);
	if (ret)
		sim_store_module_exit();
	return ret;
}

static void __exit simdisk_exit(void)
{
	configfs_unregister_subsystem(&subsystem);
	sim_cut_module_exit();
	sim_disk_module_exit();
	sim_store_module_exit();
}

module_init(simdisk_init);
module_exit(simdisk_exit);
MODULE_DESCRIPTION("Simulated disks with service times, a volatile cache, power cuts and faults");
MODULE_LICENSE("GPL");
