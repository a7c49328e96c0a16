/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped devices, through libdevmapper, whose header does not go together with <raidx/types.h>.  Works with and without udev: the nodes are made here.
 */
#ifndef RAIDXCTL_MAPPED_H
#define RAIDXCTL_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct mapped - a mapped device with a raidx target.
 * @name: of the device.
 * @length: sectors.
 * @major: of the device.
 * @minor: the same.
 * @open_count: who has it open.
 * @event: number of the last dm event.
 * @suspended: no I/O goes through.
 * @read_only: it cannot be written.
 * @status: status line after the target's name.
 * @table: table line after the target's name.
 */
struct mapped {
	char name[128];
	uint64_t length;
	unsigned int major;
	unsigned int minor;
	int open_count;
	uint32_t event;
	bool suspended;
	bool read_only;
	char *status;
	char *table;
};

/* NAME, or /dev/mapper/NAME: what dm calls it. */
const char *mapped_name(const char *word);

/* Return: 0; -ENODEV no such device; -EINVAL it has another target; other -errno.  mapped_free() after 0. */
int mapped_get(const char *name, struct mapped *mapped);
void mapped_free(struct mapped *mapped);

/* The same, and says what is wrong. */
bool mapped_find(const char *word, struct mapped *mapped);

/* Names of all raidx devices; free each and the array. */
char **mapped_list(unsigned int *nr);

/* Make a device with one raidx target, and start it. What is wrong was said, in the kernel's words where it has any. */
bool mapped_create(const char *name, uint64_t length, const char *line, bool read_only);
bool mapped_remove(const char *name);
/* @response: text that came back, or NULL; free it. */
bool mapped_message(const char *name, const char *message, char **response);

#endif /* RAIDXCTL_MAPPED_H */
