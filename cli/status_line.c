// SPDX-License-Identifier: GPL-2.0-only
/* The status line of a raidx device, taken apart. */
#include <string.h>
#include "status_line.h"
#include "text.h"

/* The next word of *@text, at most @size - 1 characters; false = there is none, or it is too long. */
static bool next_word(const char **text, char *to, size_t size)
{
	const char *start = *text + strspn(*text, " ");
	size_t length = strcspn(start, " ");

	if (!length || length >= size)
		return false;
	memcpy(to, start, length);
	to[length] = 0;
	*text = start + length;
	return true;
}

static bool split_share(const char *word, u64 *used, u64 *total)
{
	const char *slash = strchr(word, '/');
	char first[32];

	if (!slash || (size_t)(slash - word) >= sizeof(first))
		return false;
	memcpy(first, word, slash - word);
	first[slash - word] = 0;
	return text_to_number(first, used) && text_to_number(slash + 1, total);
}

static const char *parse_pairs(const char *text, struct status_line *line)
{
	char word[sizeof(struct status_pair)];

	while (text[strspn(text, " ")]) {
		struct status_pair *pair = &line->pair[line->nr_pairs];
		char *equals;

		if (line->nr_pairs == STATUS_MOST_PAIRS)
			return NULL;	/* those of a later version */
		if (!next_word(&text, word, sizeof(word)))
			return "status: a word is too long";
		equals = strchr(word, '=');
		if (!equals || (size_t)(equals - word) >= sizeof(pair->key) || strlen(equals + 1) >= sizeof(pair->value))
			return "status: a word is not key=value";
		*equals = 0;
		strcpy(pair->key, word);
		strcpy(pair->value, equals + 1);
		line->nr_pairs++;
	}
	return NULL;
}

const char *status_line_parse(const char *text, struct status_line *line)
{
	char word[64];

	memset(line, 0, sizeof(*line));
	if (!next_word(&text, line->level, sizeof(line->level)))
		return "status: there is no level";
	if (!next_word(&text, word, sizeof(word)) || !text_to_number(word, &line->nr_slots) ||
	    line->nr_slots > RAIDX_MAX_MEMBERS)
		return "status: there is no number of members";
	if (!next_word(&text, line->health, sizeof(line->health)) || strlen(line->health) != line->nr_slots)
		return "status: there is not a letter for each member";
	if (!next_word(&text, word, sizeof(word)) || !split_share(word, &line->done, &line->total))
		return "status: there is no done/total";
	if (!next_word(&text, line->action, sizeof(line->action)))
		return "status: there is no action";
	if (!next_word(&text, word, sizeof(word)) || !text_to_number(word, &line->mismatches))
		return "status: there is no number of mismatches";
	return parse_pairs(text, line);
}

const char *status_line_value(const struct status_line *line, const char *key)
{
	unsigned int i;

	for (i = 0; i < line->nr_pairs; i++)
		if (!strcmp(line->pair[i].key, key))
			return line->pair[i].value;
	return "";
}

u64 status_line_number(const struct status_line *line, const char *key)
{
	u64 number;

	return text_to_number(status_line_value(line, key), &number) ? number : 0;
}

bool status_line_share(const struct status_line *line, const char *key, u64 *used, u64 *total)
{
	return split_share(status_line_value(line, key), used, total);
}
