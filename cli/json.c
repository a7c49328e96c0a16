// SPDX-License-Identifier: GPL-2.0-only
/* JSON on stdout.  State: how deep we are, and whether a comma is due. */
#include <stdio.h>
#include "json.h"

static unsigned int depth;
static bool comma;

/* Names come from disks: only ASCII goes out as it is. */
static void put_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void put_key(const char *key)
{
	if (comma)
		putchar(',');
	if (depth)
		printf("\n%*s", 2 * depth, "");
	if (key) {
		put_string(key);
		fputs(": ", stdout);
	}
	comma = true;
}

void json_begin(const char *key, char kind)
{
	put_key(key);
	putchar(kind);
	depth++;
	comma = false;
}

void json_end(char kind)
{
	depth--;
	if (comma)
		printf("\n%*s", 2 * depth, "");
	putchar(kind == '{' ? '}' : ']');
	comma = true;
	if (!depth) {
		putchar('\n');
		comma = false;
	}
}

void json_text(const char *key, const char *text)
{
	put_key(key);
	put_string(text);
}

void json_number(const char *key, u64 number)
{
	put_key(key);
	printf("%llu", (unsigned long long)number);
}

void json_bool(const char *key, bool value)
{
	put_key(key);
	fputs(value ? "true" : "false", stdout);
}
