// SPDX-License-Identifier: GPL-2.0-only
/* These tests will check that table lines are read, written back as they were, and refused with the right sentence. */
#include "unit.h"
#include <raidx/policy.h>
#include <raidx/table_line.h>

#define MOST_WORDS 128

/* Parse a line given as one string. */
static const char *parse(const char *text, struct raidx_table_line *line)
{
	static char words[4096];
	char *argv[MOST_WORDS], *save, *word;
	unsigned int argc = 0;

	assert_true(strlen(text) < sizeof(words));
	strcpy(words, text);
	for (word = strtok_r(words, " ", &save); word && argc < MOST_WORDS; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	return raidx_table_line_parse(argc, argv, line);
}

static void refuse(const char *text, const char *sentence)
{
	struct raidx_table_line line;
	const char *error = parse(text, &line);

	check(error && !strcmp(error, sentence), "'%s': got '%s', expected '%s'", text, error ? error : "accepted",
	      sentence);
}

static void parses_all_options(void **state)
{
	struct raidx_table_line line;

	assert_null(parse("tss 22 create force chunk_sectors 64 log_sectors 131072 log_cache 8192 extent_sectors 2048 "
			  "parity 1 spares 1 cache_pages 4096 policy user verify always compression none 4 a b c d",
			  &line));
	assert_int_equal(line.level, RAIDX_LEVEL_TSS);
	assert_true(line.create && line.force && !line.degraded);
	assert_int_equal(line.chunk_sectors, 64);
	assert_int_equal(line.log_sectors, 131072);
	assert_int_equal(line.log_cache_sectors, 8192);
	assert_int_equal(line.extent_sectors, 2048);
	assert_int_equal(line.parity, 1);
	assert_int_equal(line.spares, 1);
	assert_int_equal(line.cache_pages, 4096);
	assert_int_equal(line.policy, TSS_POLICY_USER);
	assert_int_equal(line.verify, RAIDX_VERIFY_ALWAYS);
	assert_int_equal(line.nr_members, 4);
	assert_string_equal(line.dev[3], "d");
}

static void writes_what_it_read(void **state)
{
	static const char *const lines[] = {
		"raid0 0 2 8:0 8:16",
		"raid5 2 chunk_sectors 128 3 8:0 - 8:32",
		"raid5 1 degraded 3 8:0 - 8:32",
		"tss 4 policy user verify cached 3 8:0 8:16 8:32",
		"tss 20 create force chunk_sectors 64 log_sectors 131072 log_cache 8192 extent_sectors 2048 parity 1 "
		"spares 1 cache_pages 4096 policy watermark verify always 4 a b c d",
		"raid1 4 log_sectors 65536 cache_pages 64 2 /dev/x /dev/y",
		"raid10 2 chunk_sectors 2048 4 a b c d",
	};
	struct raidx_table_line line;
	char text[1024];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *error = parse(lines[i], &line);

		check(!error, "'%s': %s", lines[i], error);
		assert_int_equal(raidx_table_line_format(&line, text, sizeof(text)), strlen(lines[i]));
		assert_string_equal(text, lines[i]);
	}
}

static void cuts_what_does_not_fit(void **state)
{
	const char *text = "raid5 2 chunk_sectors 128 3 8:0 - 8:32";
	struct raidx_table_line line;
	unsigned int size, used;
	char *to;

	assert_null(parse(text, &line));
	for (size = 1; size <= strlen(text) + 8; size++) {
		to = malloc(size);	/* the address sanitizer looks on */
		used = raidx_table_line_format(&line, to, size);
		assert_int_equal(used, strlen(to));
		check(used < size && !strncmp(to, text, used), "size %u: '%s'", size, to);
		check(used == strlen(text) || used + 2 >= size, "size %u: cut at %u", size, used);
		free(to);
	}
}

static void refuses_the_line(void **state)
{
	refuse("", "table line: needs <level> <#opt_args> ... <#members> <dev> ...");
	refuse("raid5", "table line: needs <level> <#opt_args> ... <#members> <dev> ...");
	refuse("raid7 0 3 a b c", "level: none of raid0 raid1 raid10 raid5 raid6 craid5 tss");
	refuse("raid5 x 3 a b c", "#opt_args: not a number from 0 to 28");
	refuse("raid5 -1 3 a b c", "#opt_args: not a number from 0 to 28");
	refuse("raid5 29 3 a b c", "#opt_args: not a number from 0 to 28");
	refuse("raid5 4 3 a b c", "#opt_args: more than there are words");
	refuse("raid5 0", "#opt_args: more than there are words");
	refuse("raid5 0 1 a", "#members: not a number from 2 to 64");
	refuse("raid5 0 65 a", "#members: not a number from 2 to 64");
	refuse("raid5 0 18446744073709551618 a b", "#members: not a number from 2 to 64");
	refuse("raid5 0 4 a b c", "#members: is not the number of devices that follow");
	refuse("raid5 0 2 a b c", "#members: is not the number of devices that follow");
	refuse("raid5 0 3 - - -", "members: not one device is given");
	refuse("raid5 1 create 3 a - c", "create: every member must be a device, not -");
	refuse("raid5 2 create degraded 3 a b c", "create, degraded: do not go together");
}

