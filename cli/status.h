/* SPDX-License-Identifier: GPL-2.0-only */
/* Status of running sets. */
#ifndef RAIDXCTL_STATUS_H
#define RAIDXCTL_STATUS_H

#include <stdbool.h>
#include "mapped.h"
#include "status_line.h"

/* Exit code for the state of a set. */
int status_exit(const struct status_line *line);

/* For people; as members of an open JSON object. */
void status_print(const struct mapped *mapped, const struct status_line *line);
void status_print_json(const struct mapped *mapped, const struct status_line *line);

/* Parse, or say what is wrong. */
bool status_parse(const struct mapped *mapped, struct status_line *line);

/* Call @act for each set named, or for all; the worst exit code. */
int status_for_each(int nr, char **names, int (*act)(const struct mapped *mapped, const struct status_line *line));

/* Follow a set's action until it is idle. */
int status_wait(const char *name);

#endif /* RAIDXCTL_STATUS_H */
