// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidxctl create: the options become the module's table line; the module does the rest.
 *
 * What is refused here before the module sees it: words that the table line's own parser refuses, and devices on
 * which libblkid, which knows more signatures than the module, finds something.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <raidx/table_line.h>
#include "command.h"
#include "device.h"
#include "json.h"
#include "mapped.h"
#include "member.h"
#include "options.h"
#include "size.h"
#include "text.h"

#define MOST_WORDS (RAIDX_MAX_MEMBERS + 40)

/**
 * struct wish - what the user asked for; 0 or NULL = not given.
 */
struct wish {
	const char *level;
	const char *name;
	const char *policy;
	const char *compression;
	const char *verify;
	u64 chunk;
	u64 log;
	u64 log_cache;
	u64 extent;
	u64 parity;
	u64 spares;
	u64 cache_pages;
	u64 size;
	bool force;
	bool overprovision;
	bool dry_run;
	bool json;
	char **devices;
	int nr_devices;
};

/**
 * struct words - words of a table line.
 * @word: the words.
 * @nr: how many.
 */
struct words {
	char *word[MOST_WORDS];
	unsigned int nr;
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = words->nr < MOST_WORDS ? vasprintf(&words->word[words->nr], format, args) : -1;
	va_end(args);
	if (length < 0) {
		complain("out of memory, or too many devices");
		exit(EXIT_BAD);
	}
	words->nr++;
}

static void free_words(struct words *words)
{
	while (words->nr)
		free(words->word[--words->nr]);
}

static void add_number(struct words *words, const char *key, u64 value)
{
	if (!value)
		return;
	add(words, "%s", key);
	add(words, "%llu", (unsigned long long)value);
}

static void add_text(struct words *words, const char *key, const char *value)
{
	if (!value)
		return;
	add(words, "%s", key);
	add(words, "%s", value);
}

static void build_line(const struct wish *wish, struct words *line)
{
	struct words options = { .nr = 0 };
	unsigned int i;

	add(&options, "create");
	if (wish->force)
		add(&options, "force");
	if (wish->overprovision)
		add(&options, "overprovision");
	add_number(&options, "chunk_sectors", wish->chunk);
	add_number(&options, "log_sectors", wish->log);
	add_number(&options, "log_cache", wish->log_cache);
	add_number(&options, "extent_sectors", wish->extent);
	add_number(&options, "parity", wish->parity);
	add_number(&options, "spares", wish->spares);
	add_number(&options, "cache_pages", wish->cache_pages);
	add_text(&options, "policy", wish->policy);
	add_text(&options, "compression", wish->compression);
	add_text(&options, "verify", wish->verify);
	add(line, "%s", wish->level);
	add(line, "%u", options.nr);
	for (i = 0; i < options.nr; i++)
		add(line, "%s", options.word[i]);
	free_words(&options);
	add(line, "%d", wish->nr_devices);
	for (i = 0; i < (unsigned int)wish->nr_devices; i++)
		add(line, "%s", wish->devices[i]);
}

static char *join(const struct words *words)
{
	size_t bytes = 1, used = 0;
	unsigned int i;
	char *text;

	for (i = 0; i < words->nr; i++)
		bytes += strlen(words->word[i]) + 1;
	text = malloc(bytes);
	if (!text)
		return NULL;
	text[0] = 0;
	for (i = 0; i < words->nr; i++)
		used += snprintf(text + used, bytes - used, "%s%s", i ? " " : "", words->word[i]);
	return text;
}

static bool carries_something(const char *path, const struct member *member)
{
	char text[TEXT_BYTES];
	const char *foreign;

	if (member->best && !(le32_to_cpu(member->best->flags) & RAIDX_SUPER_CREATING)) {
		complain("%s: is a member of raidx set %s; assemble that set, or give --force", path,
			 text_uuid(member->best->set_uuid, text));
		return true;
	}
	foreign = device_foreign(path, text);
	if (foreign)
		complain("%s: carries %s; wipe it, or give --force", path, foreign);
	return foreign;
}

/* Sizes of the devices; false when one must not be taken. */
static bool look_at_devices(const struct wish *wish, struct raidx_plan *plan)
{
	bool good = true;
	int i;

	for (i = 0; i < wish->nr_devices; i++) {
		const char *path = wish->devices[i];
		struct member *member = member_open(path);

		if (!member) {
			complain("%s: cannot be opened: %s", path, strerror(errno));
			good = false;
			continue;
		}
		plan->device_blocks[i] = member->device.blocks;
		if (member->device.in_use) {
			complain("%s: is in use", path);
			good = false;
		} else if (!member->device.is_block && !wish->dry_run) {
			complain("%s: is not a block device", path);
			good = false;
		} else if (!wish->force && carries_something(path, member)) {
			good = false;
		}
		member_close(member);
	}
	return good;
}

