// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidx table line: words to struct raidx_table_line and back.
 *
 *   <level> <#opt_args> [<opt_arg> ...] <#members> <dev> ...
 *
 * Pure: no state, no allocation.  What the interface names but this version does not do is parsed and refused
 * with a sentence that says so.
 */
#include <raidx/policy.h>
#include <raidx/table_line.h>
#ifndef __KERNEL__
#include <stdio.h>
#endif

static const char *const level_names[RAIDX_NR_LEVELS] = {
	[RAIDX_LEVEL_RAID0] = "raid0",
	[RAIDX_LEVEL_RAID1] = "raid1",
	[RAIDX_LEVEL_RAID10] = "raid10",
	[RAIDX_LEVEL_RAID5] = "raid5",
	[RAIDX_LEVEL_RAID6] = "raid6",
	[RAIDX_LEVEL_CRAID5] = "craid5",
	[RAIDX_LEVEL_TSS] = "tss",
};

static const char *const policy_names[TSS_NR_POLICIES] = {
	[TSS_POLICY_WATERMARK] = "watermark",
	[TSS_POLICY_FIVE_MINUTE] = "five_minute",
	[TSS_POLICY_AUTO] = "auto",
	[TSS_POLICY_USER] = "user",
};

enum option {
	OPTION_CREATE,
	OPTION_FORCE,
	OPTION_DEGRADED,
	OPTION_OVERPROVISION,
	OPTION_CHUNK_SECTORS,	/* from here on with a value */
	OPTION_LOG_SECTORS,
	OPTION_LOG_CACHE,
	OPTION_EXTENT_SECTORS,
	OPTION_COMPRESSION,
	OPTION_POLICY,
	OPTION_PARITY,
	OPTION_SPARES,
	OPTION_VERIFY,
	OPTION_CACHE_PAGES,
	NR_OPTIONS
};

static const struct option_name {
	const char *name;
	const char *no_value;
} options[NR_OPTIONS] = {
	[OPTION_CREATE] = { "create", NULL },
	[OPTION_FORCE] = { "force", NULL },
	[OPTION_DEGRADED] = { "degraded", NULL },
	[OPTION_OVERPROVISION] = { "overprovision", NULL },
	[OPTION_CHUNK_SECTORS] = { "chunk_sectors", "chunk_sectors: its number is missing" },
	[OPTION_LOG_SECTORS] = { "log_sectors", "log_sectors: its number is missing" },
	[OPTION_LOG_CACHE] = { "log_cache", "log_cache: its number is missing" },
	[OPTION_EXTENT_SECTORS] = { "extent_sectors", "extent_sectors: its number is missing" },
	[OPTION_COMPRESSION] = { "compression", "compression: its word is missing" },
	[OPTION_POLICY] = { "policy", "policy: its word is missing" },
	[OPTION_PARITY] = { "parity", "parity: its number is missing" },
	[OPTION_SPARES] = { "spares", "spares: its number is missing" },
	[OPTION_VERIFY] = { "verify", "verify: its word is missing" },
	[OPTION_CACHE_PAGES] = { "cache_pages", "cache_pages: its number is missing" },
};

const char *raidx_level_name(u8 level)
{
	if (level >= RAIDX_NR_LEVELS || !level_names[level])
		return "none";
	return level_names[level];
}

/* Decimal digits only, at most @most.  No sign, no space, no prefix. */
static bool parse_number(const char *word, u64 most, u64 *number)
{
	u64 value = 0;

	if (!*word)
		return false;
	for (; *word; word++) {
		u32 digit = (u8)*word - '0';

		if (digit > 9 || value > (~0ULL - digit) / 10)
			return false;
		value = value * 10 + digit;
		if (value > most)
			return false;
	}
	*number = value;
	return true;
}

static const char *parse_level(const char *word, struct raidx_table_line *line)
{
	u8 level;

	for (level = RAIDX_LEVEL_RAID0; level <= RAIDX_LEVEL_TSS; level++)
		if (!strcmp(word, level_names[level]))
			break;
	if (level > RAIDX_LEVEL_TSS)
		return "level: none of raid0 raid1 raid10 raid5 raid6 craid5 tss";
	line->level = level;
	if (level == RAIDX_LEVEL_RAID6)
		return "level: raid6 is not in this version";
	if (level == RAIDX_LEVEL_CRAID5)
		return "level: craid5 is not in this version";
	return NULL;
}

static const char *parse_policy(const char *word, struct raidx_table_line *line)
{
	u8 policy;

	for (policy = 0; policy < TSS_NR_POLICIES; policy++)
		if (!strcmp(word, policy_names[policy]))
			break;
	if (policy == TSS_NR_POLICIES)
		return "policy: none of watermark five_minute auto user";
	if (policy == TSS_POLICY_FIVE_MINUTE)
		return "policy: five_minute is not in this version";
	if (policy == TSS_POLICY_AUTO)
		return "policy: auto is not in this version";
	line->policy = policy;
	return NULL;
}

