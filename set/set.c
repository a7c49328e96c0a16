// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx set: who its members are, what they missed, and what it may do without them.
 *
 * Assembling: the superblock with the most events is believed.  A member whose slot it records as failed missed
 * writes and is not read again; one that merely has an older superblock (a crash between two of its writes) is in
 * sync.  A set starts without a member only if that is recorded, or with `degraded`; each such start leaves a
 * random start id and the list of absentees, by which two halves that ran apart are told.
 *
 * Failing: nothing is acknowledged that a member missed before its failure is in the superblocks of the others.
 * Failures that the redundancy does not cover are *not* recorded: the set stops, and since nothing was
 * acknowledged from then on, it starts again whole when the members come back.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <raidx/superblock.h>

#define DM_MSG_PREFIX "raidx"

/* ---- life ---- */

static void event_work(struct work_struct *work)
{
	struct raidx_set *set = container_of(work, struct raidx_set, event_work);
	struct dm_target *ti = READ_ONCE(set->ti);

	if (ti)
		dm_table_event(ti->table);
}

static int alloc_pages_of(struct raidx_set_private *private, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		private->page[i] = alloc_page(GFP_KERNEL);
		if (!private->page[i])
			return -ENOMEM;
	}
	return 0;
}

static void take_line(struct raidx_set *set, const struct raidx_dm_table *table)
{
	const struct raidx_table_line *line = &table->line;
	struct mapped_device *md = dm_table_get_md(table->ti->table);

	raidx_set_private(set)->owner = md;
	if (dm_copy_name_and_uuid(md, set->name, NULL))
		strscpy(set->name, dm_table_device_name(table->ti->table), sizeof(set->name));
	set->read_only = !raidx_table_writable(table->ti->table);
	set->cache_pages = line->cache_pages;
	set->log_cache_sectors = line->log_cache_sectors;
	set->verify_always = line->verify == RAIDX_VERIFY_ALWAYS;
	if (line->policy != RAIDX_POLICY_NOT_GIVEN)
		set->tune.policy = line->policy;
}

struct raidx_set *raidx_set_create(struct raidx_dm_table *table)
{
	struct raidx_set_private *private = kzalloc(sizeof(*private), GFP_KERNEL);
	struct raidx_set *set = kvzalloc(sizeof(*set), GFP_KERNEL);

	if (!set || !private) {
		kvfree(set);
		kfree(private);
		return NULL;
	}
	set->private = private;
	INIT_LIST_HEAD(&set->list);
	mutex_init(&set->lock);
	spin_lock_init(&set->member_lock);
	INIT_WORK(&set->event_work, event_work);
	set->suspended = true;
	set->ops = raidx_level_find(table->line.level);
	set->super = kzalloc(sizeof(*set->super), GFP_KERNEL);
	take_line(set, table);
	if (!set->super || alloc_pages_of(private, table->line.nr_members) || raidx_member_io_init(set)) {
		raidx_set_destroy(set);
		return NULL;
	}
	table->set = set;
	raidx_set_reset_members(table);
	return set;
}

void raidx_set_destroy(struct raidx_set *set)
{
	struct raidx_set_private *private = raidx_set_private(set);
	unsigned int i;

	raidx_member_io_exit(set);
	for (i = 0; i < RAIDX_MAX_MEMBERS; i++)
		if (private->page[i])
			__free_page(private->page[i]);
	kfree(set->super);
	mutex_destroy(&set->lock);
	kfree(private);
	kvfree(set);
}

static void clear_members(struct raidx_set *set)
{
	unsigned int i;

	for (i = 0; i < RAIDX_MAX_MEMBERS; i++) {
		struct raidx_member *member = &set->member[i];

		member->bdev = NULL;
		member->name[0] = 0;
		memset(member->uuid, 0, sizeof(member->uuid));
		WRITE_ONCE(member->state, RAIDX_SLOT_EMPTY);
		WRITE_ONCE(member->failing, false);
		WRITE_ONCE(member->needs_flush, false);
		member->device_blocks = 0;
		member->data_extents = 0;
	}
}