/* A word of the line must not have characters that dm takes for its end. */
static bool check_words(const struct wish *wish)
{
	int i;

	if (!wish->name || !*wish->name || strlen(wish->name) > 127 || strchr(wish->name, '/')) {
		complain("create: --name NAME, the name of the mapped device, is missing or has a /");
		return false;
	}
	for (i = 0; i < wish->nr_devices; i++)
		if (strpbrk(wish->devices[i], " \t\n\\") || !strcmp(wish->devices[i], "-")) {
			complain("%s: is no device that a table line can name", wish->devices[i]);
			return false;
		}
	return true;
}

static const char *make_plan(const struct raidx_table_line *line, struct raidx_plan *plan, struct raidx_geometry *geo,
			     u64 *data_blocks)
{
	plan->level = line->level;
	plan->parity = line->parity;
	plan->nr_slots = line->nr_members;
	plan->nr_spares = line->spares;
	plan->chunk_sectors = line->chunk_sectors;
	plan->log_sectors = line->log_sectors;
	plan->extent_sectors = line->extent_sectors;
	return raidx_geometry_plan(plan, geo, data_blocks);
}

static void report(const struct wish *wish, const char *text, u64 length, const struct raidx_plan *plan,
		   const struct raidx_geometry *geo, const u64 *data_blocks)
{
	if (wish->json) {
		json_begin(NULL, '{');
		json_text("name", wish->name);
		size_print(plan, geo, data_blocks, true);
		json_number("table_sectors", length);
		json_text("table", text);
		json_bool("created", !wish->dry_run);
		json_end('{');
		return;
	}
	size_print(plan, geo, data_blocks, false);
	if (wish->dry_run)
		printf("table     0 %llu raidx %s\n", (unsigned long long)length, text);
	else
		printf("created   /dev/mapper/%s\n", wish->name);
}

static int create(const struct wish *wish, struct words *words)
{
	u64 data_blocks[RAIDX_MAX_MEMBERS], length;
	struct raidx_plan plan = { 0 };
	struct raidx_table_line line;
	struct raidx_geometry geo;
	const char *error;
	char *text;
	int ret;

	build_line(wish, words);
	error = raidx_table_line_parse(words->nr, words->word, &line);
	if (error) {
		complain("%s", error);
		return EXIT_WORSE;
	}
	if (!look_at_devices(wish, &plan))
		return EXIT_BAD;
	error = make_plan(&line, &plan, &geo, data_blocks);
	if (error) {
		complain("%s", error);
		return EXIT_BAD;
	}
	length = geo.length_blocks * RAIDX_BLOCK_SECTORS;
	if (wish->size > length) {
		complain("--size: more than the set promises; the largest is %llus", (unsigned long long)length);
		return EXIT_BAD;
	}
	if (wish->size)
		length = wish->size;
	text = join(words);
	ret = text && (wish->dry_run || mapped_create(wish->name, length, text, false)) ? EXIT_GOOD : EXIT_BAD;
	if (ret == EXIT_GOOD)
		report(wish, text, length, &plan, &geo, data_blocks);
	free(text);
	return ret;
}

int command_create(int argc, char **argv)
{
	struct wish wish = { 0 };
	struct words words = { .nr = 0 };
	const struct option_spec specs[] = {
		{ "name", OPTION_WORD, &wish.name },
		{ "policy", OPTION_WORD, &wish.policy },
		{ "compression", OPTION_WORD, &wish.compression },
		{ "verify", OPTION_WORD, &wish.verify },
		{ "chunk", OPTION_SECTORS, &wish.chunk },
		{ "log", OPTION_SECTORS, &wish.log },
		{ "log-cache", OPTION_SECTORS, &wish.log_cache },
		{ "extent", OPTION_SECTORS, &wish.extent },
		{ "parity", OPTION_NUMBER, &wish.parity },
		{ "spares", OPTION_NUMBER, &wish.spares },
		{ "cache-pages", OPTION_NUMBER, &wish.cache_pages },
		{ "size", OPTION_SECTORS, &wish.size },
		{ "force", OPTION_FLAG, &wish.force },
		{ "overprovision", OPTION_FLAG, &wish.overprovision },
		{ "dry-run", OPTION_FLAG, &wish.dry_run },
		{ "json", OPTION_FLAG, &wish.json },
	};
	int nr = OPTIONS_PARSE(argc, argv, specs), ret;

	if (nr < 0)
		return EXIT_WORSE;
	if (nr < 2 || nr - 1 > RAIDX_MAX_MEMBERS) {
		complain("create: needs a level and 2 to %d devices", RAIDX_MAX_MEMBERS);
		return EXIT_WORSE;
	}
	wish.level = argv[0];
	wish.devices = argv + 1;
	wish.nr_devices = nr - 1;
	if (!check_words(&wish))
		return EXIT_WORSE;
	ret = create(&wish, &words);
	free_words(&words);
	return ret;
}
