// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the parser of status lines, and of sizes and UUIDs. Prints "ok NAME" or "not ok NAME". */
#include <stdio.h>
#include <string.h>
#include "status_line.h"
#include "text.h"

static int failed;

static void expect(bool good, const char *name)
{
	printf("%s %s\n", good ? "ok" : "not ok", name);
	failed |= !good;
}

static void test_good(void)
{
	struct status_line line;
	u64 used, total;
	const char *error = status_line_parse("tss 5 AAD-S 7/9 migrate 3 mode=degraded events=12 log=8/1024 raid1=0/0 "
					      "free=77 wait=rate_limit later=x", &line);

	expect(!error, "a status line is understood");
	expect(!strcmp(line.level, "tss") && line.nr_slots == 5 && !strcmp(line.health, "AAD-S"), "level and health");
	expect(line.done == 7 && line.total == 9 && !strcmp(line.action, "migrate") && line.mismatches == 3, "action");
	expect(!strcmp(status_line_value(&line, "mode"), "degraded") && status_line_number(&line, "events") == 12, "pairs");
	expect(status_line_share(&line, "log", &used, &total) && used == 8 && total == 1024, "a share");
	expect(!status_line_share(&line, "free", &used, &total) && status_line_number(&line, "free") == 77, "no share");
	expect(!*status_line_value(&line, "nothing") && !status_line_number(&line, "wait"), "what is not there");
}

static void test_bad(void)
{
	static const char *const bad[] = {
		"", "tss", "tss x", "tss 65 A", "tss 3 AA 0/0 idle 0", "tss 2 AA 0 idle 0", "tss 2 AA 0/0",
		"tss 2 AA 0/0 idle", "tss 2 AA 0/0 idle x", "tss 2 AA 0/0 idle 0 word", "tss 2 AA 1/2/3 idle 0",
		"averyverylongwordthatisnolevel 2 AA 0/0 idle 0", "tss 2 AA 99999999999999999999999/0 idle 0",
		"tss 2 AA 0/0 idle 0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
	};
	struct status_line line;
	char name[64], many[2048];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(name, sizeof(name), "bad status line %u is refused", i);
		expect(status_line_parse(bad[i], &line) != NULL, name);
	}
	strcpy(many, "tss 2 AA 0/0 idle 0");
	for (i = 0; i < 100; i++)
		strcat(many, " key=value");
	expect(!status_line_parse(many, &line) && line.nr_pairs == STATUS_MOST_PAIRS, "more pairs than are known");
}

static void test_text(void)
{
	u8 uuid[RAIDX_UUID_BYTES];
	char text[TEXT_BYTES];
	u64 sectors;

	expect(text_to_sectors("64K", &sectors) && sectors == 128, "64K");
	expect(text_to_sectors("9s", &sectors) && sectors == 9, "9s");
	expect(text_to_sectors("1t", &sectors) && sectors == 1ULL << 31, "1t");
	expect(!text_to_sectors("64", &sectors) && !text_to_sectors("K", &sectors) && !text_to_sectors("", &sectors) &&
	       !text_to_sectors("-1K", &sectors) && !text_to_sectors("64KB", &sectors) &&
	       !text_to_sectors("99999999999999999P", &sectors), "no sizes");
	expect(!strcmp(text_size(3, text), "1.50 KiB") && !strcmp(text_size(1ULL << 31, text), "1 TiB"), "sizes");
	expect(text_to_uuid("00112233-4455-6677-8899-aabbccddeeff", uuid) && uuid[0] == 0 && uuid[15] == 0xff, "a UUID");
	expect(!strcmp(text_uuid(uuid, text), "00112233-4455-6677-8899-aabbccddeeff"), "and back");
	expect(!text_to_uuid("00112233-4455-6677-8899-aabbccddeef", uuid) && !text_to_uuid("image", uuid), "no UUIDs");
}

int main(void)
{
	test_good();
	test_bad();
	test_text();
	return failed;
}
