// SPDX-License-Identifier: GPL-2.0-only
/* A device, or a file that is the image of one. */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "device.h"
#include "text.h"

#define BOUNCE_BLOCKS 128

static bool is_held(const char *path)
{
	int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EBUSY;
}

static bool take_size(struct device *device, const struct stat *stat)
{
	u64 bytes = stat->st_size;

	if (S_ISBLK(stat->st_mode)) {
		device->is_block = true;
		device->major = major(stat->st_rdev);
		device->minor = minor(stat->st_rdev);
		if (ioctl(device->fd, BLKGETSIZE64, &bytes))
			return false;
	} else if (!S_ISREG(stat->st_mode)) {
		errno = ENOTBLK;
		return false;
	}
	device->blocks = bytes / RAIDX_BLOCK_BYTES;
	return true;
}

bool device_open(struct device *device, const char *path)
{
	struct stat stat_now;

	memset(device, 0, sizeof(*device));
	device->fd = -1;
	if (stat(path, &stat_now))
		return false;
	/* Nothing else is opened: it might wait (a pipe) or act (a tape). */
	if (!S_ISBLK(stat_now.st_mode) && !S_ISREG(stat_now.st_mode)) {
		errno = ENOTBLK;
		return false;
	}
	device->path = strdup(path);
	if (posix_memalign(&device->bounce, RAIDX_BLOCK_BYTES, BOUNCE_BLOCKS * RAIDX_BLOCK_BYTES))
		device->bounce = NULL;
	if (device->path && device->bounce) {
		device->in_use = S_ISBLK(stat_now.st_mode) && is_held(path);
		device->fd = open(path, O_RDONLY | O_CLOEXEC | (S_ISBLK(stat_now.st_mode) ? O_DIRECT : 0));
	}
	if (device->fd >= 0 && !fstat(device->fd, &stat_now) && take_size(device, &stat_now))
		return true;
	device_close(device);
	return false;
}

void device_close(struct device *device)
{
	int error = errno;

	if (device->fd >= 0)
		close(device->fd);
	device->fd = -1;
	free(device->path);
	free(device->bounce);
	device->path = NULL;
	device->bounce = NULL;
	errno = error;
}

static int read_some(struct device *device, u64 block, u32 nr, void *to)
{
	size_t bytes = (size_t)nr * RAIDX_BLOCK_BYTES, done = 0;

	while (done < bytes) {
		ssize_t now = pread(device->fd, (char *)device->bounce + done, bytes - done,
				    block * RAIDX_BLOCK_BYTES + done);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return now ? -errno : -EIO;
		done += now;
	}
	memcpy(to, device->bounce, bytes);
	return 0;
}

int device_read(struct device *device, u64 block, u32 nr, void *to)
{
	int ret = 0;

	if (block >= device->blocks || nr > device->blocks - block)
		return -ENXIO;
	while (nr && !ret) {
		u32 now = min_t(u32, nr, BOUNCE_BLOCKS);

		ret = read_some(device, block, now, to);
		to = (char *)to + (size_t)now * RAIDX_BLOCK_BYTES;
		block += now;
		nr -= now;
	}
	return ret;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

char **device_list(unsigned int *nr)
{
	FILE *file = fopen("/proc/partitions", "re");
	char line[256], name[128], path[160], **list = NULL, **longer;
	unsigned long long blocks;

	*nr = 0;
	if (!file)
		return NULL;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*u %*u %llu %127s", &blocks, name) != 2 || blocks < 16)
			continue;
		snprintf(path, sizeof(path), "/dev/%s", name);
		longer = realloc(list, (*nr + 1) * sizeof(*list));
		if (!longer)
			break;
		list = longer;
		list[*nr] = strdup(path);
		if (list[*nr])
			++*nr;
	}
	fclose(file);
	if (list)
		qsort(list, *nr, sizeof(*list), by_name);
	return list;
}

static const char *value_of(blkid_probe probe, const char *key)
{
	const char *value;

	return blkid_probe_lookup_value(probe, key, &value, NULL) ? NULL : value;
}

const char *device_foreign(const char *path, char *to)
{
	blkid_probe probe = blkid_new_probe_from_filename(path);
	const char *type, *table;
	int found;

	if (!probe) {
		snprintf(to, TEXT_BYTES, "something that cannot be looked at (%s)", strerror(errno));
		return to;
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE);
	blkid_probe_enable_partitions(probe, 1);
	found = blkid_do_safeprobe(probe);
	type = value_of(probe, "TYPE");
	table = value_of(probe, "PTTYPE");
	if (found == -2)
		snprintf(to, TEXT_BYTES, "more than one signature");
	else if (found < 0)
		snprintf(to, TEXT_BYTES, "something that cannot be read");
	else if (!found && type)
		snprintf(to, TEXT_BYTES, "a signature of type %.32s", type);
	else if (!found && table)
		snprintf(to, TEXT_BYTES, "a partition table of type %.16s", table);
	else
		to = NULL;
	blkid_free_probe(probe);
	return to;
}

char *device_path_of(const char *numbers)
{
	char link[64], target[PATH_MAX], *name, *path, *at;
	ssize_t length;

	snprintf(link, sizeof(link), "/sys/dev/block/%.32s", numbers);
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return strdup(numbers);
	target[length] = 0;
	name = strrchr(target, '/');
	if (asprintf(&path, "/dev/%s", name ? name + 1 : target) < 0)
		return NULL;
	for (at = path; (at = strchr(at, '!')); )
		*at = '/';
	return path;
}
