// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx status: what dmsetup status and dmsetup table show.
 *
 * Lockless: it may be asked while a member is being failed, and must not wait for that.  No side effects.  A text
 * that does not fit is cut short, and dm asks again with more room.
 */
#include <linux/slab.h>
#include <raidx/status.h>

#define DM_MSG_PREFIX "raidx"

void raidx_status_health(const struct raidx_set *set, char *to)
{
	unsigned int slot;

	for (slot = 0; slot < set->geo.nr_slots; slot++) {
		const struct raidx_member *member = &set->member[slot];
		char letter = 'A';

		switch (READ_ONCE(member->state)) {
		case RAIDX_SLOT_CATCHING_UP:
			letter = 'a';
			break;
		case RAIDX_SLOT_FAILED:
			letter = 'D';
			break;
		case RAIDX_SLOT_SPARE:
			letter = 'S';
			break;
		case RAIDX_SLOT_EMPTY:
			letter = '-';
			break;
		}
		if (!READ_ONCE(member->bdev))
			letter = '-';
		else if (READ_ONCE(member->failing))
			letter = 'D';
		to[slot] = letter;
	}
	to[slot] = 0;
}

void raidx_status_level(struct raidx_set *set, struct raidx_level_status *status)
{
	memset(status, 0, sizeof(*status));
	status->action = "idle";
	status->wait_reason = "";
	if (READ_ONCE(set->started) && set->ops->status)
		set->ops->status(set, status);
	if (!status->action)
		status->action = "idle";
	if (!status->wait_reason)
		status->wait_reason = "";
}

const char *raidx_status_mode(const struct raidx_set *set)
{
	switch (READ_ONCE(set->mode)) {
	case RAIDX_MODE_OK:
		return "ok";
	case RAIDX_MODE_DEGRADED:
		return "degraded";
	case RAIDX_MODE_READONLY:
		return "readonly";
	default:
		return "failed";
	}
}

/* One word: values of key=value pairs have no spaces. */
static void copy_word(const char *from, char *to, unsigned int size)
{
	char *at;

	strscpy(to, *from ? from : "none", size);
	for (at = to; *at; at++)
		if (*at == ' ')
			*at = '_';
}

static void status_info(struct raidx_set *set, char *result, unsigned int maxlen)
{
	struct raidx_level_status status;
	char health[RAIDX_MAX_MEMBERS + 1], wait[64];
	unsigned int sz = 0;

	raidx_status_level(set, &status);
	raidx_status_health(set, health);
	copy_word(status.wait_reason, wait, sizeof(wait));
	DMEMIT("%s %u %s", set->ops->name, set->geo.nr_slots, health);
	DMEMIT(" %llu/%llu %s %llu", status.action_done, status.action_total, status.action, status.mismatches);
	DMEMIT(" mode=%s events=%llu", raidx_status_mode(set), le64_to_cpu(READ_ONCE(set->super->events)));
	DMEMIT(" log=%llu/%llu", status.log_used, status.log_total);
	DMEMIT(" raid1=%llu/%llu", status.used[RAIDX_LEVEL_RAID1], status.total[RAIDX_LEVEL_RAID1]);
	DMEMIT(" raid5=%llu/%llu", status.used[RAIDX_LEVEL_RAID5], status.total[RAIDX_LEVEL_RAID5]);
	DMEMIT(" craid5=%llu/%llu", status.used[RAIDX_LEVEL_CRAID5], status.total[RAIDX_LEVEL_CRAID5]);
	DMEMIT(" free=%llu lost=%llu dirty=%llu", status.free_sectors, status.lost_blocks * RAIDX_BLOCK_SECTORS,
	       status.dirty_pages * RAIDX_BLOCK_SECTORS);
	DMEMIT(" promoted=%llu demoted=%llu wait=%s", status.promoted, status.demoted, wait);
}

/* The line that assembles the set as it is now. */
static void status_table(struct raidx_dm_table *table, char *result, unsigned int maxlen)
{
	const struct raidx_set *set = table->set;
	struct raidx_table_line *line;
	unsigned int slot;

	if (!maxlen)
		return;
	result[0] = 0;
	line = kzalloc(sizeof(*line), GFP_NOIO);
	if (!line)
		return;
	line->level = set->geo.level;
	line->policy = RAIDX_POLICY_NOT_GIVEN;
	if (line->level == RAIDX_LEVEL_TSS && set->tune.policy)
		line->policy = set->tune.policy;
	line->chunk_sectors = set->geo.chunk_blocks * RAIDX_BLOCK_SECTORS;
	line->cache_pages = set->cache_pages;
	line->log_cache_sectors = set->log_cache_sectors;
	line->spares = set->geo.nr_spares;
	line->verify = set->verify_always ? RAIDX_VERIFY_ALWAYS : RAIDX_VERIFY_NOT_GIVEN;
	line->nr_members = set->geo.nr_slots;
	for (slot = 0; slot < line->nr_members; slot++)
		if (set->member[slot].bdev && READ_ONCE(set->member[slot].state) != RAIDX_SLOT_FAILED)
			line->dev[slot] = set->member[slot].name;
	raidx_table_line_format(line, result, maxlen);
	kfree(line);
}

static void status_ima(struct raidx_dm_table *table, char *result, unsigned int maxlen)
{
	const struct raidx_set *set = table->set;
	unsigned int sz = 0, slot;

	DMEMIT_TARGET_NAME_VERSION(table->ti->type);
	DMEMIT(",level=%s,members=%u,chunk_sectors=%u", set->ops->name, set->geo.nr_slots,
	       set->geo.chunk_blocks * RAIDX_BLOCK_SECTORS);
	for (slot = 0; slot < set->geo.nr_slots; slot++)
		DMEMIT(",member_%u_device_name=%s", slot, set->member[slot].bdev ? set->member[slot].name : "-");
	DMEMIT(";");
}

void raidx_status(struct raidx_dm_table *table, status_type_t type, char *result, unsigned int maxlen)
{
	switch (type) {
	case STATUSTYPE_INFO:
		status_info(table->set, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		status_table(table, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		status_ima(table, result, maxlen);
		break;
	}
}
