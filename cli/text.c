// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, sizes, UUIDs, names: from and to text. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <raidx/table_line.h>
#include "text.h"

void complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("raidxctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Digits at the start of @word; @end: what follows. */
static bool digits(const char *word, u64 *number, const char **end)
{
	u64 value = 0;

	if (!isdigit((unsigned char)*word))
		return false;
	for (; isdigit((unsigned char)*word); word++) {
		u32 digit = *word - '0';

		if (value > (~0ULL - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*number = value;
	*end = word;
	return true;
}

bool text_to_number(const char *word, u64 *number)
{
	const char *end;

	return digits(word, number, &end) && !*end;
}

bool text_to_sectors(const char *word, u64 *sectors)
{
	static const char units[] = "KMGTP";
	const char *end, *unit;
	u32 shift = 0;
	u64 number;

	if (!digits(word, &number, &end) || !*end || end[1])
		return false;
	if (*end != 's') {
		unit = strchr(units, toupper((unsigned char)*end));
		if (!unit)
			return false;
		shift = 10 * (unit - units) + 1;
	}
	if (number > ~0ULL >> shift)
		return false;
	*sectors = number << shift;
	return true;
}

const char *text_size(u64 sectors, char *to)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double size = sectors / 2.0;
	unsigned int unit = 0;

	while (size >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		size /= 1024;
		unit++;
	}
	snprintf(to, TEXT_BYTES, size == (u64)size ? "%.0f %s" : "%.2f %s", size, units[unit]);
	return to;
}

const char *text_uuid(const u8 *uuid, char *to)
{
	static const char hex[] = "0123456789abcdef";
	unsigned int i;
	char *at = to;

	for (i = 0; i < RAIDX_UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		*at++ = hex[uuid[i] >> 4];
		*at++ = hex[uuid[i] & 15];
	}
	*at = 0;
	return to;
}

bool text_to_uuid(const char *word, u8 *uuid)
{
	unsigned int i, nr = 0;

	memset(uuid, 0, RAIDX_UUID_BYTES);
	for (i = 0; word[i]; i++) {
		int c = tolower((unsigned char)word[i]);

		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (c != '-')
				return false;
			continue;
		}
		if (!isxdigit(c) || nr == 2 * RAIDX_UUID_BYTES)
			return false;
		uuid[nr / 2] |= (isdigit(c) ? c - '0' : c - 'a' + 10) << (nr % 2 ? 0 : 4);
		nr++;
	}
	return nr == 2 * RAIDX_UUID_BYTES;
}

const char *text_time(u64 seconds, char *to)
{
	time_t when = seconds;
	struct tm tm;

	if (!seconds || seconds > 1ULL << 40 || !localtime_r(&when, &tm) ||
	    !strftime(to, TEXT_BYTES, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(to, TEXT_BYTES, "unknown");
	return to;
}

const char *text_name(const u8 *name, size_t bytes, char *to)
{
	size_t i;

	for (i = 0; i < bytes && i < TEXT_BYTES - 1 && name[i]; i++)
		to[i] = isprint(name[i]) ? name[i] : '?';
	to[i] = 0;
	return to;
}

const char *text_level(u8 level)
{
	return level == RAIDX_LEVEL_TABLE ? "table" : raidx_level_name(level);
}

u8 text_to_level(const char *word)
{
	u8 level;

	for (level = RAIDX_LEVEL_RAID0; level <= RAIDX_LEVEL_TSS; level++)
		if (!strcmp(word, raidx_level_name(level)))
			return level;
	return RAIDX_LEVEL_NONE;
}

const char *text_slot_state(u8 state)
{
	static const char *const names[RAIDX_NR_SLOT_STATES] = {
		[RAIDX_SLOT_EMPTY] = "empty",
		[RAIDX_SLOT_IN_SYNC] = "in_sync",
		[RAIDX_SLOT_CATCHING_UP] = "catching_up",
		[RAIDX_SLOT_FAILED] = "failed",
		[RAIDX_SLOT_SPARE] = "spare",
	};

	return state < RAIDX_NR_SLOT_STATES ? names[state] : "unknown";
}
