// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx sysfs: /sys/block/dm-N/raidx/{level,health,members/<slot>/...,tss/...}.
 *
 * Made in the first resume, removed when the set's last table goes.  Files take set->lock at most; whoever removes
 * them holds no lock that a file takes, since removal waits for readers.
 */
#include <linux/completion.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <raidx/level.h>
#include <raidx/message.h>
#include <raidx/policy.h>
#include <raidx/registry.h>
#include <raidx/status.h>
#include <raidx/sysfs.h>

#define DM_MSG_PREFIX "raidx"

#define MOST_TSS_FILES	32

/**
 * struct node - a directory.
 * @kobj: the kobject.
 * @set: the set.
 * @slot: in members/<slot>: the slot.
 */
struct node {
	struct kobject kobj;
	struct raidx_set *set;
	unsigned int slot;
};

/**
 * struct entry - a file; one for each name in sysfs.
 * @attr: must be first.
 * @show: text of it.
 * @store: NULL = read-only.
 * @tunable: for those of tss/.
 */
struct entry {
	struct attribute attr;
	ssize_t (*show)(struct node *node, const struct entry *entry, char *to);
	ssize_t (*store)(struct node *node, const struct entry *entry, const char *from, size_t count);
	const struct raidx_tunable *tunable;
};

/**
 * struct raidx_sysfs - all directories of a set.
 * @alive: kobjects that are not released yet, plus one for the owner.
 * @gone: the last one is.
 * @root: raidx/.
 * @members: raidx/members/.
 * @tss: raidx/tss/.
 * @nr_slots: members made.
 * @has_tss: tss/ was made.
 * @heat: raidx/tss/heat.
 * @tss_file: the tunables' files.
 * @member: members/<slot>/.
 */
struct raidx_sysfs {
	atomic_t alive;
	struct completion gone;
	struct node root;
	struct node members;
	struct node tss;
	unsigned int nr_slots;
	bool has_tss;
	struct bin_attribute heat;
	struct entry tss_file[MOST_TSS_FILES];
	struct node member[RAIDX_MAX_MEMBERS];
};

static ssize_t node_show(struct kobject *kobj, struct attribute *attr, char *to)
{
	const struct entry *entry = container_of(attr, struct entry, attr);

	return entry->show(container_of(kobj, struct node, kobj), entry, to);
}

static ssize_t node_store(struct kobject *kobj, struct attribute *attr, const char *from, size_t count)
{
	const struct entry *entry = container_of(attr, struct entry, attr);

	if (!entry->store)
		return -EPERM;
	return entry->store(container_of(kobj, struct node, kobj), entry, from, count);
}

static void put_alive(struct raidx_sysfs *sysfs)
{
	if (atomic_dec_and_test(&sysfs->alive))
		complete(&sysfs->gone);
}

static void node_release(struct kobject *kobj)
{
	struct node *node = container_of(kobj, struct node, kobj);

	put_alive(raidx_set_private(node->set)->sysfs);
}

static const struct sysfs_ops node_ops = {
	.show = node_show,
	.store = node_store,
};

static const struct kobj_type node_type = {
	.sysfs_ops = &node_ops,
	.release = node_release,
};

/* ---- files ---- */

static ssize_t level_show(struct node *node, const struct entry *entry, char *to)
{
	return sysfs_emit(to, "%s\n", node->set->ops->name);
}

static ssize_t health_show(struct node *node, const struct entry *entry, char *to)
{
	char health[RAIDX_MAX_MEMBERS + 1];

	raidx_status_health(node->set, health);
	return sysfs_emit(to, "%s\n", health);
}

static ssize_t dev_show(struct node *node, const struct entry *entry, char *to)
{
	const struct raidx_member *member = &node->set->member[node->slot];

	return sysfs_emit(to, "%s\n", READ_ONCE(member->bdev) ? member->name : "-");
}

