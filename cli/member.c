// SPDX-License-Identifier: GPL-2.0-only
/* A member: a device with two superblocks.  The choice between them is that of the module. */
#include <stdlib.h>
#include <string.h>
#include "member.h"

static void read_copy(struct member *member, struct super_copy *copy, u64 block)
{
	copy->block = block;
	if (block >= member->device.blocks)
		copy->error = "superblock: its place is beyond the end of the device";
	else if (device_read(&member->device, block, 1, &copy->super))
		copy->error = "superblock: cannot be read";
	else
		copy->error = raidx_super_check(&copy->super, member->device.blocks);
}

static bool is_newer(const struct raidx_disk_super *a, const struct raidx_disk_super *b)
{
	if (memcmp(a->set_uuid, b->set_uuid, RAIDX_UUID_BYTES) ||
	    memcmp(a->member_uuid, b->member_uuid, RAIDX_UUID_BYTES))
		return false;
	if (a->events != b->events)
		return le64_to_cpu(b->events) > le64_to_cpu(a->events);
	return le64_to_cpu(b->checkpoint) > le64_to_cpu(a->checkpoint);
}

static void read_both(struct member *member)
{
	u64 b = member->device.blocks ? member->device.blocks - 1 : 0;

	read_copy(member, &member->a, RAIDX_SUPER_A_BLOCK);
	if (!member->a.error)
		b = le64_to_cpu(member->a.super.super_b_sector) / RAIDX_BLOCK_SECTORS;
	read_copy(member, &member->b, b);
	/* The last block of a disk may be that of its last partition, which is the member then. */
	if (!member->b.error && le64_to_cpu(member->b.super.super_b_sector) / RAIDX_BLOCK_SECTORS != b)
		member->b.error = "superblock: is not where it says that it is; a partition may be the member";
	if (!member->a.error)
		member->best = &member->a.super;
	if (!member->b.error && (member->a.error || is_newer(&member->a.super, &member->b.super)))
		member->best = &member->b.super;
	member->known = member->best || member->a.super.magic == cpu_to_le32(RAIDX_SUPER_MAGIC);
}

struct member *member_open(const char *path)
{
	struct member *member = calloc(1, sizeof(*member));

	if (!member)
		return NULL;
	if (!device_open(&member->device, path)) {
		free(member);
		return NULL;
	}
	read_both(member);
	return member;
}

void member_close(struct member *member)
{
	if (!member)
		return;
	device_close(&member->device);
	free(member);
}

const char *member_error(const struct member *member)
{
	return member->a.error != RAIDX_SUPER_ABSENT ? member->a.error : member->b.error;
}
