// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx raid0: chunks round robin over members that may differ in size.
 *
 * Zones: while all members have room, all take part; when the smallest is full the others go on.  One mapping serves
 * read, write, discard and write zeroes, so they can never disagree.  No redundancy, no log, nothing to recover.
 */
#include <linux/slab.h>
#include <raidx/level.h>

/**
 * struct raid0_zone - a run of chunk rows over the same members.
 * @end: first logical chunk behind it.
 * @start: first logical chunk of it.
 * @row: first row (chunk number on the members).
 * @width: members.
 * @slot: which.
 */
struct raid0_zone {
	u64 start;
	u64 end;
	u64 row;
	u32 width;
	u8 slot[RAIDX_MAX_MEMBERS];
};

struct raid0 {
	u32 nr_zones;
	struct raid0_zone zone[];
};

static u64 member_chunks(const struct raidx_set *set, u32 slot)
{
	return div_u64(set->member[slot].data_extents, set->geo.chunk_blocks);
}

static int raid0_start(struct raidx_set *set, const char **error)
{
	u32 members = set->geo.nr_slots, slot;
	struct raid0 *raid0 = kzalloc(struct_size(raid0, zone, members), GFP_KERNEL);
	u64 row = 0, chunk = 0;

	if (!raid0) {
		*error = "out of memory for raid0 zones";
		return -ENOMEM;
	}
	for (;;) {
		struct raid0_zone *zone = &raid0->zone[raid0->nr_zones];
		u64 next = U64_MAX;

		for (slot = 0; slot < members; slot++) {
			if (member_chunks(set, slot) <= row)
				continue;
			zone->slot[zone->width++] = slot;
			next = min(next, member_chunks(set, slot));
		}
		if (!zone->width)
			break;
		zone->start = chunk;
		zone->row = row;
		chunk += (next - row) * zone->width;
		zone->end = chunk;
		row = next;
		if (++raid0->nr_zones == members)
			break;
	}
	set->level = raid0;
	if (!set->read_only && raidx_set_write_supers(set, false)) {
		*error = "the superblocks could not be written";
		kfree(raid0);
		set->level = NULL;
		return -EIO;
	}
	return 0;
}

static void raid0_stop(struct raidx_set *set)
{
	kfree(set->level);
	set->level = NULL;
}

/* Where a logical sector is.  *run: sectors that follow on the same member. */
static u32 locate(const struct raidx_set *set, u64 sector, u64 *member_sector, u32 *run)
{
	const struct raid0 *raid0 = set->level;
	const struct raid0_zone *zone = raid0->zone;
	u32 chunk_sectors = set->geo.chunk_blocks * RAIDX_BLOCK_SECTORS, offset, column;
	u64 chunk = div_u64_rem(sector, chunk_sectors, &offset), row;

	while (chunk >= zone->end && zone < &raid0->zone[raid0->nr_zones - 1])
		zone++;
	row = zone->row + div_u64_rem(chunk - zone->start, zone->width, &column);
	*member_sector = set->geo.data_start * RAIDX_BLOCK_SECTORS + row * chunk_sectors + offset;
	*run = chunk_sectors - offset;
	return zone->slot[column];
}

struct raid0_part {
	struct raidx_request *request;
	bool write;
	u8 slot;
};

static void request_put(struct raidx_request *request)
{
	if (!atomic_dec_and_test(&request->pending))
		return;
	request->bio->bi_status = request->status;
	bio_endio(request->bio);
}

static void part_end_io(struct bio *clone)
{
	struct raid0_part *part = clone->bi_private;
	struct raidx_request *request = part->request;
	struct raidx_member *member = &request->set->member[part->slot];

	if (clone->bi_status) {
		request->status = clone->bi_status;
		atomic_inc(part->write ? &member->write_errors : &member->read_errors);
	}
	bio_put(clone);
	kfree(part);
	request_put(request);
}

static int send_part(struct raidx_request *request, struct bio *clone, u32 slot)
{
	struct raid0_part *part = kmalloc(sizeof(*part), GFP_NOIO);

	if (!part) {
		bio_put(clone);
		return -ENOMEM;
	}
	part->request = request;
	part->slot = slot;
	part->write = op_is_write(bio_op(clone));
	clone->bi_private = part;
	clone->bi_end_io = part_end_io;
	atomic_inc(&request->pending);
	raidx_member_submit(request->set, slot, clone);
	return 0;
}

/* A flush goes to every member; discards and zeroes may cross chunks and are cut here. */
static int map_many(struct raidx_set *set, struct bio *bio, struct raidx_request *request)
{
	u64 sector = bio->bi_iter.bi_sector, left = bio_sectors(bio), at;
	u32 slot, run;

	atomic_set(&request->pending, 1);
	for (slot = 0; !left && slot < set->geo.nr_slots; slot++) {
		struct bio *clone = bio_alloc_clone(set->member[slot].bdev, bio, GFP_NOIO, &set->bios);

		clone->bi_iter.bi_sector = 0;
		if (send_part(request, clone, slot))
			request->status = BLK_STS_RESOURCE;
	}
	for (; left; left -= run, sector += run) {
		struct bio *clone = bio_alloc_clone(set->member[0].bdev, bio, GFP_NOIO, &set->bios);

		slot = locate(set, sector, &at, &run);
		run = min_t(u64, run, left);
		clone->bi_iter.bi_sector = at;
		clone->bi_iter.bi_size = run << SECTOR_SHIFT;
		if (send_part(request, clone, slot))
			request->status = BLK_STS_RESOURCE;
	}
	request_put(request);
	return DM_MAPIO_SUBMITTED;
}

static int raid0_map(struct raidx_set *set, struct bio *bio, struct raidx_request *request)
{
	u32 slot, run;
	u64 at;

	request->bio = bio;
	request->set = set;
	request->status = BLK_STS_OK;
	if (set->read_only && op_is_write(bio_op(bio)) && bio_sectors(bio))
		return DM_MAPIO_KILL;
	if (!bio->bi_iter.bi_size || bio_op(bio) == REQ_OP_DISCARD || bio_op(bio) == REQ_OP_WRITE_ZEROES)
		return map_many(set, bio, request);
	slot = locate(set, bio->bi_iter.bi_sector, &at, &run);
	if (bio_sectors(bio) > run)
		dm_accept_partial_bio(bio, run);
	bio_set_dev(bio, set->member[slot].bdev);
	bio->bi_iter.bi_sector = at;
	return DM_MAPIO_REMAPPED;
}

static int raid0_format(struct raidx_set *set)
{
	return 0;
}

static void raid0_nothing(struct raidx_set *set)
{
}

static void raid0_status(struct raidx_set *set, struct raidx_level_status *status)
{
	memset(status, 0, sizeof(*status));
	status->action = "idle";
	status->wait_reason = "";
}

static void raid0_member_failed(struct raidx_set *set, unsigned int slot)
{
}

static int raid0_message(struct raidx_set *set, unsigned int argc, char **argv, char *result, unsigned int maxlen,
			 const char **error)
{
	return 1;
}

const struct raidx_level_ops raidx_raid0_ops = {
	.name = "raid0",
	.level = RAIDX_LEVEL_RAID0,
	.min_members = 2,
	.format = raid0_format,
	.start = raid0_start,
	.stop = raid0_stop,
	.map = raid0_map,
	.suspend = raid0_nothing,
	.resume = raid0_nothing,
	.status = raid0_status,
	.member_failed = raid0_member_failed,
	.message = raid0_message,
};
