/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON on stdout. */
#ifndef RAIDXCTL_JSON_H
#define RAIDXCTL_JSON_H

#include <stdbool.h>
#include <raidx/types.h>

/* Begin an object ('{') or array ('['); @key is NULL within an array and at the top. */
void json_begin(const char *key, char kind);
/* End it; at the top also the line. */
void json_end(char kind);
void json_text(const char *key, const char *text);
void json_number(const char *key, u64 number);
void json_bool(const char *key, bool value);

#endif /* RAIDXCTL_JSON_H */
