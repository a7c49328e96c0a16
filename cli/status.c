// SPDX-License-Identifier: GPL-2.0-only
/* raidxctl status: the module's status line for people and for programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "json.h"
#include "options.h"
#include "status.h"
#include "text.h"

#define WAIT_MS		250
#define IDLE_LOOKS	4	/* in a row: between two steps of its work the set may look idle */

int status_exit(const struct status_line *line)
{
	const char *mode = status_line_value(line, "mode");

	if (!strcmp(mode, "ok"))
		return EXIT_GOOD;
	return strcmp(mode, "failed") ? EXIT_BAD : EXIT_WORSE;
}

bool status_parse(const struct mapped *mapped, struct status_line *line)
{
	const char *error = status_line_parse(mapped->status, line);

	if (error)
		complain("%s: %s", mapped->name, error);
	return !error;
}

static void print_share(const struct status_line *line, const char *key)
{
	char a[TEXT_BYTES], b[TEXT_BYTES];
	u64 used, total;

	if (!status_line_share(line, key, &used, &total) || !total)
		return;
	printf("  %-10s%s of %s (%.0f %%)\n", key, text_size(used, a), text_size(total, b), 100.0 * used / total);
}

static void print_size(const struct status_line *line, const char *key, bool always)
{
	u64 sectors = status_line_number(line, key);
	char text[TEXT_BYTES];

	if (*status_line_value(line, key) && (sectors || always))
		printf("  %-10s%s\n", key, text_size(sectors, text));
}

void status_print(const struct mapped *mapped, const struct status_line *line)
{
	const char *wait = status_line_value(line, "wait");
	char text[TEXT_BYTES];

	printf("%s: %s, %s, %s [%s], %s%s\n", mapped->name, line->level, text_size(mapped->length, text),
	       status_line_value(line, "mode"), line->health, line->action, mapped->suspended ? ", suspended" : "");
	if (line->total)
		printf("  %-10s%llu of %llu (%.1f %%)\n", "done", (unsigned long long)line->done,
		       (unsigned long long)line->total, 100.0 * line->done / line->total);
	print_share(line, "log");
	print_share(line, "raid1");
	print_share(line, "raid5");
	print_share(line, "craid5");
	print_size(line, "free", true);
	print_size(line, "dirty", false);
	print_size(line, "lost", false);
	if (line->mismatches)
		printf("  %-10s%llu\n", "mismatches", (unsigned long long)line->mismatches);
	if (*status_line_value(line, "promoted"))
		printf("  %-10s%llu up, %llu down\n", "moved", (unsigned long long)status_line_number(line, "promoted"),
		       (unsigned long long)status_line_number(line, "demoted"));
	if (*wait && strcmp(wait, "none"))
		printf("  %-10s%s\n", "waits", wait);
}

static void print_pairs(const struct status_line *line)
{
	unsigned int i;

	for (i = 0; i < line->nr_pairs; i++) {
		const struct status_pair *pair = &line->pair[i];
		u64 used, total, number;

		if (status_line_share(line, pair->key, &used, &total)) {
			json_begin(pair->key, '{');
			json_number("used", used);
			json_number("total", total);
			json_end('{');
		} else if (text_to_number(pair->value, &number)) {
			json_number(pair->key, number);
		} else {
			json_text(pair->key, pair->value);
		}
	}
}

void status_print_json(const struct mapped *mapped, const struct status_line *line)
{
	json_text("name", mapped->name);
	json_number("major", mapped->major);
	json_number("minor", mapped->minor);
	json_number("length_sectors", mapped->length);
	json_bool("suspended", mapped->suspended);
	json_bool("read_only", mapped->read_only);
	json_number("dm_event", mapped->event);
	json_text("level", line->level);
	json_number("members", line->nr_slots);
	json_text("health", line->health);
	json_text("action", line->action);
	json_number("action_done", line->done);
	json_number("action_total", line->total);
	json_number("mismatches", line->mismatches);
	print_pairs(line);
}

static int act_on(const char *word, int (*act)(const struct mapped *mapped, const struct status_line *line))
{
	struct status_line line;
	struct mapped mapped;
	int ret = EXIT_WORSE;

	if (!mapped_find(word, &mapped))
		return EXIT_WORSE;
	if (status_parse(&mapped, &line))
		ret = act(&mapped, &line);
	mapped_free(&mapped);
	return ret;
}

int status_for_each(int nr, char **names, int (*act)(const struct mapped *mapped, const struct status_line *line))
{
	unsigned int found = 0, k;
	char **list = nr ? NULL : mapped_list(&found);
	int ret = EXIT_GOOD, i;

	for (i = 0; i < nr; i++)
		ret = max(ret, act_on(names[i], act));
	for (k = 0; k < found; k++) {
		ret = max(ret, act_on(list[k], act));
		free(list[k]);
	}
	free(list);
	return ret;
}

int status_wait(const char *name)
{
	bool terminal = isatty(STDERR_FILENO);
	unsigned int idle = 0;
	struct status_line line;
	struct mapped mapped;

	while (idle < IDLE_LOOKS) {
		usleep(WAIT_MS * 1000);
		if (!mapped_find(name, &mapped))
			return EXIT_BAD;
		if (!status_parse(&mapped, &line)) {
			mapped_free(&mapped);
			return EXIT_BAD;
		}
		mapped_free(&mapped);
		idle = strcmp(line.action, "idle") ? 0 : idle + 1;
		if (!terminal || idle)
			continue;
		fprintf(stderr, "\r%s: %s", name, line.action);
		if (line.total)
			fprintf(stderr, " %llu/%llu", (unsigned long long)line.done, (unsigned long long)line.total);
		fprintf(stderr, ", log %s\033[K", status_line_value(&line, "log"));
	}
	if (terminal)
		fprintf(stderr, "\r\033[K");
	return status_exit(&line);
}

static int act_human(const struct mapped *mapped, const struct status_line *line)
{
	status_print(mapped, line);
	return status_exit(line);
}

static int act_json(const struct mapped *mapped, const struct status_line *line)
{
	json_begin(NULL, '{');
	status_print_json(mapped, line);
	json_end('{');
	return status_exit(line);
}

int command_status(int argc, char **argv)
{
	bool json = false;
	const struct option_spec specs[] = { { "json", OPTION_FLAG, &json } };
	int nr = OPTIONS_PARSE(argc, argv, specs), ret;

	if (nr < 0)
		return EXIT_WORSE;
	if (json)
		json_begin(NULL, '[');
	ret = status_for_each(nr, argv, json ? act_json : act_human);
	if (json)
		json_end('[');
	return ret;
}
