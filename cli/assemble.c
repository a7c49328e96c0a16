// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidxctl assemble: finds members, writes the table line, lets the module judge.
 *
 * Only what makes a line impossible is decided here: two devices for one slot, devices in use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <raidx/table_line.h>
#include "command.h"
#include "mapped.h"
#include "options.h"
#include "scan.h"
#include "text.h"

/**
 * struct request - how to assemble.
 * @set: only this one, by name or UUID.
 * @name: of the mapped device; NULL = that of the set.
 * @verify: for the line.
 * @log_cache: for the line.
 * @cache_pages: for the line.
 * @degraded: start without members that are not known to have failed.
 * @force: of two halves that ran apart keep the newest.
 * @read_only: do not write.
 * @dry_run: only show the line.
 */
struct request {
	const char *set;
	const char *name;
	const char *verify;
	u64 log_cache;
	u64 cache_pages;
	bool degraded;
	bool force;
	bool read_only;
	bool dry_run;
};

static bool is_wanted(const struct scanned_set *set, const struct request *request)
{
	u8 uuid[RAIDX_UUID_BYTES];
	char name[TEXT_BYTES];

	if (!request->set)
		return true;
	if (text_to_uuid(request->set, uuid))
		return !memcmp(uuid, set->newest->set_uuid, RAIDX_UUID_BYTES);
	return !strcmp(request->set, text_name(set->newest->set_name, RAIDX_NAME_BYTES, name));
}

static bool is_in_use(const struct scanned_set *set)
{
	unsigned int slot;

	for (slot = 0; slot < set->newest->nr_slots; slot++)
		if (set->at[slot] && set->at[slot]->device.in_use)
			return true;
	return false;
}

/* Devices that claim a slot of another: one too many, or no more a member. */
static bool judge_strangers(const struct scanned_set *set, const char *name)
{
	unsigned int i;
	bool good = true;

	for (i = 0; i < set->nr_strangers; i++) {
		const struct member *stranger = set->stranger[i];
		const struct raidx_disk_super *super = stranger->best;
		const struct member *holder = set->at[super->slot];

		if (holder && !memcmp(holder->best->member_uuid, super->member_uuid, RAIDX_UUID_BYTES)) {
			complain("%s: %s and %s claim the same slot %u; give the devices to use", name,
				 holder->device.path, stranger->device.path, super->slot);
			good = false;
		} else {
			complain("%s: %s is no longer a member of the set; left out", name, stranger->device.path);
		}
	}
	return good;
}

static void describe_members(const struct scanned_set *set, const char *name)
{
	const struct raidx_disk_super *newest = set->newest;
	unsigned int slot;

	for (slot = 0; slot < newest->nr_slots; slot++) {
		const struct member *member = set->at[slot];
		u8 state = newest->member[slot].state;

		if (!member)
			complain("%s: slot %u: not found (%s)", name, slot, text_slot_state(state));
		else if (state == RAIDX_SLOT_FAILED)
			complain("%s: slot %u: %s missed events (it has %llu, the set %llu)", name, slot,
				 member->device.path, (unsigned long long)le64_to_cpu(member->best->events),
				 (unsigned long long)le64_to_cpu(newest->events));
	}
}

static char *make_line(const struct scanned_set *set, const struct request *request)
{
	static char text[RAIDX_MAX_MEMBERS * 16 + 512];
	struct raidx_table_line line = { 0 };
	char numbers[RAIDX_MAX_MEMBERS][24];
	unsigned int slot;

	line.level = set->newest->level;
	line.policy = RAIDX_POLICY_NOT_GIVEN;
	line.force = request->force;
	line.degraded = request->degraded;
	line.cache_pages = request->cache_pages;
	line.log_cache_sectors = request->log_cache;
	if (request->verify)
		line.verify = strcmp(request->verify, "always") ? RAIDX_VERIFY_CACHED : RAIDX_VERIFY_ALWAYS;
	line.nr_members = set->newest->nr_slots;
	for (slot = 0; slot < line.nr_members; slot++) {
		const struct member *member = set->at[slot];

		if (!member)
			continue;
		snprintf(numbers[slot], sizeof(numbers[slot]), "%u:%u", member->device.major, member->device.minor);
		line.dev[slot] = member->device.is_block ? numbers[slot] : member->device.path;
	}
	raidx_table_line_format(&line, text, sizeof(text));
	return text;
}