static void set_member(struct raidx_set *set, unsigned int slot, const struct dm_dev *dev)
{
	struct raidx_member *member = &set->member[slot];

	member->bdev = dev->bdev;
	strscpy(member->name, dev->name, sizeof(member->name));
	member->device_blocks = bdev_nr_sectors(dev->bdev) / RAIDX_BLOCK_SECTORS;
	WRITE_ONCE(member->state, RAIDX_SLOT_IN_SYNC);
}

void raidx_set_reset_members(struct raidx_dm_table *table)
{
	unsigned int i;

	clear_members(table->set);
	for (i = 0; i < table->line.nr_members; i++)
		if (table->dev[i])
			set_member(table->set, i, table->dev[i]);
}

/* ---- assembling ---- */

/**
 * struct assembly - superblocks of the table's devices, by place in the line.
 * @table: the table.
 * @set: its set.
 * @error: first thing that is wrong.
 * @newest: place of the one that is believed.
 * @first: place of the first device.
 * @found: superblocks; NULL = "-".
 * @b_block: where their superblocks B are.
 * @place: place in the line of the member of each slot, or RAIDX_NO_SLOT.
 * @diverged: bit per place: ran apart from the newest one.
 */
struct assembly {
	struct raidx_dm_table *table;
	struct raidx_set *set;
	const char *error;
	unsigned int newest;
	unsigned int first;
	struct raidx_disk_super *found[RAIDX_MAX_MEMBERS];
	u64 b_block[RAIDX_MAX_MEMBERS];
	u8 place[RAIDX_MAX_MEMBERS];
	DECLARE_BITMAP(diverged, RAIDX_MAX_MEMBERS);
};

static void assembly_free(struct assembly *a)
{
	unsigned int i;

	if (!a)
		return;
	for (i = 0; i < RAIDX_MAX_MEMBERS; i++)
		kfree(a->found[i]);
	kfree(a);
}

static struct assembly *assembly_alloc(struct raidx_dm_table *table)
{
	struct assembly *a = kzalloc(sizeof(*a), GFP_NOIO);
	unsigned int i;

	if (!a)
		return NULL;
	a->table = table;
	a->set = table->set;
	memset(a->place, RAIDX_NO_SLOT, sizeof(a->place));
	a->first = RAIDX_MAX_MEMBERS;
	for (i = 0; i < table->line.nr_members; i++) {
		if (!table->dev[i])
			continue;
		if (a->first == RAIDX_MAX_MEMBERS)
			a->first = i;
		a->found[i] = kmalloc(sizeof(*a->found[i]), GFP_NOIO);
		if (!a->found[i]) {
			assembly_free(a);
			return NULL;
		}
	}
	return a;
}

static void read_all(struct assembly *a)
{
	struct raidx_set *set = a->set;
	unsigned int i;

	raidx_set_reset_members(a->table);
	for (i = 0; i < a->table->line.nr_members && !a->error; i++) {
		if (!a->found[i])
			continue;
		a->error = raidx_super_read(set, i, a->found[i], &a->b_block[i]);
		if (a->error)
			DMERR("%s: %s: %s; give - in its place to go without it", set->name, set->member[i].name,
			      a->error);
	}
}

/* One set, no member twice; who is newest? */
static void check_members(struct assembly *a)
{
	const struct raidx_disk_super *first = a->found[a->first];
	struct raidx_set *set = a->set;
	unsigned int i;

	a->newest = a->first;
	for (i = 0; i < a->table->line.nr_members && !a->error; i++) {
		const struct raidx_disk_super *super = a->found[i], *newest = a->found[a->newest];

		if (!super)
			continue;
		if (memcmp(super->set_uuid, first->set_uuid, RAIDX_UUID_BYTES)) {
			DMERR("%s: %s: belongs to set %pU, expected %pU", set->name, set->member[i].name,
			      super->set_uuid, first->set_uuid);
			a->error = "members: a device belongs to another raidx set";
		} else if (a->place[super->slot] != RAIDX_NO_SLOT) {
			DMERR("%s: %s: slot %u of set %pU is also claimed by %s", set->name, set->member[i].name,
			      super->slot, super->set_uuid, set->member[a->place[super->slot]].name);
			a->error = "members: two devices claim the same slot";
		}
		a->place[super->slot] = i;
		if (raidx_super_is_newer(newest, super))
			a->newest = i;
	}
}

