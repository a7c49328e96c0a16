// SPDX-License-Identifier: GPL-2.0-only
/* raidxctl set, migrate, destage, fail, stats: messages to a running set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "mapped.h"
#include "options.h"
#include "status.h"
#include "text.h"

/* The words become a message as they are; the module judges them. */
static int send_words(const char *word, int nr, const char *const *words)
{
	char message[512] = "", *response, *at;
	struct mapped mapped;
	size_t used = 0;
	int i, ret;

	for (i = 0; i < nr; i++) {
		if (!*words[i] || strpbrk(words[i], " \t\n\\") || used + strlen(words[i]) + 2 > sizeof(message)) {
			complain("'%s': is no word of a message", words[i]);
			return EXIT_WORSE;
		}
		used += snprintf(message + used, sizeof(message) - used, "%s%s", i ? " " : "", words[i]);
	}
	if (!mapped_find(word, &mapped))
		return EXIT_WORSE;
	ret = mapped_message(mapped.name, message, &response) ? EXIT_GOOD : EXIT_BAD;
	for (at = response; at && *at; at++)
		if (*at == ' ')
			*at = '\n';
	if (response && *response)
		puts(response);
	free(response);
	mapped_free(&mapped);
	return ret;
}

int command_set(int argc, char **argv)
{
	int nr = options_parse(argc, argv, NULL, 0);

	if (nr < 0)
		return EXIT_WORSE;
	if (nr != 3) {
		complain("set: takes a name, a key and a value");
		return EXIT_WORSE;
	}
	return send_words(argv[0], 3, (const char *[]){ "set", argv[1], argv[2] });
}

static int send_and_wait(const char *name, int nr, const char *const *words, bool wait)
{
	int ret = send_words(name, nr, words);

	if (ret == EXIT_GOOD && wait)
		ret = status_wait(mapped_name(name));
	return ret;
}

int command_migrate(int argc, char **argv)
{
	bool wait = false;
	const struct option_spec specs[] = { { "wait", OPTION_FLAG, &wait } };
	int nr = OPTIONS_PARSE(argc, argv, specs);

	if (nr < 0)
		return EXIT_WORSE;
	if (nr != 4) {
		complain("migrate: takes a name, the first stripe, how many, and a level");
		return EXIT_WORSE;
	}
	return send_and_wait(argv[0], 4, (const char *[]){ "migrate", argv[1], argv[2], argv[3] }, wait);
}

int command_destage(int argc, char **argv)
{
	bool wait = false;
	const struct option_spec specs[] = { { "wait", OPTION_FLAG, &wait } };
	int nr = OPTIONS_PARSE(argc, argv, specs);

	if (nr < 0)
		return EXIT_WORSE;
	if (nr != 1) {
		complain("destage: takes a name");
		return EXIT_WORSE;
	}
	return send_and_wait(argv[0], 1, (const char *[]){ "destage" }, wait);
}

int command_fail(int argc, char **argv)
{
	int nr = options_parse(argc, argv, NULL, 0);

	if (nr < 0)
		return EXIT_WORSE;
	if (nr != 2) {
		complain("fail: takes a name and the number of a slot");
		return EXIT_WORSE;
	}
	return send_words(argv[0], 2, (const char *[]){ "fail", argv[1] });
}

int command_stats(int argc, char **argv)
{
	int nr = options_parse(argc, argv, NULL, 0);

	if (nr < 0)
		return EXIT_WORSE;
	if (nr < 1 || nr > 2 || (nr == 2 && strcmp(argv[1], "reset"))) {
		complain("stats: takes a name, and may be followed by reset");
		return EXIT_WORSE;
	}
	return send_words(argv[0], 1, (const char *[]){ nr == 2 ? "stats_reset" : "stats" });
}