static const char *parse_flag(enum option option, struct raidx_table_line *line)
{
	switch (option) {
	case OPTION_CREATE:
		line->create = true;
		return NULL;
	case OPTION_FORCE:
		line->force = true;
		return NULL;
	case OPTION_DEGRADED:
		line->degraded = true;
		return NULL;
	default:
		return "overprovision is not in this version";
	}
}

static const char *parse_word(enum option option, const char *word, struct raidx_table_line *line)
{
	switch (option) {
	case OPTION_COMPRESSION:
		if (!strcmp(word, "none"))
			return NULL;
		if (!strcmp(word, "lz4") || !strcmp(word, "zstd"))
			return "compression is not in this version";
		return "compression: none of lz4 zstd none";
	case OPTION_POLICY:
		return parse_policy(word, line);
	default:
		line->verify = RAIDX_VERIFY_NOT_GIVEN;
		if (!strcmp(word, "cached"))
			line->verify = RAIDX_VERIFY_CACHED;
		else if (!strcmp(word, "always"))
			line->verify = RAIDX_VERIFY_ALWAYS;
		return line->verify ? NULL : "verify: neither cached nor always";
	}
}

static const char *parse_size(enum option option, const char *word, struct raidx_table_line *line)
{
	u64 number;

	switch (option) {
	case OPTION_CHUNK_SECTORS:
		if (!parse_number(word, 2048, &number) || !number || number % RAIDX_BLOCK_SECTORS)
			return "chunk_sectors: not a multiple of 8 from 8 to 2048";
		line->chunk_sectors = number;
		return NULL;
	case OPTION_LOG_SECTORS:
		if (!parse_number(word, 1ULL << 34, &number) || !number || number % RAIDX_BLOCK_SECTORS)
			return "log_sectors: not a multiple of 8 from 8 to 17179869184";
		line->log_sectors = number;
		return NULL;
	case OPTION_LOG_CACHE:
		if (!parse_number(word, 1ULL << 31, &number) || !number || number % RAIDX_BLOCK_SECTORS)
			return "log_cache: not a multiple of 8 sectors from 8 to 2147483648";
		line->log_cache_sectors = number;
		return NULL;
	default:
		if (!parse_number(word, 2097152, &number) || number < 2048 || number & (number - 1))
			return "extent_sectors: not a power of two from 2048 to 2097152";
		line->extent_sectors = number;
		return NULL;
	}
}

static const char *parse_value(enum option option, const char *word, struct raidx_table_line *line)
{
	u64 number;

	switch (option) {
	case OPTION_COMPRESSION:
	case OPTION_POLICY:
	case OPTION_VERIFY:
		return parse_word(option, word, line);
	case OPTION_PARITY:
		if (!parse_number(word, 2, &number) || !number)
			return "parity: neither 1 nor 2";
		if (number == 2)
			return "parity: 2 is not in this version";
		line->parity = number;
		return NULL;
	case OPTION_SPARES:
		if (!parse_number(word, RAIDX_MAX_MEMBERS - 2, &number) || !number)
			return "spares: not a number from 1 to 62";
		line->spares = number;
		return NULL;
	case OPTION_CACHE_PAGES:
		if (!parse_number(word, 1u << 24, &number) || number < 64)
			return "cache_pages: not a number from 64 to 16777216";
		line->cache_pages = number;
		return NULL;
	default:
		return parse_size(option, word, line);
	}
}

static const char *parse_options(unsigned int argc, char **argv, struct raidx_table_line *line)
{
	unsigned int seen = 0, i, option;
	const char *error;

	for (i = 0; i < argc; i++) {
		for (option = 0; option < NR_OPTIONS; option++)
			if (!strcmp(argv[i], options[option].name))
				break;
		if (option == NR_OPTIONS)
			return "optional arguments: one is not known";
		if (seen & (1u << option))
			return "optional arguments: one is given twice";
		seen |= 1u << option;
		if (!options[option].no_value) {
			error = parse_flag(option, line);
		} else {
			if (++i == argc)
				return options[option].no_value;
			error = parse_value(option, argv[i], line);
		}
		if (error)
			return error;
	}
	return NULL;
}

