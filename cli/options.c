// SPDX-License-Identifier: GPL-2.0-only
/* Options of a command. */
#include <string.h>
#include "options.h"
#include "text.h"

static const struct option_spec *find(const struct option_spec *specs, unsigned int nr, const char *name, size_t length)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (strlen(specs[i].name) == length && !memcmp(specs[i].name, name, length))
			return &specs[i];
	return NULL;
}

static bool take(const struct option_spec *spec, const char *value)
{
	switch (spec->kind) {
	case OPTION_WORD:
		*(const char **)spec->to = value;
		return true;
	case OPTION_NUMBER:
		if (text_to_number(value, spec->to))
			return true;
		complain("--%s: %s is not a number", spec->name, value);
		return false;
	default:
		if (text_to_sectors(value, spec->to))
			return true;
		complain("--%s: %s is not a size with a unit (s, K, M, G, T, P)", spec->name, value);
		return false;
	}
}

int options_parse(int argc, char **argv, const struct option_spec *specs, unsigned int nr)
{
	bool options_ended = false;
	int words = 0, i;

	for (i = 0; i < argc; i++) {
		const struct option_spec *spec;
		char *word = argv[i], *value;

		if (options_ended || word[0] != '-' || !word[1]) {
			argv[words++] = word;
			continue;
		}
		if (!strcmp(word, "--")) {
			options_ended = true;
			continue;
		}
		value = strchr(word, '=');
		spec = word[1] != '-' ? NULL : find(specs, nr, word + 2, value ? (size_t)(value - word - 2) : strlen(word + 2));
		if (!spec) {
			complain("no such option here: %s", word);
			return -1;
		}
		if (spec->kind == OPTION_FLAG) {
			if (value) {
				complain("--%s: takes no value", spec->name);
				return -1;
			}
			*(bool *)spec->to = true;
			continue;
		}
		value = value ? value + 1 : argv[++i];
		if (i >= argc) {
			complain("--%s: its value is missing", spec->name);
			return -1;
		}
		if (!take(spec, value))
			return -1;
	}
	return words;
}
