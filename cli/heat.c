// SPDX-License-Identifier: GPL-2.0-only
/*
 * raidxctl heat: a picture of the stripes by level and temperature.
 *
 * A cell of the picture stands for a run of stripes.  Its character says the level that most of the mapped ones have
 * and how warm the warmest is; on a terminal its colour says the level.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "command.h"
#include "json.h"
#include "mapped.h"
#include "options.h"
#include "text.h"

#define WARMTHS		4
#define MOST_ROWS	24
#define READ_RECORDS	16384

/**
 * struct cell - a run of stripes.
 * @by_level: stripes at each level.
 * @warmest: highest temperature in it.
 */
struct cell {
	u32 by_level[RAIDX_NR_LEVELS];
	u8 warmest;
};

/**
 * struct heat - what was read.
 * @stripes: of the set.
 * @stripe_sectors: a stripe.
 * @per_cell: stripes of a cell.
 * @nr_cells: cells.
 * @cell: the cells.
 * @mapped: stripes at each level.
 * @warmth: stripes at each level and warmth.
 */
struct heat {
	u64 stripes;
	u32 stripe_sectors;
	u64 per_cell;
	u64 nr_cells;
	struct cell *cell;
	u64 mapped[RAIDX_NR_LEVELS];
	u64 warmth[RAIDX_NR_LEVELS][WARMTHS];
};

/* Cold, cool, warm, hot. */
static unsigned int warmth_of(u8 temperature)
{
	if (!temperature)
		return 0;
	if (temperature < 4)
		return 1;
	return temperature < 16 ? 2 : 3;
}

static int read_fully(int fd, void *to, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t now = read(fd, (char *)to + done, bytes - done);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return now ? -errno : -ENODATA;
		done += now;
	}
	return 0;
}

static const char *read_header(int fd, struct heat *heat, u64 cells)
{
	struct raidx_heat_header header;

	if (read_fully(fd, &header, sizeof(header)))
		return "its header cannot be read";
	if (le32_to_cpu(header.magic) != RAIDX_HEAT_MAGIC || le16_to_cpu(header.version) != 1 ||
	    le16_to_cpu(header.record_bytes) != sizeof(struct raidx_heat_record))
		return "is of another version";
	heat->stripes = le64_to_cpu(header.stripes);
	heat->stripe_sectors = le32_to_cpu(header.stripe_sectors);
	if (!heat->stripes || heat->stripes > 1ULL << 48)
		return "has an impossible number of stripes";
	heat->per_cell = DIV_ROUND_UP(heat->stripes, cells);
	heat->nr_cells = DIV_ROUND_UP(heat->stripes, heat->per_cell);
	heat->cell = calloc(heat->nr_cells, sizeof(*heat->cell));
	return heat->cell ? NULL : "needs more memory than there is";
}

static void take(struct heat *heat, u64 stripe, u8 level, u8 temperature)
{
	struct cell *cell = &heat->cell[stripe / heat->per_cell];

	if (level >= RAIDX_NR_LEVELS)
		level = RAIDX_LEVEL_NONE;
	cell->by_level[level]++;
	cell->warmest = max(cell->warmest, temperature);
	heat->mapped[level]++;
	heat->warmth[level][warmth_of(temperature)]++;
}

static const char *read_records(int fd, struct heat *heat, bool reads, bool writes)
{
	struct raidx_heat_record *records = malloc(READ_RECORDS * sizeof(*records));
	u64 stripe = 0;
	int ret = records ? 0 : -ENOMEM;

	while (!ret && stripe < heat->stripes) {
		u64 now = min_t(u64, READ_RECORDS, heat->stripes - stripe), i;

		ret = read_fully(fd, records, now * sizeof(*records));
		for (i = 0; !ret && i < now; i++) {
			u8 temperature = 0;

			if (reads)
				temperature = records[i].read;
			if (writes)
				temperature = max(temperature, records[i].write);
			take(heat, stripe + i, records[i].level, temperature);
		}
		stripe += now;
	}
	free(records);
	return ret ? "its records cannot be read" : NULL;
}

static u8 main_level(const struct cell *cell)
{
	u8 level, most = RAIDX_LEVEL_NONE;
	u32 seen = 0;

	for (level = RAIDX_LEVEL_NONE + 1; level < RAIDX_NR_LEVELS; level++)
		if (cell->by_level[level] > seen) {
			most = level;
			seen = cell->by_level[level];
		}
	return most;
}

static const char *glyphs_of(u8 level)
{
	switch (level) {
	case RAIDX_LEVEL_NONE:
		return "....";
	case RAIDX_LEVEL_RAID1:
		return "coO@";
	case RAIDX_LEVEL_CRAID5:
		return "`,;!";
	default:
		return "-=*#";
	}
}

static const char *colour_of(u8 level)
{
	switch (level) {
	case RAIDX_LEVEL_NONE:
		return "\033[2m";
	case RAIDX_LEVEL_RAID1:
		return "\033[31m";
	case RAIDX_LEVEL_CRAID5:
		return "\033[36m";
	default:
		return "\033[34m";
	}
}

