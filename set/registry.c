// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx registry: which sets are in use, by which mapped device.
 *
 * dm lets two mapped devices open the same device; this does not.  A live set is shared by the active and the
 * inactive table of its mapped device; a table loaded while its set is not live has a set of its own, and the one
 * that is resumed comes alive.  Nothing here survives a crash or is written.
 */
#include <raidx/registry.h>
#include <raidx/superblock.h>
#include <raidx/sysfs.h>

#define DM_MSG_PREFIX "raidx"

static DEFINE_MUTEX(raidx_registry_mutex);
static LIST_HEAD(sets);		/* raidx_registry_mutex */

/* The levels of this version: one line each. */
static const struct raidx_level_ops *const levels[] = {
	&raidx_raid0_ops,
	&raidx_raid5_ops,
	&raidx_tss_ops,
};

const struct raidx_level_ops *raidx_level_find(u8 level)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++)
		if (levels[i]->level == level)
			return levels[i];
	return NULL;
}

static bool same_uuid(const struct raidx_set *a, const struct raidx_set *b)
{
	static const u8 none[RAIDX_UUID_BYTES];

	return memcmp(a->super->set_uuid, none, RAIDX_UUID_BYTES) &&
	       !memcmp(a->super->set_uuid, b->super->set_uuid, RAIDX_UUID_BYTES);
}

static const struct raidx_member *shared_device(const struct raidx_set *set, const struct raidx_dm_table *table)
{
	unsigned int i, slot;

	for (slot = 0; slot < RAIDX_MAX_MEMBERS; slot++)
		for (i = 0; i < table->line.nr_members; i++)
			if (table->dev[i] && set->member[slot].bdev == table->dev[i]->bdev)
				return &set->member[slot];
	return NULL;
}

/* @other has a device or the UUID in common with @table.  A live set that is to be shared comes back in @live. */
static const char *check_other(struct raidx_dm_table *table, struct raidx_set *other, struct raidx_set **live)
{
	const struct raidx_member *member = shared_device(other, table);
	struct raidx_set *set = table->set;
	bool same_set = !table->line.create && same_uuid(set, other);

	if (!member && !same_set)
		return NULL;
	if (raidx_set_private(other)->owner != raidx_set_private(set)->owner) {
		DMERR("%s: %s is in use by mapped device %s", set->name, member ? member->name : "the set",
		      other->name);
		return "members: in use by another mapped device";
	}
	if (raidx_set_private(other)->starting)
		return "members: their set is being started; load the table again";
	if (!other->started)
		return NULL;
	if (table->line.create)
		return "create: a device is a member of a live set";
	if (!same_set)
		return "members: a device is in use by another set of this mapped device";
	*live = other;
	return raidx_set_check_adopt(other, table);
}

/* Share the live set or enter the new one. */
static const char *enter(struct raidx_dm_table *table)
{
	struct raidx_set *other, *live = NULL;
	const char *error = NULL;

	mutex_lock(&raidx_registry_mutex);
	list_for_each_entry(other, &sets, list) {
		error = check_other(table, other, &live);
		if (error)
			break;
	}
	if (!error && live) {
		raidx_set_destroy(table->set);
		table->set = live;
		live->users++;
	} else if (!error) {
		table->set->users = 1;
		list_add_tail(&table->set->list, &sets);
	}
	mutex_unlock(&raidx_registry_mutex);
	return error;
}

int raidx_registry_open(struct raidx_dm_table *table, const char **error)
{
	struct raidx_set *set;
	u64 most;
	int ret;

	if (!raidx_level_find(table->line.level)) {
		DMERR("level %s is not in this version", raidx_level_name(table->line.level));
		*error = "level: is not in this version";
		return -EINVAL;
	}
	*error = "no memory for the set";
	set = raidx_set_create(table);
	if (!set)
		return -ENOMEM;
	if (table->line.create)
		ret = raidx_super_check_create(table, error);
	else
		ret = raidx_set_identify(table, error);
	most = set->geo.length_blocks * RAIDX_BLOCK_SECTORS;
	if (!ret && table->ti->len > most) {
		DMERR("%s: length %llu is more than the set promises; the largest is %llu sectors", set->name,
		      (u64)table->ti->len, most);
		*error = "length: more than the set promises";
		ret = -EINVAL;
	}
	if (!ret) {
		*error = enter(table);
		ret = *error ? -EBUSY : 0;
	}
	if (ret && table->set) {
		raidx_set_destroy(table->set);
		table->set = NULL;
	}
	return ret;
}

/* Another set object of the same set is live or about to be: only after a race of load and resume. */
static bool is_live_elsewhere(const struct raidx_dm_table *table)
{
	const struct raidx_set *other;

	list_for_each_entry(other, &sets, list)
		if (other != table->set && (other->started || raidx_set_private(other)->starting) &&
		    (same_uuid(table->set, other) || shared_device(other, table)))
			return true;
	return false;
}

int raidx_registry_start(struct raidx_dm_table *table)
{
	struct raidx_set *set = table->set;
	int ret;

	mutex_lock(&raidx_registry_mutex);
	if (set->started) {
		mutex_unlock(&raidx_registry_mutex);
		raidx_set_adopt(table);
		return 0;
	}
	if (is_live_elsewhere(table)) {
		mutex_unlock(&raidx_registry_mutex);
		DMERR("%s: not started: the set was started by another table; load this one again", set->name);
		return -EBUSY;
	}
	raidx_set_private(set)->starting = true;
	mutex_unlock(&raidx_registry_mutex);

	ret = raidx_set_start(table);

	mutex_lock(&raidx_registry_mutex);
	raidx_set_private(set)->starting = false;
	mutex_unlock(&raidx_registry_mutex);
	return ret;
}

void raidx_registry_close(struct raidx_dm_table *table)
{
	struct raidx_set *set = table->set;

	if (!set)
		return;
	mutex_lock(&raidx_registry_mutex);
	if (set->ti == table->ti)
		WRITE_ONCE(set->ti, NULL);
	flush_work(&set->event_work);	/* it may have seen our table */
	if (!--set->users) {
		raidx_sysfs_destroy(set);
		if (set->started && set->ops->stop)
			set->ops->stop(set);
		cancel_work_sync(&set->event_work);
		list_del(&set->list);
		raidx_set_destroy(set);
	}
	table->set = NULL;
	mutex_unlock(&raidx_registry_mutex);
}