static bool chunk_agrees(const struct raidx_geometry *geo, u32 chunk_sectors)
{
	u32 chunk = chunk_sectors / RAIDX_BLOCK_SECTORS, data = geo->nr_slots - geo->nr_spares - geo->parity;

	if (chunk == geo->chunk_blocks)
		return true;
	/* What was asked for at creation may have been cut to the largest stripe. */
	return raidx_level_is_pool(geo->level) && chunk * data > RAIDX_MAX_STRIPE_BLOCKS &&
	       DIV_ROUND_UP(RAIDX_MAX_STRIPE_BLOCKS, data) == geo->chunk_blocks;
}

static bool log_agrees(const struct raidx_geometry *geo, u64 log_sectors)
{
	return geo->nr_segments &&
	       div_u64(log_sectors / RAIDX_BLOCK_SECTORS, geo->nr_segments) == geo->segment_blocks;
}

static void check_line(struct assembly *a)
{
	const struct raidx_table_line *line = &a->table->line;
	const struct raidx_geometry *geo = &a->set->geo;
	const char *error = NULL;

	if (line->level != geo->level)
		error = "level: is not that of the set";
	else if (line->nr_members != geo->nr_slots)
		error = "#members: is not the number of the set's slots";
	else if (line->parity && line->parity != geo->parity)
		error = "parity: is not that of the set";
	else if (line->spares && line->spares != geo->nr_spares)
		error = "spares: is not the number of the set's spares";
	else if (line->chunk_sectors && !chunk_agrees(geo, line->chunk_sectors))
		error = "chunk_sectors: is not that of the set";
	else if (line->log_sectors && !log_agrees(geo, line->log_sectors))
		error = "log_sectors: is not that of the set";
	else if (line->extent_sectors && line->extent_sectors / RAIDX_BLOCK_SECTORS != geo->extent_blocks)
		error = "extent_sectors: is not that of the set";
	if (!error)
		return;
	DMERR("%s: %s (the set: %s, %u slots, %u spares, chunk_sectors %u, extent_sectors %u)", a->set->name, error,
	      raidx_level_name(geo->level), geo->nr_slots, geo->nr_spares, geo->chunk_blocks * RAIDX_BLOCK_SECTORS,
	      geo->extent_blocks * RAIDX_BLOCK_SECTORS);
	a->error = error;
}

static void check_newest(struct assembly *a)
{
	const struct raidx_disk_super *newest = a->found[a->newest];

	memcpy(a->set->super, newest, sizeof(*newest));
	raidx_super_get_geometry(newest, &a->set->geo);
	if (le32_to_cpu(newest->flags) & RAIDX_SUPER_CREATING)
		a->error = "members: create has not finished; repeat it with create";
	else if (le32_to_cpu(newest->feature_ro_compat) & ~RAIDX_FEATURE_RO_COMPAT_KNOWN && !a->set->read_only)
		a->error = "members: a feature of the set allows only a read-only table";
	if (a->error)
		DMERR("%s: %s", a->set->name, a->error);
	else
		check_line(a);
}

static void identify(struct assembly *a)
{
	read_all(a);
	if (!a->error)
		check_members(a);
	if (!a->error)
		check_newest(a);
}

int raidx_set_identify(struct raidx_dm_table *table, const char **error)
{
	struct assembly *a = assembly_alloc(table);

	*error = "members: no memory to read their superblocks";
	if (!a)
		return -ENOMEM;
	identify(a);
	*error = a->error;
	assembly_free(a);
	return *error ? -EINVAL : 0;
}

static bool ran_apart(const struct raidx_disk_super *a, const struct raidx_disk_super *b)
{
	bool a_without_b = le64_to_cpu(a->absentees) & (1ULL << b->slot);
	bool b_without_a = le64_to_cpu(b->absentees) & (1ULL << a->slot);

	if (a->member[b->slot].state == RAIDX_SLOT_FAILED && b->member[a->slot].state == RAIDX_SLOT_FAILED)
		return true;
	if (!memcmp(a->start_id, b->start_id, RAIDX_UUID_BYTES))
		return false;
	/* A start id never changes without the event count. */
	return (a_without_b && b_without_a) || a->events == b->events;
}

