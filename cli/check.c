// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidxctl check: is a set that does not run consistent?  Writes nothing.
 *
 * Superblocks of all members, anchor pages in both homes on every member, table pages that the roots name, and the
 * headers of the log from its tail on.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "command.h"
#include "json.h"
#include "options.h"
#include "text.h"

#define MOST_TEXTS 200

static const char *const kinds[NR_FINDINGS] = { "note", "damage", "loss" };

void check_found(struct check *check, enum finding kind, const char *format, ...)
{
	char *said = NULL, *text = NULL, **longer;
	va_list args;

	check->count[kind]++;
	if (check->nr_texts == MOST_TEXTS)
		return;
	va_start(args, format);
	if (vasprintf(&said, format, args) < 0)
		said = NULL;
	va_end(args);
	if (!said || asprintf(&text, "%s: %s", kinds[kind], said) < 0)
		text = NULL;
	free(said);
	longer = text ? realloc(check->text, (check->nr_texts + 1) * sizeof(*longer)) : NULL;
	if (!longer) {
		free(text);
		return;
	}
	check->text = longer;
	check->text[check->nr_texts++] = text;
}

int check_read(struct check *check, unsigned int slot, u64 block, u32 nr, void *to)
{
	if (slot >= check->geo.nr_slots || !scan_readable(check->set, slot))
		return -ENODEV;
	return device_read(&check->set->at[slot]->device, block, nr, to);
}

static void check_copies(struct check *check, const struct member *member)
{
	const char *path = member->device.path;

	if (member->a.error)
		check_found(check, FINDING_DAMAGE, "%s: superblock A: %s", path, member->a.error);
	if (member->b.error)
		check_found(check, FINDING_DAMAGE, "%s: superblock B: %s", path, member->b.error);
	if (member->a.error || member->b.error)
		return;
	if (memcmp(member->a.super.member_uuid, member->b.super.member_uuid, RAIDX_UUID_BYTES))
		check_found(check, FINDING_DAMAGE, "%s: its superblocks are of different members", path);
	else if (memcmp(&member->a.super, &member->b.super, sizeof(member->a.super)))
		check_found(check, FINDING_NOTE, "%s: superblock B is not that which A is (a write was cut short)", path);
}

static void check_age(struct check *check, unsigned int slot, const struct member *member)
{
	const struct raidx_disk_super *newest = check->super, *super = member->best;
	unsigned long long has = le64_to_cpu(super->events), set = le64_to_cpu(newest->events);

	if (slot != check->set->newest_slot && scan_ran_apart(newest, super))
		check_found(check, FINDING_LOSS, "slot %u: %s and slot %u ran without each other", slot,
			    member->device.path, check->set->newest_slot);
	else if (newest->member[slot].state == RAIDX_SLOT_FAILED)
		check_found(check, FINDING_DAMAGE, "slot %u: %s missed events (it has %llu, the set %llu)", slot,
			    member->device.path, has, set);
	else if (has != set || super->checkpoint != newest->checkpoint)
		check_found(check, FINDING_NOTE, "slot %u: %s has an older superblock (events %llu, the newest %llu)", slot,
			    member->device.path, has, set);
}

static void check_geometry(struct check *check, unsigned int slot, const struct member *member)
{
	struct raidx_geometry geo;

	raidx_super_get_geometry(member->best, &geo);
	if (memcmp(&geo, &check->geo, sizeof(geo)))
		check_found(check, FINDING_LOSS, "slot %u: %s has another geometry than the newest superblock", slot,
			    member->device.path);
}

static void check_supers(struct check *check)
{
	const struct raidx_disk_super *super = check->super;
	unsigned int slot, i, missing = 0, data_slots = super->nr_slots - super->nr_spares;

	for (slot = 0; slot < super->nr_slots; slot++) {
		const struct member *member = check->set->at[slot];
		u8 state = super->member[slot].state;

		if (slot < data_slots && !scan_readable(check->set, slot))
			missing++;
		if (!member) {
			if (state != RAIDX_SLOT_EMPTY)
				check_found(check, FINDING_DAMAGE, "slot %u: its member was not given or not found (%s)", slot,
					    text_slot_state(state));
			continue;
		}
		if (member->device.in_use)
			check_found(check, FINDING_NOTE, "%s: is in use; what is found may be on its way", member->device.path);
		check_copies(check, member);
		check_age(check, slot, member);
		check_geometry(check, slot, member);
	}
	for (i = 0; i < check->set->nr_strangers; i++)
		check_found(check, FINDING_DAMAGE, "%s: claims slot %u, which is not, or no more, its own",
			    check->set->stranger[i]->device.path, check->set->stranger[i]->best->slot);
	if (missing > scan_tolerance(super))
		check_found(check, FINDING_LOSS, "%u members are missing, the set tolerates %u", missing,
			    scan_tolerance(super));
	if (le32_to_cpu(super->flags) & RAIDX_SUPER_CREATING)
		check_found(check, FINDING_LOSS, "its creation has not finished; repeat it with create");
}

