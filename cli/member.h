/* SPDX-License-Identifier: GPL-2.0-only */
/* A member: a device with two superblocks. */
#ifndef RAIDXCTL_MEMBER_H
#define RAIDXCTL_MEMBER_H

#include <raidx/codec.h>
#include "device.h"

/**
 * struct super_copy - one of a member's superblocks.
 * @block: where it was looked for.
 * @error: NULL = good; else what is wrong; RAIDX_SUPER_ABSENT = there is none.
 * @super: what was read.
 */
struct super_copy {
	u64 block;
	const char *error;
	struct raidx_disk_super super;
};

/**
 * struct member - a device and its superblocks.
 * @device: the device.
 * @a: superblock A.
 * @b: superblock B.
 * @best: the one to believe; NULL = none.
 * @known: a raidx member, even if no superblock is good.
 */
struct member {
	struct device device;
	struct super_copy a;
	struct super_copy b;
	const struct raidx_disk_super *best;
	bool known;
};

/* Open a device and read its superblocks; NULL with errno when it cannot be opened. */
struct member *member_open(const char *path);
void member_close(struct member *member);

/* What is wrong with a member that is known but has no good superblock. */
const char *member_error(const struct member *member);

#endif /* RAIDXCTL_MEMBER_H */