/* Is each device the member that the newest superblock knows, and one that did not run on its own? */
static void check_history(struct assembly *a)
{
	const struct raidx_disk_super *newest = a->found[a->newest];
	struct raidx_set *set = a->set;
	unsigned int i;

	for (i = 0; i < a->table->line.nr_members && !a->error; i++) {
		const struct raidx_disk_super *super = a->found[i];

		if (!super)
			continue;
		if (super->slot >= newest->nr_slots ||
		    memcmp(super->member_uuid, newest->member[super->slot].member_uuid, RAIDX_UUID_BYTES)) {
			DMERR("%s: slot %u: %s is member %pU, expected %pU", set->name, super->slot,
			      set->member[i].name, super->member_uuid, newest->member[super->slot].member_uuid);
			a->error = "a device is no longer a member of the set";
		} else if (i != a->newest && ran_apart(newest, super)) {
			__set_bit(i, a->diverged);
			DMERR("%s: slot %u: %s ran without slot %u (%s), and that one without it: events %llu and %llu",
			      set->name, super->slot, set->member[i].name, newest->slot, set->member[a->newest].name,
			      le64_to_cpu(super->events), le64_to_cpu(newest->events));
			if (!a->table->line.force)
				a->error = "two halves of the set ran apart (force keeps the newest)";
		}
	}
}

static unsigned int tolerance(const struct raidx_set *set)
{
	switch (set->geo.level) {
	case RAIDX_LEVEL_RAID0:
		return 0;
	case RAIDX_LEVEL_RAID1:
		return raidx_set_nr_data(set) - 1;
	case RAIDX_LEVEL_RAID10:
		return set->geo.copies - 1;
	default:
		return set->geo.parity;
	}
}

/* Data slots that cannot be read now, or not any more when those in @losing are gone as well. */
static unsigned int count_missing(const struct raidx_set *set, const unsigned long *losing)
{
	unsigned int slot, missing = 0;

	for (slot = 0; slot < raidx_set_nr_data(set); slot++)
		if (!raidx_member_readable(set, slot) || (losing && test_bit(slot, losing)))
			missing++;
	return missing;
}

static void record_failed(struct raidx_set *set, unsigned int slot)
{
	struct raidx_disk_slot *disk = &set->super->member[slot];

	WRITE_ONCE(set->member[slot].failing, true);
	WRITE_ONCE(set->member[slot].state, RAIDX_SLOT_FAILED);
	disk->state = RAIDX_SLOT_FAILED;
	disk->fail_events = cpu_to_le32((u32)le64_to_cpu(set->super->events) + 1);
}

/* Put the devices into their slots; what is not there and not known to have failed needs `degraded`. */
static void place_members(struct assembly *a)
{
	struct raidx_set *set = a->set;
	unsigned int slot, unexplained = 0;

	clear_members(set);
	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		u8 place = a->place[slot];

		if (place == RAIDX_NO_SLOT)
			continue;
		set_member(set, slot, a->table->dev[place]);
		raidx_set_private(set)->super_b[slot] = a->b_block[place];
	}
	raidx_super_take_members(set);
	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		struct raidx_member *member = &set->member[slot];
		bool apart = member->bdev && test_bit(a->place[slot], a->diverged);

		if (member->state == RAIDX_SLOT_FAILED) {
			WRITE_ONCE(member->failing, true);
			if (member->bdev)
				DMWARN("%s: slot %u: %s missed events (has %llu, the set %llu); not used", set->name,
				       slot, member->name, le64_to_cpu(a->found[a->place[slot]]->events),
				       le64_to_cpu(set->super->events));
		} else if (apart || (!member->bdev && (member->state == RAIDX_SLOT_IN_SYNC ||
						       member->state == RAIDX_SLOT_CATCHING_UP))) {
			if (!apart) {
				unexplained++;
				DMWARN("%s: slot %u: its member is missing", set->name, slot);
			}
			record_failed(set, slot);
		}
	}
	if (unexplained && !a->table->line.degraded)
		a->error = "a member is missing that is not recorded as failed (degraded starts without it)";
	else if (count_missing(set, NULL) > tolerance(set))
		a->error = "more members are missing than the set tolerates";
}

