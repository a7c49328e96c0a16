// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx messages: fail a member, change a tunable; the rest is the level's.
 *
 * A tunable is kept in the superblocks before the level takes it up: after a crash it is there or the old one is.
 */
#include <linux/kernel.h>
#include <raidx/level.h>
#include <raidx/message.h>
#include <raidx/policy.h>
#include <raidx/registry.h>

#define DM_MSG_PREFIX "raidx"

#define TUNABLE(name, field, in_tss, most) \
	{ name, offsetof(struct raidx_disk_tunables, field), \
	  sizeof_field(struct raidx_disk_tunables, field), in_tss, most }

const struct raidx_tunable raidx_tunables[] = {
	TUNABLE("raid1_low", low[0], true, 100),
	TUNABLE("raid1_high", high[0], true, 100),
	TUNABLE("raid5_low", low[1], true, 100),
	TUNABLE("raid5_high", high[1], true, 100),
	TUNABLE("craid5_low", low[2], true, 100),
	TUNABLE("craid5_high", high[2], true, 100),
	TUNABLE("decay_shift", decay_shift, true, 8),
	TUNABLE("raid1_raid5_interval_ms", raid1_raid5_interval_ms, true, 86400000),
	TUNABLE("raid5_craid5_interval_ms", raid5_craid5_interval_ms, true, 86400000),
	TUNABLE("aging_interval_ms", aging_interval_ms, true, 86400000),
	TUNABLE("decay_interval_ms", decay_interval_ms, true, 86400000),
	TUNABLE("migrate_kbps_max", migrate_kbps_max, true, U32_MAX),
	TUNABLE("idle_ms", idle_ms, true, 3600000),
	TUNABLE("verify_always", verify_always, false, 1),
	TUNABLE("commit_ms", commit_ms, false, 60000),
	TUNABLE("max_read_errors", max_read_errors, false, U32_MAX),
	TUNABLE("rebuild_kbps_max", rebuild_kbps_max, false, U32_MAX),
	TUNABLE("scrub_kbps_max", scrub_kbps_max, false, U32_MAX),
};

const unsigned int raidx_nr_tunables = ARRAY_SIZE(raidx_tunables);

static const char *const later_keys[] = { "compression", "compression_level", "frame_kib" };

static u32 get_value(const struct raidx_disk_tunables *tune, const struct raidx_tunable *tunable)
{
	const void *at = (const u8 *)tune + tunable->offset;

	return tunable->bytes == 1 ? *(const u8 *)at : le32_to_cpu(*(const __le32 *)at);
}

static void set_value(struct raidx_disk_tunables *tune, const struct raidx_tunable *tunable, u32 value)
{
	void *at = (u8 *)tune + tunable->offset;

	if (tunable->bytes == 1)
		*(u8 *)at = value;
	else
		*(__le32 *)at = cpu_to_le32(value);
}

u32 raidx_tunable_get(const struct raidx_set *set, const struct raidx_tunable *tunable)
{
	return get_value(&set->tune, tunable);
}

static const char *parse_policy(struct raidx_disk_tunables *tune, const char *value)
{
	int policy = tss_policy_by_name(value);

	if (policy < 0)
		return "set policy: no policy of this version";
	tune->policy = policy;
	return NULL;
}

static const char *check_tunables(const struct raidx_disk_tunables *tune)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (tune->low[i] && tune->high[i] && tune->low[i] > tune->high[i])
			return "set: the low water mark would be above the high one";
	return NULL;
}

/* Change @tune as asked; what is wrong otherwise. */
static const char *parse_tunable(struct raidx_disk_tunables *tune, const char *key, const char *value)
{
	unsigned int i;
	u32 number;

	if (!strcmp(key, "policy"))
		return parse_policy(tune, value);
	for (i = 0; i < ARRAY_SIZE(later_keys); i++)
		if (!strcmp(key, later_keys[i]))
			return "set: compression is not in this version";
	for (i = 0; i < raidx_nr_tunables; i++) {
		if (strcmp(key, raidx_tunables[i].name))
			continue;
		if (kstrtou32(value, 10, &number) || number > raidx_tunables[i].most)
			return "set: the value is not a number within the key's range";
		set_value(tune, &raidx_tunables[i], number);
		return check_tunables(tune);
	}
	return "set: no such key";
}

