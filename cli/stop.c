// SPDX-License-Identifier: GPL-2.0-only
/* raidxctl stop. */
#include <stdio.h>
#include <stdlib.h>
#include "command.h"
#include "mapped.h"
#include "options.h"
#include "text.h"

static int stop(const char *word)
{
	struct mapped mapped;
	int ret = EXIT_BAD;

	if (!mapped_find(word, &mapped))
		return EXIT_BAD;
	if (mapped.open_count > 0)
		complain("%s: is in use, opened %d time%s", mapped.name, mapped.open_count,
			 mapped.open_count > 1 ? "s" : "");
	else if (mapped_remove(mapped.name))
		ret = EXIT_GOOD;
	if (ret == EXIT_GOOD)
		printf("%s: stopped\n", mapped.name);
	mapped_free(&mapped);
	return ret;
}

int command_stop(int argc, char **argv)
{
	bool all = false;
	const struct option_spec specs[] = { { "all", OPTION_FLAG, &all } };
	int nr = OPTIONS_PARSE(argc, argv, specs), ret = EXIT_GOOD, i;
	unsigned int found = 0, k;
	char **list;

	if (nr < 0 || all == (nr > 0)) {
		if (nr >= 0)
			complain("stop: takes names or --all");
		return EXIT_WORSE;
	}
	for (i = 0; i < nr; i++)
		if (stop(argv[i]) != EXIT_GOOD)
			ret = EXIT_BAD;
	list = all ? mapped_list(&found) : NULL;
	for (k = 0; k < found; k++) {
		if (stop(list[k]) != EXIT_GOOD)
			ret = EXIT_BAD;
		free(list[k]);
	}
	free(list);
	return ret;
}
