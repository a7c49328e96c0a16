/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers, sizes, UUIDs, names: from and to text. */
#ifndef RAIDXCTL_TEXT_H
#define RAIDXCTL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <raidx/types.h>
#include "complain.h"

#define TEXT_BYTES 64	/* enough for each of the functions that take @to */

/* Decimal digits only. */
bool text_to_number(const char *word, u64 *number);

/* "64K" and so on, whole sectors. */
bool text_to_sectors(const char *word, u64 *sectors);

/* "1.50 GiB". Return: @to. */
const char *text_size(u64 sectors, char *to);
const char *text_uuid(const u8 *uuid, char *to);
/* A UUID in the usual form. */
bool text_to_uuid(const char *word, u8 *uuid);
const char *text_time(u64 seconds, char *to);
/* A name of @bytes bytes, NUL padded; what cannot be shown becomes a question mark. */
const char *text_name(const u8 *name, size_t bytes, char *to);

const char *text_level(u8 level);
/* enum raidx_level of a word; RAIDX_LEVEL_NONE = there is none. */
u8 text_to_level(const char *word);
const char *text_slot_state(u8 state);

#endif /* RAIDXCTL_TEXT_H */