static int worst(const struct check *check)
{
	if (check->count[FINDING_LOSS])
		return EXIT_WORSE;
	return check->count[FINDING_DAMAGE] ? EXIT_BAD : EXIT_GOOD;
}

static void print_human(const struct check *check)
{
	static const char *const verdicts[] = { "consistent", "damaged, redundancy makes up for it", "NOT usable as it is" };
	const struct raidx_disk_super *super = check->super;
	char name[TEXT_BYTES], uuid[TEXT_BYTES];
	unsigned int i;
	u64 total = 0;

	printf("%s (%s): %s, %u of %u members\n", text_name(super->set_name, RAIDX_NAME_BYTES, name),
	       text_uuid(super->set_uuid, uuid), text_level(super->level), check->set->nr_found, super->nr_slots);
	printf("  %llu anchor pages, %llu block groups, ", (unsigned long long)check->anchor_pages,
	       (unsigned long long)check->groups);
	if (check->quick)
		printf("table pages not read\n");
	else
		printf("%llu table pages\n", (unsigned long long)check->table_pages);
	printf("  log: %llu entries with %llu blocks from sequence %llu on\n", (unsigned long long)check->entries,
	       (unsigned long long)check->log_blocks, (unsigned long long)le64_to_cpu(super->tail_seq));
	for (i = 0; i < check->nr_texts; i++)
		printf("  %s\n", check->text[i]);
	for (i = 0; i < NR_FINDINGS; i++)
		total += check->count[i];
	if (total > check->nr_texts)
		printf("  and %llu more\n", (unsigned long long)(total - check->nr_texts));
	printf("  %s\n", verdicts[worst(check)]);
}

static void print_json(const struct check *check)
{
	static const char *const verdicts[] = { "consistent", "damaged", "unusable" };
	const struct raidx_disk_super *super = check->super;
	char text[TEXT_BYTES];
	unsigned int i;

	json_begin(NULL, '{');
	json_text("set_name", text_name(super->set_name, RAIDX_NAME_BYTES, text));
	json_text("set_uuid", text_uuid(super->set_uuid, text));
	json_text("level", text_level(super->level));
	json_number("members", super->nr_slots);
	json_number("found", check->set->nr_found);
	json_number("anchor_pages", check->anchor_pages);
	json_number("block_groups", check->groups);
	json_number("table_pages", check->table_pages);
	json_number("log_entries", check->entries);
	json_number("log_blocks", check->log_blocks);
	json_text("verdict", verdicts[worst(check)]);
	for (i = 0; i < NR_FINDINGS; i++)
		json_number(kinds[i], check->count[i]);
	json_begin("findings", '[');
	for (i = 0; i < check->nr_texts; i++)
		json_text(NULL, check->text[i]);
	json_end('[');
	json_end('{');
}

static int check_set(const struct scanned_set *set, bool quick, bool data, bool json)
{
	struct check check = { .set = set, .super = set->newest, .quick = quick, .data = data };
	int ret;

	raidx_super_get_geometry(set->newest, &check.geo);
	check_supers(&check);
	if (!(le32_to_cpu(set->newest->flags) & RAIDX_SUPER_CREATING)) {
		check_anchor(&check);
		check_log(&check);
	}
	if (json)
		print_json(&check);
	else
		print_human(&check);
	ret = worst(&check);
	while (check.nr_texts)
		free(check.text[--check.nr_texts]);
	free(check.text);
	return ret;
}

int command_check(int argc, char **argv)
{
	bool json = false, quick = false, data = false;
	const struct option_spec specs[] = {
		{ "json", OPTION_FLAG, &json },
		{ "quick", OPTION_FLAG, &quick },
		{ "data", OPTION_FLAG, &data },
	};
	int nr = OPTIONS_PARSE(argc, argv, specs), ret = EXIT_GOOD;
	struct scan scan;
	unsigned int i;

	if (nr < 0)
		return EXIT_WORSE;
	scan_devices(&scan, nr, argv);
	if (!scan.nr_sets) {
		complain("no set was found");
		ret = EXIT_WORSE;
	} else if (scan.bad) {
		ret = EXIT_BAD;
	}
	if (json)
		json_begin(NULL, '[');
	for (i = 0; i < scan.nr_sets; i++)
		ret = max(ret, check_set(&scan.set[i], quick, data, json));
	if (json)
		json_end('[');
	scan_free(&scan);
	return ret;
}