static int keep_tunable(struct raidx_set *set, const char *key, const char *value, const char **error)
{
	struct raidx_disk_tunables tune;
	int ret;

	lockdep_assert_held(&set->lock);
	*error = "the set is not running";
	if (!set->started || set->suspended)
		return -EBUSY;
	tune = set->tune;
	*error = parse_tunable(&tune, key, value);
	if (*error)
		return -EINVAL;
	set->tune = tune;
	set->tune_changed = true;
	set->verify_always = tune.verify_always;
	set->super->tunables = tune;
	ret = raidx_set_write_supers(set, false);
	if (ret)
		*error = "set: the superblocks cannot be written";
	return ret;
}

int raidx_tunable_set(struct raidx_set *set, const char *key, const char *value, const char **error)
{
	char verb[] = "set", result[8] = "";
	char *argv[] = { verb, (char *)key, (char *)value };
	int ret;

	mutex_lock(&set->lock);
	ret = keep_tunable(set, key, value, error);
	mutex_unlock(&set->lock);
	if (ret || !set->ops->message)
		return ret;
	ret = set->ops->message(set, ARRAY_SIZE(argv), argv, result, sizeof(result), error);
	return ret < 0 ? ret : 0;
}

static int message_fail(struct raidx_set *set, unsigned int argc, char **argv, const char **error)
{
	unsigned int slot;
	int ret = -EINVAL;

	*error = "fail: takes the number of a slot";
	if (argc != 2 || kstrtouint(argv[1], 10, &slot) || slot >= set->geo.nr_slots)
		return -EINVAL;
	mutex_lock(&set->lock);
	if (!set->started || set->suspended) {
		*error = "the set is not running";
		ret = -EBUSY;
	} else if (!raidx_member_writable(set, slot) && set->member[slot].state != RAIDX_SLOT_SPARE) {
		*error = "fail: the slot holds no working member";
	} else if (!raidx_set_can_lose(set, slot)) {
		*error = "fail: the set cannot go on without this member";
		ret = -EBUSY;
	} else {
		*error = "fail: the failure could not be recorded";
		ret = raidx_set_fail_member(set, slot, "by message");
	}
	mutex_unlock(&set->lock);
	return ret;
}

static int message_unknown(const char *verb, const char **error)
{
	static const struct {
		const char *verb;
		const char *error;
	} later[] = {
		{ "remove", "remove is not in this version" },
		{ "add", "add is not in this version" },
		{ "replace", "replace is not in this version" },
		{ "scrub", "scrub is not in this version" },
		{ "migrate", "migrate is not in this version of the level" },
		{ "pin", "pin is not in this version of the level" },
		{ "destage", "destage is nothing that this level does" },
		{ "stats", "stats is not in this version of the level" },
		{ "stats_reset", "stats_reset is not in this version of the level" },
	};
	unsigned int i;

	*error = "no such message";
	for (i = 0; i < ARRAY_SIZE(later); i++)
		if (!strcmp(verb, later[i].verb))
			*error = later[i].error;
	return -EINVAL;
}

static int message_level(struct raidx_set *set, unsigned int argc, char **argv, char *result, unsigned int maxlen,
			 const char **error)
{
	int ret = 1;

	*error = "the set is not running";
	if (!READ_ONCE(set->started))
		return -EBUSY;
	*error = "refused by the level";
	if (set->ops->message)
		ret = set->ops->message(set, argc, argv, result, maxlen, error);
	if (ret <= 0)
		return ret;
	return message_unknown(argv[0], error);
}

int raidx_message(struct raidx_set *set, unsigned int argc, char **argv, char *result, unsigned int maxlen)
{
	const char *error = "empty message";
	int ret = -EINVAL;

	if (maxlen)
		result[0] = 0;
	if (!argc) {
		;
	} else if (!strcmp(argv[0], "fail")) {
		ret = message_fail(set, argc, argv, &error);
	} else if (!strcmp(argv[0], "set")) {
		error = "set: takes a key and a value";
		if (argc == 3)
			ret = raidx_tunable_set(set, argv[1], argv[2], &error);
	} else {
		ret = message_level(set, argc, argv, result, maxlen, &error);
	}
	if (ret < 0) {
		DMERR("%s: message %s: %s", set->name, argc ? argv[0] : "", error);
		return ret;
	}
	return maxlen && result[0] ? 1 : 0;
}
