// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx superblocks: two a member (A at 4 KiB, B at the end), and the making of a new set.
 *
 * The copy that checks and has the higher event count is believed; A of two equal ones.  set->super is the one
 * image in memory; what differs from member to member (slot, member UUID, place of B) is filled in when it is
 * written.  A crash while a set is made leaves superblocks with CREATING: nothing starts from those, and create
 * may be repeated over them.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uuid.h>
#include <raidx/superblock.h>

#define DM_MSG_PREFIX "raidx"

#define HEAD_BLOCKS	17	/* what is searched for foreign signatures */

static const struct signature {
	u32 offset;
	u8 bytes;
	const char *magic;
	const char *name;
} signatures[] = {
	{ 0, 4, "XFSB", "an XFS file system" },
	{ 0, 6, "LUKS\xba\xbe", "a LUKS volume" },
	{ 510, 2, "\x55\xaa", "a partition table or boot sector" },
	{ 512, 8, "EFI PART", "a GPT partition table" },
	{ 4096, 8, "EFI PART", "a GPT partition table" },
	{ 1080, 2, "\x53\xef", "an ext file system" },
	{ 4096, 4, "\xfc\x4e\x2b\xa9", "an md member" },
	{ 0, 4, "\xfc\x4e\x2b\xa9", "an md member" },
	{ 4086, 10, "SWAPSPACE2", "swap space" },
	{ 65526, 10, "SWAPSPACE2", "swap space" },
	{ 65600, 8, "_BHRfS_M", "a btrfs file system" },
	{ 0, 8, "LABELONE", "an LVM physical volume" },
	{ 512, 8, "LABELONE", "an LVM physical volume" },
	{ 1024, 8, "LABELONE", "an LVM physical volume" },
	{ 1536, 8, "LABELONE", "an LVM physical volume" },
};

static int transfer(struct raidx_set *set, unsigned int slot, blk_opf_t opf, u64 block, struct page **pages,
		    unsigned int nr)
{
	struct raidx_batch batch;

	raidx_batch_init(&batch, set, NULL);
	raidx_batch_pages(&batch, slot, opf, block, pages, nr);
	return raidx_batch_wait(&batch);
}

static const char *read_home(struct raidx_set *set, unsigned int slot, u64 block, struct page *page)
{
	if (block >= set->member[slot].device_blocks)
		return "superblock: its place is beyond the end of the device";
	if (transfer(set, slot, REQ_OP_READ | REQ_META, block, &page, 1))
		return "superblock: cannot be read";
	return raidx_super_check(page_address(page), set->member[slot].device_blocks);
}

/* Is @b a newer superblock of the member that @a is of? */
static bool is_newer(const struct raidx_disk_super *a, const struct raidx_disk_super *b)
{
	return !memcmp(a->set_uuid, b->set_uuid, RAIDX_UUID_BYTES) &&
	       !memcmp(a->member_uuid, b->member_uuid, RAIDX_UUID_BYTES) &&
	       raidx_super_is_newer(a, b);
}

const char *raidx_super_read(struct raidx_set *set, unsigned int slot, struct raidx_disk_super *super, u64 *b_block)
{
	u64 b = set->member[slot].device_blocks - 1;
	const char *error_a, *error_b;
	struct page *page;

	page = alloc_page(GFP_NOIO);
	if (!page)
		return "superblock: no memory to read it";
	error_a = read_home(set, slot, RAIDX_SUPER_A_BLOCK, page);
	if (!error_a) {
		memcpy(super, page_address(page), sizeof(*super));
		b = le64_to_cpu(super->super_b_sector) / RAIDX_BLOCK_SECTORS;
	}
	error_b = read_home(set, slot, b, page);
	if (!error_b && (error_a || is_newer(super, page_address(page)))) {
		if (error_a)
			DMWARN("%s: %s: superblock A is not used (%s); superblock B is good", set->name,
			       set->member[slot].name, error_a);
		memcpy(super, page_address(page), sizeof(*super));
	}
	__free_page(page);
	*b_block = b;
	if (!error_a || !error_b)
		return NULL;
	return error_a != RAIDX_SUPER_ABSENT ? error_a : error_b;
}

void raidx_super_fill(const struct raidx_set *set, unsigned int slot, struct raidx_disk_super *to)
{
	memcpy(to, set->super, sizeof(*to));
	to->slot = slot;
	memcpy(to->member_uuid, to->member[slot].member_uuid, RAIDX_UUID_BYTES);
	to->super_b_sector = cpu_to_le64(raidx_set_private(set)->super_b[slot] * RAIDX_BLOCK_SECTORS);
	raidx_super_seal(to);
}