/* Arguments that do not go together. */
static const char *check_line(const struct raidx_table_line *line)
{
	unsigned int i, present = 0;

	for (i = 0; i < line->nr_members; i++)
		present += !!line->dev[i];
	if (!present)
		return "members: not one device is given";
	if (line->create && present < line->nr_members)
		return "create: every member must be a device, not -";
	if (line->create && line->degraded)
		return "create, degraded: do not go together";
	if (line->spares >= line->nr_members)
		return "spares: as many as there are members";
	if (line->parity && !raidx_level_is_pool(line->level))
		return "parity: only for raid5 and tss";
	if (line->policy != RAIDX_POLICY_NOT_GIVEN && line->level != RAIDX_LEVEL_TSS)
		return "policy: only for tss";
	if (line->level == RAIDX_LEVEL_RAID0 && (line->log_sectors || line->log_cache_sectors))
		return "log_sectors, log_cache: raid0 has no log";
	if (line->level == RAIDX_LEVEL_RAID0 && line->spares)
		return "spares: of no use to raid0";
	return NULL;
}

const char *raidx_table_line_parse(unsigned int argc, char **argv, struct raidx_table_line *line)
{
	const char *error;
	u64 number;
	u32 i;

	memset(line, 0, sizeof(*line));
	line->policy = RAIDX_POLICY_NOT_GIVEN;
	if (argc < 2)
		return "table line: needs <level> <#opt_args> ... <#members> <dev> ...";
	error = parse_level(argv[0], line);
	if (error)
		return error;
	argc -= 2;
	if (!parse_number(argv[1], 2 * NR_OPTIONS, &number))
		return "#opt_args: not a number from 0 to 28";
	if (number >= argc)
		return "#opt_args: more than there are words";
	error = parse_options(number, argv + 2, line);
	if (error)
		return error;
	argv += 2 + number;
	argc -= number + 1;
	if (!parse_number(argv[0], RAIDX_MAX_MEMBERS, &number) || number < 2)
		return "#members: not a number from 2 to 64";
	if (number != argc)
		return "#members: is not the number of devices that follow";
	line->nr_members = number;
	for (i = 0; i < line->nr_members; i++)
		if (strcmp(argv[1 + i], "-"))
			line->dev[i] = argv[1 + i];
	return check_line(line);
}

/**
 * struct writer - where a line is being written.
 * @to: start.
 * @size: room.
 * @used: characters there, without the NUL; below @size.
 */
struct writer {
	char *to;
	unsigned int size;
	unsigned int used;
};

static void put_word(struct writer *writer, const char *word)
{
	if (writer->used && writer->used + 1 < writer->size)
		writer->to[writer->used++] = ' ';
	while (*word && writer->used + 1 < writer->size)
		writer->to[writer->used++] = *word++;
	writer->to[writer->used] = 0;
}

static void put_number(struct writer *writer, u64 number)
{
	char word[24];

	snprintf(word, sizeof(word), "%llu", (unsigned long long)number);
	put_word(writer, word);
}

static void put_option(struct writer *writer, enum option option, u64 number)
{
	if (!number)
		return;
	put_word(writer, options[option].name);
	put_number(writer, number);
}

static unsigned int count_words(const struct raidx_table_line *line)
{
	unsigned int pairs = !!line->chunk_sectors + !!line->log_sectors + !!line->log_cache_sectors +
			     !!line->extent_sectors + !!line->parity + !!line->spares + !!line->cache_pages +
			     !!line->verify + (line->policy != RAIDX_POLICY_NOT_GIVEN);

	return line->create + line->force + line->degraded + 2 * pairs;
}

unsigned int raidx_table_line_format(const struct raidx_table_line *line, char *to, unsigned int size)
{
	struct writer writer = { .to = to, .size = size };
	u32 i;

	to[0] = 0;
	put_word(&writer, raidx_level_name(line->level));
	put_number(&writer, count_words(line));
	if (line->create)
		put_word(&writer, "create");
	if (line->force)
		put_word(&writer, "force");
	if (line->degraded)
		put_word(&writer, "degraded");
	put_option(&writer, OPTION_CHUNK_SECTORS, line->chunk_sectors);
	put_option(&writer, OPTION_LOG_SECTORS, line->log_sectors);
	put_option(&writer, OPTION_LOG_CACHE, line->log_cache_sectors);
	put_option(&writer, OPTION_EXTENT_SECTORS, line->extent_sectors);
	put_option(&writer, OPTION_PARITY, line->parity);
	put_option(&writer, OPTION_SPARES, line->spares);
	put_option(&writer, OPTION_CACHE_PAGES, line->cache_pages);
	if (line->policy < TSS_NR_POLICIES) {
		put_word(&writer, "policy");
		put_word(&writer, policy_names[line->policy]);
	}
	if (line->verify) {
		put_word(&writer, "verify");
		put_word(&writer, line->verify == RAIDX_VERIFY_ALWAYS ? "always" : "cached");
	}
	put_number(&writer, line->nr_members);
	for (i = 0; i < line->nr_members; i++)
		put_word(&writer, line->dev[i] ? line->dev[i] : "-");
	return writer.used;
}
