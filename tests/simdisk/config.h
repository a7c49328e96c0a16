/* SPDX-License-Identifier: GPL-2.0-only */
/* The attributes of one disk. See config.c. */
#ifndef SIMDISK_CONFIG_H
#define SIMDISK_CONFIG_H

#include <linux/configfs.h>

extern const struct config_item_type sim_config_disk_type;

#endif