static ssize_t state_show(struct node *node, const struct entry *entry, char *to)
{
	static const char *const names[RAIDX_NR_SLOT_STATES] = {
		[RAIDX_SLOT_EMPTY] = "empty",
		[RAIDX_SLOT_IN_SYNC] = "in_sync",
		[RAIDX_SLOT_CATCHING_UP] = "catching_up",
		[RAIDX_SLOT_FAILED] = "failed",
		[RAIDX_SLOT_SPARE] = "spare",
	};
	const struct raidx_member *member = &node->set->member[node->slot];
	u8 state = READ_ONCE(member->failing) ? RAIDX_SLOT_FAILED : READ_ONCE(member->state);

	if (!READ_ONCE(member->bdev))
		return sysfs_emit(to, "missing\n");
	return sysfs_emit(to, "%s\n", names[state]);
}

static ssize_t read_errors_show(struct node *node, const struct entry *entry, char *to)
{
	return sysfs_emit(to, "%u\n", atomic_read(&node->set->member[node->slot].read_errors));
}

static ssize_t write_errors_show(struct node *node, const struct entry *entry, char *to)
{
	return sysfs_emit(to, "%u\n", atomic_read(&node->set->member[node->slot].write_errors));
}

static ssize_t policy_show(struct node *node, const struct entry *entry, char *to)
{
	u8 policy = READ_ONCE(node->set->tune.policy);

	if (policy >= TSS_NR_POLICIES || !tss_policies[policy])
		return sysfs_emit(to, "unknown\n");
	return sysfs_emit(to, "%s\n", tss_policies[policy]->name);
}

/* What counts now: the default where nothing is set. */
static u32 default_of(const struct raidx_tunable *tunable)
{
	struct tss_tunables tune;

	tss_tunables_default(&tune);
	switch (tunable->offset) {
	case offsetof(struct raidx_disk_tunables, low[0]) ... offsetof(struct raidx_disk_tunables, low[2]):
		return tune.low[tunable->offset - offsetof(struct raidx_disk_tunables, low[0])];
	case offsetof(struct raidx_disk_tunables, high[0]) ... offsetof(struct raidx_disk_tunables, high[2]):
		return tune.high[tunable->offset - offsetof(struct raidx_disk_tunables, high[0])];
	case offsetof(struct raidx_disk_tunables, decay_shift):
		return tune.decay_shift;
	case offsetof(struct raidx_disk_tunables, raid1_raid5_interval_ms):
		return tune.raid1_raid5_interval_ms;
	case offsetof(struct raidx_disk_tunables, raid5_craid5_interval_ms):
		return tune.raid5_craid5_interval_ms;
	case offsetof(struct raidx_disk_tunables, aging_interval_ms):
		return tune.aging_interval_ms;
	case offsetof(struct raidx_disk_tunables, decay_interval_ms):
		return tune.decay_interval_ms;
	case offsetof(struct raidx_disk_tunables, migrate_kbps_max):
		return tune.migrate_kbps_max;
	case offsetof(struct raidx_disk_tunables, idle_ms):
		return tune.idle_ms;
	}
	return 0;
}

static ssize_t tunable_show(struct node *node, const struct entry *entry, char *to)
{
	u32 value = raidx_tunable_get(node->set, entry->tunable);

	return sysfs_emit(to, "%u\n", value ? value : default_of(entry->tunable));
}

static ssize_t tunable_store(struct node *node, const struct entry *entry, const char *from, size_t count)
{
	const char *error = NULL;
	char word[32];
	int ret;

	if (count >= sizeof(word))
		return -EINVAL;
	memcpy(word, from, count);
	word[count] = 0;
	ret = raidx_tunable_set(node->set, entry->attr.name, strim(word), &error);
	if (ret < 0)
		DMERR("%s: %s: %s", node->set->name, entry->attr.name, error);
	return ret < 0 ? ret : (ssize_t)count;
}

static ssize_t promoted_show(struct node *node, const struct entry *entry, char *to)
{
	struct raidx_level_status status;

	raidx_status_level(node->set, &status);
	return sysfs_emit(to, "%llu\n", status.promoted);
}

static ssize_t demoted_show(struct node *node, const struct entry *entry, char *to)
{
	struct raidx_level_status status;

	raidx_status_level(node->set, &status);
	return sysfs_emit(to, "%llu\n", status.demoted);
}

static ssize_t compressed_show(struct node *node, const struct entry *entry, char *to)
{
	struct raidx_level_status status;

	raidx_status_level(node->set, &status);
	return sysfs_emit(to, "%llu\n", status.compressed);
}