void raidx_super_take_members(struct raidx_set *set)
{
	unsigned int slot;

	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		const struct raidx_disk_slot *disk = &set->super->member[slot];
		struct raidx_member *member = &set->member[slot];
		u64 blocks = le64_to_cpu(disk->data_sectors) / RAIDX_BLOCK_SECTORS;

		memcpy(member->uuid, disk->member_uuid, RAIDX_UUID_BYTES);
		WRITE_ONCE(member->state, disk->state);
		if (raidx_level_is_pool(set->geo.level))
			blocks = div_u64(blocks, set->geo.extent_blocks);
		member->data_extents = blocks;
	}
}

/* ---- create ---- */

static void free_head(struct page **pages)
{
	unsigned int i;

	for (i = 0; i < HEAD_BLOCKS; i++)
		if (pages[i])
			__free_page(pages[i]);
}

static int alloc_head(struct page **pages)
{
	unsigned int i;

	memset(pages, 0, HEAD_BLOCKS * sizeof(*pages));
	for (i = 0; i < HEAD_BLOCKS; i++) {
		pages[i] = alloc_page(GFP_NOIO | __GFP_ZERO);
		if (!pages[i]) {
			free_head(pages);
			return -ENOMEM;
		}
	}
	return 0;
}

/* What the device carries, or NULL; @error when it cannot be read. */
static const char *find_foreign(struct raidx_set *set, unsigned int slot, const char **error)
{
	struct page *pages[HEAD_BLOCKS];
	const char *found = NULL;
	unsigned int i;

	if (alloc_head(pages)) {
		*error = "create: no memory";
		return NULL;
	}
	if (transfer(set, slot, REQ_OP_READ, 0, pages, HEAD_BLOCKS))
		*error = "create: a device cannot be read";
	for (i = 0; !*error && !found && i < ARRAY_SIZE(signatures); i++) {
		const struct signature *sign = &signatures[i];
		const u8 *block = page_address(pages[sign->offset / RAIDX_BLOCK_BYTES]);

		if (!memcmp(block + sign->offset % RAIDX_BLOCK_BYTES, sign->magic, sign->bytes))
			found = sign->name;
	}
	free_head(pages);
	return found;
}

static int wipe(struct raidx_set *set, unsigned int slot, u64 block, unsigned int nr)
{
	struct page *pages[HEAD_BLOCKS];
	int ret = alloc_head(pages);

	if (ret)
		return ret;
	ret = transfer(set, slot, REQ_OP_WRITE | REQ_FUA | REQ_PREFLUSH, block, pages, nr);
	free_head(pages);
	return ret;
}

/* May this device be formatted?  With @wiping what it carries is zeroed first. */
static const char *check_device(struct raidx_dm_table *table, unsigned int i, struct raidx_disk_super *super,
				bool wiping)
{
	struct raidx_set *set = table->set;
	const char *error = NULL, *foreign;
	u64 b_block, own_b = set->member[i].device_blocks - 1;

	if (!raidx_super_read(set, i, super, &b_block)) {
		if (!table->line.force && !(le32_to_cpu(super->flags) & RAIDX_SUPER_CREATING)) {
			DMERR("%s: %s: is a member of raidx set %pU; assemble that set, or give force", set->name,
			      set->member[i].name, super->set_uuid);
			return "create: a device is a member of a raidx set already (force takes it)";
		}
		if (wiping && b_block != own_b && wipe(set, i, b_block, 1))
			return "create: the old superblock B of a device cannot be wiped";
	}
	foreign = find_foreign(set, i, &error);
	if (error || !foreign)
		return error;
	if (!table->line.force) {
		DMERR("%s: %s: carries %s; wipe it, or give force", set->name, set->member[i].name, foreign);
		return "create: a device carries something else (force takes it)";
	}
	if (wiping && wipe(set, i, 0, HEAD_BLOCKS))
		return "create: the foreign signature of a device cannot be wiped";
	return NULL;
}

static const char *check_devices(struct raidx_dm_table *table, bool wiping)
{
	struct raidx_disk_super *super = kmalloc(sizeof(*super), GFP_NOIO);
	const char *error = NULL;
	unsigned int i;

	if (!super)
		return "create: no memory";
	for (i = 0; i < table->line.nr_members && !error; i++)
		error = check_device(table, i, super, wiping);
	kfree(super);
	return error;
}

/* Plan the geometry; @data_blocks: room for RAIDX_MAX_MEMBERS numbers. */
static const char *plan(struct raidx_dm_table *table, u64 *data_blocks)
{
	const struct raidx_table_line *line = &table->line;
	struct raidx_set *set = table->set;
	struct raidx_plan *plan;
	const char *error;
	unsigned int i;

	plan = kzalloc(sizeof(*plan), GFP_NOIO);
	if (!plan)
		return "create: no memory";
	plan->level = line->level;
	plan->parity = line->parity;
	plan->nr_slots = line->nr_members;
	plan->nr_spares = line->spares;
	plan->chunk_sectors = line->chunk_sectors;
	plan->log_sectors = line->log_sectors;
	plan->extent_sectors = line->extent_sectors;
	for (i = 0; i < line->nr_members; i++)
		plan->device_blocks[i] = set->member[i].device_blocks;
	error = raidx_geometry_plan(plan, &set->geo, data_blocks);
	kfree(plan);
	return error;
}