static void print_picture(const struct heat *heat, u32 columns, bool colours)
{
	u64 i;

	for (i = 0; i < heat->nr_cells; i++) {
		const struct cell *cell = &heat->cell[i];
		u8 level = main_level(cell);

		if (i % columns == 0)
			printf("%s%10llu ", i ? "\n" : "", (unsigned long long)(i * heat->per_cell));
		if (colours)
			fputs(colour_of(level), stdout);
		putchar(glyphs_of(level)[warmth_of(cell->warmest)]);
		if (colours)
			fputs("\033[0m", stdout);
	}
	putchar('\n');
}

static void print_legend(const struct heat *heat)
{
	static const u8 levels[] = { RAIDX_LEVEL_RAID1, RAIDX_LEVEL_RAID5, RAIDX_LEVEL_RAID6, RAIDX_LEVEL_CRAID5 };
	char text[TEXT_BYTES];
	unsigned int i;

	printf("\n%-9s%10s %10s %10s %10s %10s\n", "", "stripes", "cold", "cool", "warm", "hot");
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		const u64 *warmth = heat->warmth[levels[i]];

		if (heat->mapped[levels[i]])
			printf("%-4s %s %9llu %10llu %10llu %10llu %10llu\n", glyphs_of(levels[i]), text_level(levels[i]),
			       (unsigned long long)heat->mapped[levels[i]], (unsigned long long)warmth[0],
			       (unsigned long long)warmth[1], (unsigned long long)warmth[2],
			       (unsigned long long)warmth[3]);
	}
	printf(".    none  %9llu\n", (unsigned long long)heat->mapped[RAIDX_LEVEL_NONE]);
	printf("a character is %llu stripe%s of %s\n", (unsigned long long)heat->per_cell,
	       heat->per_cell == 1 ? "" : "s", text_size(heat->stripe_sectors, text));
}

static void print_json(const struct heat *heat, const char *name)
{
	static const char *const warmths[WARMTHS] = { "cold", "cool", "warm", "hot" };
	unsigned int level, i;

	json_begin(NULL, '{');
	json_text("name", name);
	json_number("stripes", heat->stripes);
	json_number("stripe_sectors", heat->stripe_sectors);
	for (level = 0; level < RAIDX_NR_LEVELS; level++) {
		if (!heat->mapped[level])
			continue;
		json_begin(text_level(level), '{');
		json_number("stripes", heat->mapped[level]);
		for (i = 0; i < WARMTHS; i++)
			json_number(warmths[i], heat->warmth[level][i]);
		json_end('{');
	}
	json_end('{');
}

/* @path: the file, from sysfs; a copy of one will do. */
static int show(const char *path, const char *name, bool json, bool reads, bool writes)
{
	struct winsize window = { .ws_col = 80, .ws_row = MOST_ROWS };
	struct heat heat = { 0 };
	const char *error;
	u32 columns, rows;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		complain("%s: its heat cannot be read: %s", name,
			 errno == ENOENT ? "only the level tss keeps it" : strerror(errno));
		return EXIT_BAD;
	}
	if (isatty(STDOUT_FILENO))
		ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
	columns = window.ws_col > 40 ? window.ws_col - 12 : 64;
	rows = window.ws_row > 16 ? min_t(u32, window.ws_row - 8, 2 * MOST_ROWS) : 8;
	error = read_header(fd, &heat, (u64)columns * rows);
	if (!error)
		error = read_records(fd, &heat, reads, writes);
	close(fd);
	if (error) {
		complain("%s: its heat %s", name, error);
	} else if (json) {
		print_json(&heat, name);
	} else {
		print_picture(&heat, columns, isatty(STDOUT_FILENO));
		print_legend(&heat);
	}
	free(heat.cell);
	return error ? EXIT_BAD : EXIT_GOOD;
}

int command_heat(int argc, char **argv)
{
	bool json = false, reads = false, writes = false;
	const char *file = NULL;
	const struct option_spec specs[] = {
		{ "json", OPTION_FLAG, &json },
		{ "reads", OPTION_FLAG, &reads },
		{ "writes", OPTION_FLAG, &writes },
		{ "file", OPTION_WORD, &file },
	};
	int nr = OPTIONS_PARSE(argc, argv, specs);
	struct mapped mapped;
	char path[128];

	if (nr < 0)
		return EXIT_WORSE;
	if (nr != !file) {
		complain("heat: takes a name, or --file with a copy of the heat file");
		return EXIT_WORSE;
	}
	if (!reads && !writes)
		reads = writes = true;
	if (file)
		return show(file, file, json, reads, writes);
	if (!mapped_find(argv[0], &mapped))
		return EXIT_WORSE;
	snprintf(path, sizeof(path), "/sys/block/dm-%u/raidx/tss/heat", mapped.minor);
	mapped_free(&mapped);
	return show(path, mapped.name, json, reads, writes);
}