static ssize_t migrate_wait_reason_show(struct node *node, const struct entry *entry, char *to)
{
	struct raidx_level_status status;

	raidx_status_level(node->set, &status);
	return sysfs_emit(to, "%s\n", status.wait_reason);
}

#define FILE_RO(_name) \
	{ .attr = { .name = #_name, .mode = 0444 }, .show = _name##_show }

static const struct entry root_files[] = { FILE_RO(level), FILE_RO(health) };
static const struct entry member_files[] = {
	FILE_RO(dev), FILE_RO(state), FILE_RO(read_errors), FILE_RO(write_errors),
};

static const struct entry tss_files[] = {
	{ .attr = { .name = "policy", .mode = 0644 }, .show = policy_show, .store = tunable_store },
	FILE_RO(promoted), FILE_RO(demoted), FILE_RO(compressed), FILE_RO(migrate_wait_reason),
};

/* ---- heat ---- */

/* Copy what of the header lies at or after @off. */
static size_t read_header(const struct raidx_set *set, char *to, loff_t off, size_t count)
{
	struct raidx_heat_header header = {
		.magic = cpu_to_le32(RAIDX_HEAT_MAGIC),
		.version = cpu_to_le16(1),
		.record_bytes = cpu_to_le16(sizeof(struct raidx_heat_record)),
		.stripes = cpu_to_le64(set->geo.nr_stripes),
		.stripe_sectors = cpu_to_le32(set->geo.stripe_blocks * RAIDX_BLOCK_SECTORS),
	};

	if (off >= sizeof(header))
		return 0;
	count = min_t(size_t, count, sizeof(header) - off);
	memcpy(to, (const char *)&header + off, count);
	return count;
}

/* @at: offset within the array of records. */
static ssize_t read_records(struct raidx_set *set, char *to, u64 at, size_t count)
{
	const u32 bytes = sizeof(struct raidx_heat_record);
	u64 first = div_u64(at, bytes);
	u32 skip = at - first * bytes, nr;
	struct raidx_heat_record *records;
	ssize_t ret;

	if (first >= set->geo.nr_stripes)
		return 0;
	nr = min_t(u64, set->geo.nr_stripes - first, DIV_ROUND_UP(count + skip, bytes));
	records = kvcalloc(nr, bytes, GFP_KERNEL);
	if (!records)
		return -ENOMEM;
	ret = set->ops->heat(set, first, nr, records);
	if (ret > 0) {
		ret = min_t(ssize_t, count, ret * bytes - skip);
		memcpy(to, (const char *)records + skip, ret);
	}
	kvfree(records);
	return ret;
}

static ssize_t heat_read(struct file *file, struct kobject *kobj, struct bin_attribute *attr, char *to, loff_t off,
			 size_t count)
{
	struct raidx_set *set = container_of(kobj, struct node, kobj)->set;
	size_t done = read_header(set, to, off, count);
	ssize_t ret;

	if (done == count)
		return done;
	ret = read_records(set, to + done, off + done - sizeof(struct raidx_heat_header), count - done);
	if (ret < 0)
		return done ? done : ret;
	return done + ret;
}

/* ---- making and removing ---- */

static int add_node(struct raidx_sysfs *sysfs, struct node *node, struct raidx_set *set, struct kobject *parent,
		    const char *name)
{
	int ret;

	node->set = set;
	atomic_inc(&sysfs->alive);
	ret = kobject_init_and_add(&node->kobj, &node_type, parent, "%s", name);
	if (ret)
		kobject_put(&node->kobj);
	return ret;
}

static int add_files(struct node *node, const struct entry *entries, unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = sysfs_create_file(&node->kobj, &entries[i].attr);
	return ret;
}

static int add_members(struct raidx_sysfs *sysfs, struct raidx_set *set)
{
	char name[8];
	int ret;

	ret = add_node(sysfs, &sysfs->members, set, &sysfs->root.kobj, "members");
	if (ret) {
		sysfs->members.set = NULL;
		return ret;
	}
	for (; sysfs->nr_slots < set->geo.nr_slots; sysfs->nr_slots++) {
		struct node *node = &sysfs->member[sysfs->nr_slots];

		node->slot = sysfs->nr_slots;
		snprintf(name, sizeof(name), "%u", node->slot);
		ret = add_node(sysfs, node, set, &sysfs->members.kobj, name);
		if (ret)
			return ret;
		ret = add_files(node, member_files, ARRAY_SIZE(member_files));
		if (ret) {
			sysfs->nr_slots++;
			return ret;
		}
	}
	return 0;
}

static int add_heat(struct raidx_sysfs *sysfs, struct raidx_set *set)
{
	if (!set->ops->heat)
		return 0;
	sysfs_bin_attr_init(&sysfs->heat);
	sysfs->heat.attr.name = "heat";
	sysfs->heat.attr.mode = 0400;
	sysfs->heat.size = sizeof(struct raidx_heat_header) + set->geo.nr_stripes * sizeof(struct raidx_heat_record);
	sysfs->heat.read = heat_read;
	return sysfs_create_bin_file(&sysfs->tss.kobj, &sysfs->heat);
}

static int add_tss(struct raidx_sysfs *sysfs, struct raidx_set *set)
{
	unsigned int i, nr = 0;
	int ret;

	ret = add_node(sysfs, &sysfs->tss, set, &sysfs->root.kobj, "tss");
	if (ret)
		return ret;
	sysfs->has_tss = true;
	ret = add_files(&sysfs->tss, tss_files, ARRAY_SIZE(tss_files));
	for (i = 0; i < raidx_nr_tunables && nr < MOST_TSS_FILES && !ret; i++) {
		struct entry *entry = &sysfs->tss_file[nr];

		if (!raidx_tunables[i].in_tss)
			continue;
		nr++;
		sysfs_attr_init(&entry->attr);
		entry->attr.name = raidx_tunables[i].name;
		entry->attr.mode = 0644;
		entry->show = tunable_show;
		entry->store = tunable_store;
		entry->tunable = &raidx_tunables[i];
		ret = sysfs_create_file(&sysfs->tss.kobj, &entry->attr);
	}
	return ret ? ret : add_heat(sysfs, set);
}

static int add_all(struct raidx_sysfs *sysfs, struct raidx_set *set)
{
	int ret;

	ret = add_node(sysfs, &sysfs->root, set, &disk_to_dev(dm_disk(set->md))->kobj, "raidx");
	if (ret)
		return ret;
	set->kobj = &sysfs->root.kobj;
	ret = add_files(&sysfs->root, root_files, ARRAY_SIZE(root_files));
	if (!ret)
		ret = add_members(sysfs, set);
	if (!ret && set->geo.level == RAIDX_LEVEL_TSS)
		ret = add_tss(sysfs, set);
	return ret;
}

void raidx_sysfs_create(struct raidx_set *set)
{
	struct raidx_set_private *private = raidx_set_private(set);
	unsigned int noio;
	int ret = -ENOMEM;

	if (private->sysfs)
		return;
	noio = memalloc_noio_save();
	private->sysfs = kvzalloc(sizeof(*private->sysfs), GFP_KERNEL);
	if (private->sysfs) {
		atomic_set(&private->sysfs->alive, 1);
		init_completion(&private->sysfs->gone);
		ret = add_all(private->sysfs, set);
	}
	memalloc_noio_restore(noio);
	if (ret)
		DMWARN("%s: sysfs files are incomplete (%d)", set->name, ret);
}

static void drop_node(struct node *node)
{
	kobject_del(&node->kobj);
	kobject_put(&node->kobj);
}

void raidx_sysfs_destroy(struct raidx_set *set)
{
	struct raidx_sysfs *sysfs = raidx_set_private(set)->sysfs;

	if (!sysfs)
		return;
	if (sysfs->has_tss)
		drop_node(&sysfs->tss);
	while (sysfs->nr_slots)
		drop_node(&sysfs->member[--sysfs->nr_slots]);
	if (sysfs->members.set)
		drop_node(&sysfs->members);
	if (set->kobj)
		drop_node(&sysfs->root);
	set->kobj = NULL;
	put_alive(sysfs);
	wait_for_completion(&sysfs->gone);
	raidx_set_private(set)->sysfs = NULL;
	kvfree(sysfs);
}