int raidx_super_check_create(struct raidx_dm_table *table, const char **error)
{
	u64 *data_blocks = kcalloc(RAIDX_MAX_MEMBERS, sizeof(u64), GFP_NOIO);

	*error = data_blocks ? plan(table, data_blocks) : "create: no memory";
	kfree(data_blocks);
	if (!*error)
		*error = check_devices(table, false);
	return *error ? -EINVAL : 0;
}

/*
 * Segments go round the members, each lane from a place of its own, so that lanes that run side by side write
 * to different members.  A member whose log area is full is passed over.
 */
static const char *place_segments(struct raidx_set *set)
{
	const struct raidx_geometry *geo = &set->geo;
	u32 members = raidx_set_nr_data(set), i, copy, tries;
	u8 used[RAIDX_MAX_MEMBERS] = { 0 };

	for (i = 0; i < geo->nr_segments; i++) {
		struct raidx_disk_segment *segment = &set->super->segment[i];
		u32 lane = i % geo->nr_lanes;
		u32 slot = lane * members / geo->nr_lanes + i / geo->nr_lanes;

		segment->lane = lane;
		memset(segment->slot, RAIDX_NO_SLOT, sizeof(segment->slot));
		for (copy = 0, tries = 0; copy < geo->copies; tries++, slot++) {
			u32 here = slot % members;

			if (tries == members)
				return "create: no place for the log's segments";
			if (used[here] >= geo->segment_slots)
				continue;
			segment->slot[copy] = here;
			segment->index[copy] = used[here]++;
			copy++;
		}
	}
	for (i = 0; i < geo->nr_lanes; i++) {
		set->super->lane_tail[i].lane_seq = cpu_to_le64(1);
		set->super->lane_tail[i].segment = cpu_to_le32(i);
	}
	return NULL;
}

static const char *build(struct raidx_set *set, const u64 *data_blocks)
{
	struct raidx_disk_super *super = set->super;
	unsigned int slot;

	memset(super, 0, sizeof(*super));
	raidx_super_set_geometry(super, &set->geo);
	generate_random_uuid(super->set_uuid);
	strscpy(super->set_name, set->name, sizeof(super->set_name));
	super->events = cpu_to_le64(1);
	super->epoch = cpu_to_le64(1);
	super->tail_seq = cpu_to_le64(1);
	super->flags = cpu_to_le32(RAIDX_SUPER_CREATING);
	super->segment_map_generation = cpu_to_le32(1);
	super->create_seconds = cpu_to_le64(ktime_get_real_seconds());
	super->tunables = set->tune;
	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		generate_random_uuid(super->member[slot].member_uuid);
		super->member[slot].data_sectors = cpu_to_le64(data_blocks[slot] * RAIDX_BLOCK_SECTORS);
		super->member[slot].state = slot < raidx_set_nr_data(set) ? RAIDX_SLOT_IN_SYNC : RAIDX_SLOT_SPARE;
		raidx_set_private(set)->super_b[slot] = set->member[slot].device_blocks - 1;
	}
	raidx_super_take_members(set);
	return place_segments(set);
}

/* All members or none: a set is not created degraded. */
static int write_all(struct raidx_set *set, bool events)
{
	unsigned int slot;
	int ret = raidx_set_write_supers(set, events);

	for (slot = 0; slot < set->geo.nr_slots && !ret; slot++)
		if (READ_ONCE(set->member[slot].failing))
			ret = -EIO;
	return ret;
}

static int write_set(struct raidx_set *set, const char **error)
{
	int ret;

	*error = "create: the superblocks cannot be written";
	ret = write_all(set, false);
	if (ret)
		return ret;
	if (set->ops->format) {
		*error = "create: the tables cannot be written";
		ret = set->ops->format(set);
		if (ret)
			return ret;
	}
	/* More events: one of these outweighs all that still say CREATING. */
	*error = "create: the superblocks cannot be written";
	set->super->flags &= ~cpu_to_le32(RAIDX_SUPER_CREATING);
	ret = write_all(set, true);
	if (!ret)
		*error = NULL;
	return ret;
}

int raidx_super_create(struct raidx_dm_table *table, const char **error)
{
	struct raidx_set *set = table->set;
	u64 *data_blocks;

	*error = "create: the table is read-only";
	if (set->read_only)
		return -EROFS;
	raidx_set_reset_members(table);
	data_blocks = kcalloc(RAIDX_MAX_MEMBERS, sizeof(u64), GFP_NOIO);
	*error = data_blocks ? plan(table, data_blocks) : "create: no memory";
	if (!*error)
		*error = check_devices(table, false);
	if (!*error)
		*error = check_devices(table, true);
	if (!*error)
		*error = build(set, data_blocks);
	kfree(data_blocks);
	if (*error)
		return -EINVAL;
	return write_set(set, error);
}
