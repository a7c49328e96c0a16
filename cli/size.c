// SPDX-License-Identifier: GPL-2.0-only
/* raidxctl size: what a set of these devices, or of devices of these sizes, would offer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "device.h"
#include "json.h"
#include "options.h"
#include "size.h"
#include "text.h"

static u64 raw_blocks(const struct raidx_plan *plan)
{
	u64 raw = 0;
	u32 i;

	for (i = 0; i < plan->nr_slots; i++)
		raw += plan->device_blocks[i];
	return raw;
}

static void print_human(const struct raidx_plan *plan, const struct raidx_geometry *geo, const u64 *data_blocks)
{
	u64 sectors = geo->length_blocks * RAIDX_BLOCK_SECTORS, raw = raw_blocks(plan) * RAIDX_BLOCK_SECTORS;
	u64 log = (u64)geo->nr_segments * geo->segment_blocks * RAIDX_BLOCK_SECTORS;
	char a[TEXT_BYTES], b[TEXT_BYTES];
	u64 area = 0;
	u32 i;

	for (i = 0; i < plan->nr_slots; i++)
		area += data_blocks[i] * RAIDX_BLOCK_SECTORS;
	printf("capacity  %s (%llu sectors), %.1f %% of %s\n", text_size(sectors, a), (unsigned long long)sectors,
	       100.0 * sectors / raw, text_size(raw, b));
	printf("members   %u", geo->nr_slots);
	if (geo->nr_spares)
		printf(", %u of them spares", geo->nr_spares);
	printf("\nchunk     %s", text_size(geo->chunk_blocks * RAIDX_BLOCK_SECTORS, a));
	printf("\nstripe    %s", text_size(geo->stripe_blocks * RAIDX_BLOCK_SECTORS, a));
	printf("\nextent    %s; extents of all members: %s\n",
	       text_size(geo->extent_blocks * RAIDX_BLOCK_SECTORS, a), text_size(area, b));
	if (geo->nr_segments)
		printf("log       %s, %u copies, %u segments in %u lanes\n", text_size(log, a), geo->copies,
		       geo->nr_segments, geo->nr_lanes);
}

void size_print(const struct raidx_plan *plan, const struct raidx_geometry *geo, const u64 *data_blocks, bool json)
{
	if (!json) {
		print_human(plan, geo, data_blocks);
		return;
	}
	json_text("level", text_level(geo->level));
	json_number("members", geo->nr_slots);
	json_number("spares", geo->nr_spares);
	json_number("length_sectors", geo->length_blocks * RAIDX_BLOCK_SECTORS);
	json_number("raw_sectors", raw_blocks(plan) * RAIDX_BLOCK_SECTORS);
	json_number("chunk_sectors", geo->chunk_blocks * RAIDX_BLOCK_SECTORS);
	json_number("stripe_sectors", geo->stripe_blocks * RAIDX_BLOCK_SECTORS);
	json_number("extent_sectors", geo->extent_blocks * RAIDX_BLOCK_SECTORS);
	json_number("log_sectors", (u64)geo->nr_segments * geo->segment_blocks * RAIDX_BLOCK_SECTORS);
	json_number("copies", geo->copies);
	json_number("lanes", geo->nr_lanes);
	json_number("segments", geo->nr_segments);
	json_number("data_start", geo->data_start * RAIDX_BLOCK_SECTORS);
}

static bool add(struct raidx_plan *plan, u64 blocks)
{
	if (plan->nr_slots == RAIDX_MAX_MEMBERS) {
		complain("a set has at most %d members", RAIDX_MAX_MEMBERS);
		return false;
	}
	plan->device_blocks[plan->nr_slots++] = blocks;
	return true;
}

/* A device, a size, or so many times a size. */
static bool add_word(struct raidx_plan *plan, const char *word)
{
	const char *times = strchr(word, 'x');
	struct device device;
	u64 sectors, count = 1;
	char number[16];

	if (device_open(&device, word)) {
		u64 blocks = device.blocks;

		device_close(&device);
		return add(plan, blocks);
	}
	if (times && (size_t)(times - word) < sizeof(number)) {
		memcpy(number, word, times - word);
		number[times - word] = 0;
		if (!text_to_number(number, &count) || !count)
			times = NULL;
	}
	if (!text_to_sectors(times ? times + 1 : word, &sectors)) {
		complain("%s: neither a device (%s) nor a size", word, strerror(errno));
		return false;
	}
	while (count--)
		if (!add(plan, sectors / RAIDX_BLOCK_SECTORS))
			return false;
	return true;
}

static bool take_options(struct raidx_plan *plan, u64 chunk, u64 parity, u64 spares)
{
	if (chunk > ~0u) {
		complain("--chunk: too large");
		return false;
	}
	if (parity > 2 || spares > RAIDX_MAX_MEMBERS) {
		complain("--parity, --spares: out of range");
		return false;
	}
	plan->chunk_sectors = chunk;
	plan->parity = parity;
	plan->nr_spares = spares;
	return true;
}

int command_size(int argc, char **argv)
{
	u64 chunk = 0, log = 0, extent = 0, parity = 0, spares = 0, data_blocks[RAIDX_MAX_MEMBERS];
	struct raidx_plan plan = { 0 };
	struct raidx_geometry geo;
	const char *error;
	bool json = false;
	const struct option_spec specs[] = {
		{ "chunk", OPTION_SECTORS, &chunk },   { "log", OPTION_SECTORS, &log },
		{ "extent", OPTION_SECTORS, &extent }, { "parity", OPTION_NUMBER, &parity },
		{ "spares", OPTION_NUMBER, &spares },  { "json", OPTION_FLAG, &json },
	};
	int words = OPTIONS_PARSE(argc, argv, specs), i;

	if (words < 0)
		return EXIT_WORSE;
	if (words < 2) {
		complain("size: needs a level and devices or sizes");
		return EXIT_WORSE;
	}
	plan.level = text_to_level(argv[0]);
	if (!plan.level) {
		complain("%s: no level; there are raid0 raid1 raid10 raid5 raid6 craid5 tss", argv[0]);
		return EXIT_WORSE;
	}
	if (!take_options(&plan, chunk, parity, spares))
		return EXIT_WORSE;
	plan.log_sectors = log;
	plan.extent_sectors = extent;
	for (i = 1; i < words; i++)
		if (!add_word(&plan, argv[i]))
			return EXIT_BAD;
	error = raidx_geometry_plan(&plan, &geo, data_blocks);
	if (error) {
		complain("%s", error);
		return EXIT_BAD;
	}
	if (json)
		json_begin(NULL, '{');
	size_print(&plan, &geo, data_blocks, json);
	if (json)
		json_end('{');
	return EXIT_GOOD;
}