/* A start without all members leaves its mark before anything is written. */
static int mark_start(struct raidx_set *set)
{
	u64 absentees = 0;
	unsigned int slot;

	for (slot = 0; slot < raidx_set_nr_data(set); slot++)
		if (!raidx_member_writable(set, slot))
			absentees |= 1ULL << slot;
	set->super->absentees = cpu_to_le64(absentees);
	if (!absentees) {	/* the level writes it with the new epoch */
		if (memchr_inv(set->super->start_id, 0, RAIDX_UUID_BYTES))
			set->super->events = cpu_to_le64(le64_to_cpu(set->super->events) + 1);
		memset(set->super->start_id, 0, RAIDX_UUID_BYTES);
		return 0;
	}
	get_random_bytes(set->super->start_id, RAIDX_UUID_BYTES);
	return raidx_set_write_supers(set, true);
}

static int assemble(struct raidx_dm_table *table, const char **error)
{
	struct assembly *a = assembly_alloc(table);
	struct raidx_set *set = table->set;
	u8 policy = set->tune.policy;

	*error = "no memory to assemble it";
	if (!a)
		return -ENOMEM;
	identify(a);
	if (!a->error)
		check_history(a);
	if (!a->error)
		place_members(a);
	*error = a->error;
	assembly_free(a);
	if (*error)
		return -EINVAL;
	set->tune = set->super->tunables;
	if (table->line.policy != RAIDX_POLICY_NOT_GIVEN)
		set->tune.policy = policy;
	set->super->tunables = set->tune;
	set->verify_always |= set->tune.verify_always;
	if (count_missing(set, NULL))
		raidx_set_degrade(set, RAIDX_MODE_DEGRADED, "started without all members");
	*error = "the superblocks cannot be written";
	return mark_start(set);
}

static int start_level(struct raidx_set *set, const char **error)
{
	int ret;

	set->super->epoch = cpu_to_le64(le64_to_cpu(set->super->epoch) + 1);
	*error = "its level does not start";
	ret = set->ops->start(set, error);
	if (!ret)
		set->started = true;
	return ret;
}

static void report_failed(struct raidx_set *set)
{
	struct raidx_set_private *private = raidx_set_private(set);
	unsigned int slot;

	if (!set->started || private->reporting)
		return;
	private->reporting = true;
	while ((slot = find_first_bit(private->unreported, RAIDX_MAX_MEMBERS)) < RAIDX_MAX_MEMBERS) {
		__clear_bit(slot, private->unreported);
		if (set->ops->member_failed)
			set->ops->member_failed(set, slot);
	}
	private->reporting = false;
}

int raidx_set_start(struct raidx_dm_table *table)
{
	struct raidx_set *set = table->set;
	unsigned int noio = memalloc_noio_save();
	const char *error = NULL;
	bool tried = false;
	int ret;

	mutex_lock(&set->lock);
	set->mode = RAIDX_MODE_OK;
	bitmap_zero(raidx_set_private(set)->unreported, RAIDX_MAX_MEMBERS);
	if (table->line.create) {
		ret = raidx_super_create(table, &error);
		if (!ret) {	/* once */
			table->line.create = false;
			table->line.force = false;
		}
	} else {
		ret = assemble(table, &error);
	}
	if (!ret) {
		tried = true;
		ret = start_level(set, &error);
	}
	if (!ret) {
		table->line.force = false;
		table->line.degraded = false;
		report_failed(set);
	}
	mutex_unlock(&set->lock);
	if (ret)
		DMERR("%s: not started: %s (%d)", set->name, error ? error : "unknown", ret);
	if (ret && tried && set->ops->stop)
		set->ops->stop(set);
	memalloc_noio_restore(noio);
	return ret;
}

/* ---- adopting ---- */