static bool all_are_devices(const struct scanned_set *set, const char *name)
{
	unsigned int slot;

	for (slot = 0; slot < set->newest->nr_slots; slot++)
		if (set->at[slot] && !set->at[slot]->device.is_block) {
			complain("%s: %s is not a block device", name, set->at[slot]->device.path);
			return false;
		}
	return true;
}

/* @said: the user asked for this set or for its devices. */
static int assemble(const struct scanned_set *set, const struct request *request, bool said)
{
	const struct raidx_disk_super *newest = set->newest;
	u64 length = le64_to_cpu(newest->length_sectors);
	char stored[TEXT_BYTES], size[TEXT_BYTES], uuid[TEXT_BYTES];
	const char *name = request->name, *line;

	text_name(newest->set_name, RAIDX_NAME_BYTES, stored);
	if (!name)
		name = stored[0] && !strchr(stored, '/') ? stored : text_uuid(newest->set_uuid, uuid);
	if (is_in_use(set)) {
		if (!said)
			return EXIT_GOOD;
		complain("%s: its members are in use; is it running?", name);
		return EXIT_BAD;
	}
	if (!judge_strangers(set, name))
		return EXIT_BAD;
	if (le32_to_cpu(newest->flags) & RAIDX_SUPER_CREATING) {
		complain("%s: its creation has not finished; repeat it with create", name);
		return EXIT_BAD;
	}
	describe_members(set, name);
	line = make_line(set, request);
	if (request->dry_run) {
		printf("%s: 0 %llu raidx %s\n", name, (unsigned long long)length, line);
		return EXIT_GOOD;
	}
	if (!all_are_devices(set, name) || !mapped_create(name, length, line, request->read_only))
		return EXIT_BAD;
	printf("%s: %s, %u of %u members, %s\n", name, text_level(newest->level), set->nr_found, newest->nr_slots,
	       text_size(length, size));
	return EXIT_GOOD;
}

static int assemble_all(const struct scan *scan, const struct request *request, bool devices_given)
{
	unsigned int i, wanted = 0;
	int ret = EXIT_GOOD;

	for (i = 0; i < scan->nr_sets; i++)
		wanted += is_wanted(&scan->set[i], request);
	if (!wanted) {
		complain("no set was found");
		return EXIT_BAD;
	}
	if (request->name && wanted > 1) {
		complain("--name: %u sets were found; say with --set which one", wanted);
		return EXIT_WORSE;
	}
	for (i = 0; i < scan->nr_sets; i++)
		if (is_wanted(&scan->set[i], request) &&
		    assemble(&scan->set[i], request, devices_given || request->set) != EXIT_GOOD)
			ret = EXIT_BAD;
	return ret;
}

int command_assemble(int argc, char **argv)
{
	struct request request = { 0 };
	const struct option_spec specs[] = {
		{ "set", OPTION_WORD, &request.set },
		{ "name", OPTION_WORD, &request.name },
		{ "verify", OPTION_WORD, &request.verify },
		{ "log-cache", OPTION_SECTORS, &request.log_cache },
		{ "cache-pages", OPTION_NUMBER, &request.cache_pages },
		{ "degraded", OPTION_FLAG, &request.degraded },
		{ "force", OPTION_FLAG, &request.force },
		{ "read-only", OPTION_FLAG, &request.read_only },
		{ "dry-run", OPTION_FLAG, &request.dry_run },
	};
	int nr = OPTIONS_PARSE(argc, argv, specs), ret;
	struct scan scan;

	if (nr < 0)
		return EXIT_WORSE;
	if (request.verify && strcmp(request.verify, "always") && strcmp(request.verify, "cached")) {
		complain("--verify: neither cached nor always");
		return EXIT_WORSE;
	}
	if (request.cache_pages > ~0u) {
		complain("--cache-pages: too many");
		return EXIT_WORSE;
	}
	scan_devices(&scan, nr, argv);
	ret = scan.bad ? EXIT_BAD : assemble_all(&scan, &request, nr);
	scan_free(&scan);
	return ret;
}
