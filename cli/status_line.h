/* SPDX-License-Identifier: GPL-2.0-only */
/* The status line of a raidx device, taken apart. */
#ifndef RAIDXCTL_STATUS_LINE_H
#define RAIDXCTL_STATUS_LINE_H

#include <stdbool.h>
#include <raidx/types.h>

#define STATUS_MOST_PAIRS 48

struct status_pair {
	char key[32];
	char value[96];
};

/**
 * struct status_line - what it says.
 * @level: word of the level.
 * @nr_slots: slots.
 * @health: a letter for each.
 * @done: sectors or whatever the action counts.
 * @total: of so many.
 * @action: what goes on.
 * @mismatches: copies or parity found to differ.
 * @nr_pairs: pairs after that.
 * @pair: the pairs, in their order; a later version may have more.
 */
struct status_line {
	char level[16];
	u64 nr_slots;
	char health[RAIDX_MAX_MEMBERS + 1];
	u64 done;
	u64 total;
	char action[32];
	u64 mismatches;
	unsigned int nr_pairs;
	struct status_pair pair[STATUS_MOST_PAIRS];
};

/* Return: NULL, or what is wrong with @text. */
const char *status_line_parse(const char *text, struct status_line *line);
/* Value of a pair; "" = there is none. */
const char *status_line_value(const struct status_line *line, const char *key);
/* A value that is a number; 0 = there is none. */
u64 status_line_number(const struct status_line *line, const char *key);
/* A value that is "used/total". */
bool status_line_share(const struct status_line *line, const char *key, u64 *used, u64 *total);

#endif /* RAIDXCTL_STATUS_LINE_H */
