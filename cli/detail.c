// SPDX-License-Identifier: GPL-2.0-only
/* raidxctl detail: a running set from its status, its superblock and sysfs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "json.h"
#include "member.h"
#include "options.h"
#include "status.h"
#include "text.h"

/* A word of /sys/block/dm-N/raidx/members/SLOT/FILE; "" = not there. */
static const char *member_file(const struct mapped *mapped, unsigned int slot, const char *name, char *to)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/dm-%u/raidx/members/%u/%s", mapped->minor, slot, name);
	to[0] = 0;
	file = fopen(path, "re");
	if (!file)
		return to;
	if (!fgets(to, TEXT_BYTES, file))
		to[0] = 0;
	to[strcspn(to, "\n")] = 0;
	fclose(file);
	return to;
}

/* The superblock of any member that works; the caller closes it. */
static struct member *any_member(const struct mapped *mapped, const struct status_line *line)
{
	char numbers[TEXT_BYTES], *path;
	unsigned int slot;

	for (slot = 0; slot < line->nr_slots; slot++) {
		struct member *member;

		if (line->health[slot] != 'A')
			continue;
		path = device_path_of(member_file(mapped, slot, "dev", numbers));
		member = path ? member_open(path) : NULL;
		free(path);
		if (member && member->best)
			return member;
		member_close(member);
	}
	return NULL;
}

static void print_super(const struct raidx_disk_super *super)
{
	char a[TEXT_BYTES];

	printf("  %-10s%s\n", "uuid", text_uuid(super->set_uuid, a));
	printf("  %-10s%s\n", "created", text_time(le64_to_cpu(super->create_seconds), a));
	printf("  %-10s%s\n", "promised", text_size(le64_to_cpu(super->length_sectors), a));
	printf("  %-10s%s", "chunk", text_size(le32_to_cpu(super->chunk_sectors), a));
	printf(", stripe %s", text_size(le32_to_cpu(super->stripe_sectors), a));
	printf(", extent %s\n", text_size(le32_to_cpu(super->extent_sectors), a));
	printf("  %-10sevents %llu, epoch %llu, checkpoint %llu\n", "history",
	       (unsigned long long)le64_to_cpu(super->events), (unsigned long long)le64_to_cpu(super->epoch),
	       (unsigned long long)le64_to_cpu(super->checkpoint));
}

static void print_members(const struct mapped *mapped, const struct status_line *line)
{
	unsigned int slot;

	printf("  slot  device          state          read errors  write errors\n");
	for (slot = 0; slot < line->nr_slots; slot++) {
		char dev[TEXT_BYTES], state[TEXT_BYTES], reads[TEXT_BYTES], writes[TEXT_BYTES], *path = NULL;

		member_file(mapped, slot, "dev", dev);
		if (dev[0] && strcmp(dev, "-"))
			path = device_path_of(dev);
		printf("  %4u  %-15s %-14s %11s %13s\n", slot, path ? path : "-", member_file(mapped, slot, "state", state),
		       member_file(mapped, slot, "read_errors", reads), member_file(mapped, slot, "write_errors", writes));
		free(path);
	}
}

static void print_super_json(const struct raidx_disk_super *super)
{
	char text[TEXT_BYTES];

	json_text("uuid", text_uuid(super->set_uuid, text));
	json_number("create_seconds", le64_to_cpu(super->create_seconds));
	json_number("promised_sectors", le64_to_cpu(super->length_sectors));
	json_number("chunk_sectors", le32_to_cpu(super->chunk_sectors));
	json_number("stripe_sectors", le32_to_cpu(super->stripe_sectors));
	json_number("extent_sectors", le32_to_cpu(super->extent_sectors));
	json_number("epoch", le64_to_cpu(super->epoch));
	json_number("checkpoint", le64_to_cpu(super->checkpoint));
}

static void print_members_json(const struct mapped *mapped, const struct status_line *line)
{
	static const char *const counters[] = { "read_errors", "write_errors" };
	unsigned int slot, i;

	json_begin("slots", '[');
	for (slot = 0; slot < line->nr_slots; slot++) {
		char text[TEXT_BYTES], *path;
		u64 number;

		json_begin(NULL, '{');
		json_number("slot", slot);
		member_file(mapped, slot, "dev", text);
		path = text[0] && strcmp(text, "-") ? device_path_of(text) : NULL;
		json_text("device", path ? path : "-");
		free(path);
		json_text("state", member_file(mapped, slot, "state", text));
		for (i = 0; i < 2; i++)
			if (text_to_number(member_file(mapped, slot, counters[i], text), &number))
				json_number(counters[i], number);
		json_end('{');
	}
	json_end('[');
}

static int act_human(const struct mapped *mapped, const struct status_line *line)
{
	struct member *member = any_member(mapped, line);

	status_print(mapped, line);
	printf("  %-10sdm-%u (%u:%u), opened %d times\n", "device", mapped->minor, mapped->major, mapped->minor,
	       mapped->open_count);
	if (member)
		print_super(member->best);
	member_close(member);
	print_members(mapped, line);
	printf("  table: 0 %llu raidx %s\n", (unsigned long long)mapped->length, mapped->table);
	return status_exit(line);
}

static int act_json(const struct mapped *mapped, const struct status_line *line)
{
	struct member *member = any_member(mapped, line);

	json_begin(NULL, '{');
	status_print_json(mapped, line);
	if (member)
		print_super_json(member->best);
	member_close(member);
	print_members_json(mapped, line);
	json_text("table", mapped->table);
	json_end('{');
	return status_exit(line);
}

int command_detail(int argc, char **argv)
{
	bool json = false;
	const struct option_spec specs[] = { { "json", OPTION_FLAG, &json } };
	int nr = OPTIONS_PARSE(argc, argv, specs), ret;

	if (nr < 0)
		return EXIT_WORSE;
	if (json)
		json_begin(NULL, '[');
	ret = status_for_each(nr, argv, json ? act_json : act_human);
	if (json)
		json_end('[');
	return ret;
}
