/* SPDX-License-Identifier: GPL-2.0-only */
/* A device, or a file that is the image of one.  Only ever read. */
#ifndef RAIDXCTL_DEVICE_H
#define RAIDXCTL_DEVICE_H

#include <stdbool.h>
#include <raidx/types.h>

/**
 * struct device - an open device.
 * @path: its name.
 * @fd: -1 = not open.
 * @blocks: whole blocks.
 * @is_block: a block device, not an image.
 * @in_use: somebody holds it exclusively.
 * @major: of a block device.
 * @minor: the same.
 * @bounce: memory for direct I/O.
 */
struct device {
	char *path;
	int fd;
	u64 blocks;
	bool is_block;
	bool in_use;
	unsigned int major;
	unsigned int minor;
	void *bounce;
};

/* Open for reading. Block devices are read past the page cache, which does not see what the module writes. */
bool device_open(struct device *device, const char *path);
void device_close(struct device *device);

/* Read @nr blocks; 0 or -errno. */
int device_read(struct device *device, u64 block, u32 nr, void *to);

/* All block devices of /proc/partitions, as paths; free each and the array. NULL with *nr = 0: none. */
char **device_list(unsigned int *nr);

/* What libblkid finds on it, as a phrase in @to (TEXT_BYTES); NULL = nothing. */
const char *device_foreign(const char *path, char *to);

/* Path of the device "8:16"; free it. */
char *device_path_of(const char *numbers);

#endif /* RAIDXCTL_DEVICE_H */