static bool table_has(const struct raidx_dm_table *table, const struct block_device *bdev)
{
	unsigned int i;

	for (i = 0; i < table->line.nr_members; i++)
		if (table->dev[i] && table->dev[i]->bdev == bdev)
			return true;
	return false;
}

const char *raidx_set_check_adopt(const struct raidx_set *set, const struct raidx_dm_table *table)
{
	unsigned int slot;

	if (set->read_only == raidx_table_writable(table->ti->table))
		return "the set is live: read-only and read-write tables cannot take turns";
	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		const struct raidx_member *member = &set->member[slot];

		if (!member->bdev || READ_ONCE(member->state) == RAIDX_SLOT_FAILED)
			continue;
		if (table_has(table, member->bdev))
			continue;
		DMERR("%s: slot %u: %s is a working member, but not on the table line", set->name, slot, member->name);
		return "members: a working member of the live set is not given";
	}
	return NULL;
}

void raidx_set_adopt(struct raidx_dm_table *table)
{
	struct raidx_set *set = table->set;
	unsigned int slot;

	mutex_lock(&set->lock);
	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		struct raidx_member *member = &set->member[slot];

		if (!member->bdev || table_has(table, member->bdev))
			continue;
		WRITE_ONCE(member->failing, true);
		member->bdev = NULL;
		member->name[0] = 0;
	}
	mutex_unlock(&set->lock);
	table->line.force = false;
	table->line.degraded = false;
}

/* ---- health ---- */

void raidx_set_event(struct raidx_set *set)
{
	schedule_work(&set->event_work);
}

void raidx_set_degrade(struct raidx_set *set, enum raidx_mode mode, const char *why)
{
	static const char *const names[] = { "ok", "degraded", "read-only", "failed" };
	unsigned long flags;
	bool changed;

	spin_lock_irqsave(&set->member_lock, flags);
	changed = mode > set->mode;
	if (changed)
		WRITE_ONCE(set->mode, mode);
	spin_unlock_irqrestore(&set->member_lock, flags);
	if (!changed)
		return;
	DMERR("%s: is %s now: %s", set->name, names[mode], why);
	raidx_set_event(set);
}

unsigned int raidx_set_nr_readable(const struct raidx_set *set)
{
	unsigned int slot, readable = 0;

	for (slot = 0; slot < set->geo.nr_slots; slot++)
		readable += raidx_member_readable(set, slot);
	return readable;
}

bool raidx_set_can_lose(const struct raidx_set *set, unsigned int slot)
{
	DECLARE_BITMAP(losing, RAIDX_MAX_MEMBERS) = { 0 };

	__set_bit(slot, losing);
	return count_missing(set, losing) <= tolerance(set);
}

/*
 * Members of @failed leave, in memory.  Returns how many did; -EIO when the redundancy does not cover them: then
 * no more I/O is sent to them, but they are not recorded as failed (see the head of this file).
 */
static int drop_members(struct raidx_set *set, const unsigned long *failed, const char *what)
{
	DECLARE_BITMAP(losing, RAIDX_MAX_MEMBERS) = { 0 };
	unsigned int slot, dropped = 0;
	bool covered;

	for_each_set_bit(slot, failed, set->geo.nr_slots)
		if (set->member[slot].state != RAIDX_SLOT_FAILED && set->member[slot].state != RAIDX_SLOT_EMPTY)
			__set_bit(slot, losing);
	covered = count_missing(set, losing) <= tolerance(set);
	for_each_set_bit(slot, losing, set->geo.nr_slots) {
		DMERR("%s: slot %u: %s: %s (%s)", set->name, slot, set->member[slot].name,
		      covered ? "member failed" : "is gone, and the set cannot go on without it", what);
		WRITE_ONCE(set->member[slot].failing, true);
		if (!covered)
			continue;
		record_failed(set, slot);
		__set_bit(slot, raidx_set_private(set)->unreported);
		dropped++;
	}
	if (!covered) {
		raidx_set_degrade(set, RAIDX_MODE_FAILED, "more members are gone than the set tolerates");
		return -EIO;
	}
	if (count_missing(set, NULL))
		raidx_set_degrade(set, RAIDX_MODE_DEGRADED, what);
	return dropped;
}