static void refuses_options(void **state)
{
	refuse("raid5 1 fast 3 a b c", "optional arguments: one is not known");
	refuse("raid5 2 force force 3 a b c", "optional arguments: one is given twice");
	refuse("raid5 1 chunk_sectors 3 a b c", "chunk_sectors: its number is missing");
	refuse("raid5 2 chunk_sectors 0 3 a b c", "chunk_sectors: not a multiple of 8 from 8 to 2048");
	refuse("raid5 2 chunk_sectors 12 3 a b c", "chunk_sectors: not a multiple of 8 from 8 to 2048");
	refuse("raid5 2 chunk_sectors 2056 3 a b c", "chunk_sectors: not a multiple of 8 from 8 to 2048");
	refuse("raid5 2 chunk_sectors +8 3 a b c", "chunk_sectors: not a multiple of 8 from 8 to 2048");
	refuse("raid5 2 log_sectors 7 3 a b c", "log_sectors: not a multiple of 8 from 8 to 17179869184");
	refuse("raid5 2 log_cache 0 3 a b c", "log_cache: not a multiple of 8 sectors from 8 to 2147483648");
	refuse("raid5 2 extent_sectors 3000 3 a b c", "extent_sectors: not a power of two from 2048 to 2097152");
	refuse("raid5 2 extent_sectors 1024 3 a b c", "extent_sectors: not a power of two from 2048 to 2097152");
	refuse("raid5 2 cache_pages 63 3 a b c", "cache_pages: not a number from 64 to 16777216");
	refuse("raid5 2 verify never 3 a b c", "verify: neither cached nor always");
	refuse("raid5 2 parity 3 3 a b c", "parity: neither 1 nor 2");
	refuse("raid5 2 spares 0 3 a b c", "spares: not a number from 1 to 62");
	refuse("raid5 2 spares 3 3 a b c", "spares: as many as there are members");
	refuse("tss 2 policy random 3 a b c", "policy: none of watermark five_minute auto user");
	refuse("raid5 2 compression gzip 3 a b c", "compression: none of lz4 zstd none");
	refuse("raid5 2 policy user 3 a b c", "policy: only for tss");
	refuse("raid0 2 parity 1 3 a b c", "parity: only for raid5 and tss");
	refuse("raid0 2 log_sectors 8192 3 a b c", "log_sectors, log_cache: raid0 has no log");
	refuse("raid0 2 spares 1 3 a b c", "spares: of no use to raid0");
}

static void refuses_what_comes_later(void **state)
{
	refuse("raid6 0 4 a b c d", "level: raid6 is not in this version");
	refuse("craid5 0 3 a b c", "level: craid5 is not in this version");
	refuse("tss 2 parity 2 4 a b c d", "parity: 2 is not in this version");
	refuse("tss 2 compression lz4 3 a b c", "compression is not in this version");
	refuse("tss 2 policy five_minute 3 a b c", "policy: five_minute is not in this version");
	refuse("tss 2 policy auto 3 a b c", "policy: auto is not in this version");
	refuse("tss 1 overprovision 3 a b c", "overprovision is not in this version");
}

/* Words in any order: never a crash, and what is accepted is written back to the same. */
static void survives_random_words(void **state)
{
	static const char *const words[] = {
		"raid0", "raid1", "raid5", "tss", "create", "force", "degraded", "chunk_sectors", "log_sectors", "log_cache",
		"extent_sectors", "policy", "user", "parity", "spares", "verify", "cached", "cache_pages", "0", "1", "2", "3",
		"4", "8", "64", "2048", "-", "a", "b", "18446744073709551615", "99999999999999999999",
	};
	struct raidx_table_line line, again;
	char text[1024], copy[1024];
	u32 round, i, accepted = 0;

	srandom(1);
	for (round = 0; round < 200000; round++) {
		u32 nr = random() % 9, at;

		at = sprintf(text, "%s %ld", words[random() % 4], random() % 5);
		for (i = 0; i < nr; i++)
			at += sprintf(text + at, " %s", words[random() % ARRAY_SIZE(words)]);
		if (parse(text, &line))
			continue;
		accepted++;
		raidx_table_line_format(&line, copy, sizeof(copy));
		assert_null(parse(copy, &again));
		raidx_table_line_format(&again, text, sizeof(text));
		assert_string_equal(text, copy);
	}
	assert_true(accepted > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_all_options),
		cmocka_unit_test(writes_what_it_read),
		cmocka_unit_test(cuts_what_does_not_fit),
		cmocka_unit_test(refuses_the_line),
		cmocka_unit_test(refuses_options),
		cmocka_unit_test(refuses_what_comes_later),
		cmocka_unit_test(survives_random_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