int raidx_set_fail_members(struct raidx_set *set, const unsigned long *failed, const char *what)
{
	int ret;

	lockdep_assert_held(&set->lock);
	if (READ_ONCE(set->mode) == RAIDX_MODE_FAILED)
		return -EIO;
	ret = drop_members(set, failed, what);
	if (ret <= 0)
		return ret;
	raidx_set_event(set);
	return raidx_set_write_supers(set, true);
}

int raidx_set_fail_member(struct raidx_set *set, unsigned int slot, const char *what)
{
	DECLARE_BITMAP(failed, RAIDX_MAX_MEMBERS) = { 0 };

	__set_bit(slot, failed);
	return raidx_set_fail_members(set, failed, what);
}

/* ---- writing superblocks ---- */

/* Members that carry a superblock we keep: all but failed ones. */
static void find_targets(const struct raidx_set *set, unsigned long *targets)
{
	unsigned int slot;

	bitmap_zero(targets, RAIDX_MAX_MEMBERS);
	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		const struct raidx_member *member = &set->member[slot];

		if (member->bdev && !READ_ONCE(member->failing) &&
		    (raidx_member_writable(set, slot) || member->state == RAIDX_SLOT_SPARE))
			__set_bit(slot, targets);
	}
}

/* Write one home everywhere but where something failed already; adds to @failed. */
static void write_homes(struct raidx_set *set, const unsigned long *targets, bool second, unsigned long *failed)
{
	struct raidx_set_private *private = raidx_set_private(set);
	blk_opf_t opf = REQ_OP_WRITE | REQ_SYNC | REQ_META | REQ_FUA | (second ? 0 : REQ_PREFLUSH);
	struct raidx_batch batch;
	unsigned int slot;

	raidx_batch_init(&batch, set, NULL);
	for_each_set_bit(slot, targets, RAIDX_MAX_MEMBERS)
		if (!test_bit(slot, failed))
			raidx_batch_pages(&batch, slot, opf, second ? private->super_b[slot] : RAIDX_SUPER_A_BLOCK,
					  &private->page[slot], 1);
	raidx_batch_wait(&batch);
	bitmap_or(failed, failed, batch.failed, RAIDX_MAX_MEMBERS);
}

static bool is_quorum(const struct raidx_set *set, const unsigned long *written)
{
	unsigned int slot, have = 0, all = 0;

	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		u8 state = set->super->member[slot].state;

		if (state != RAIDX_SLOT_IN_SYNC && state != RAIDX_SLOT_CATCHING_UP)
			continue;
		all++;
		have += test_bit(slot, written);
	}
	return have && 2 * have > all;
}

int raidx_set_write_supers(struct raidx_set *set, bool events)
{
	struct raidx_set_private *private = raidx_set_private(set);
	DECLARE_BITMAP(targets, RAIDX_MAX_MEMBERS);
	DECLARE_BITMAP(failed, RAIDX_MAX_MEMBERS);
	unsigned int slot;

	lockdep_assert_held(&set->lock);
	do {
		if (events)
			set->super->events = cpu_to_le64(le64_to_cpu(set->super->events) + 1);
		events = true;	/* of a further round: somebody failed */
		if (set->read_only)
			break;
		find_targets(set, targets);
		bitmap_zero(failed, RAIDX_MAX_MEMBERS);
		for_each_set_bit(slot, targets, RAIDX_MAX_MEMBERS)
			raidx_super_fill(set, slot, page_address(private->page[slot]));
		write_homes(set, targets, false, failed);
		write_homes(set, targets, true, failed);
		if (!bitmap_empty(failed, RAIDX_MAX_MEMBERS) && drop_members(set, failed, "superblock write") < 0)
			return -EIO;
	} while (!bitmap_empty(failed, RAIDX_MAX_MEMBERS));
	if (!set->read_only && !is_quorum(set, targets)) {
		raidx_set_degrade(set, RAIDX_MODE_FAILED, "no quorum of superblocks could be written");
		return -EIO;
	}
	report_failed(set);
	return READ_ONCE(set->mode) == RAIDX_MODE_FAILED ? -EIO : 0;
}
