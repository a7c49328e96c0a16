// SPDX-License-Identifier: GPL-2.0-only
/* raidxctl watch: status, again and again. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "command.h"
#include "options.h"
#include "status.h"
#include "text.h"

static int act(const struct mapped *mapped, const struct status_line *line)
{
	status_print(mapped, line);
	return status_exit(line);
}

int command_watch(int argc, char **argv)
{
	u64 interval = 1, count = 0, round;
	const struct option_spec specs[] = {
		{ "interval", OPTION_NUMBER, &interval },
		{ "count", OPTION_NUMBER, &count },
	};
	int nr = OPTIONS_PARSE(argc, argv, specs), ret = EXIT_GOOD;
	bool terminal = isatty(STDOUT_FILENO);
	char now[TEXT_BYTES];

	if (nr < 0)
		return EXIT_WORSE;
	if (interval < 1 || interval > 86400) {
		complain("--interval: from 1 to 86400 seconds");
		return EXIT_WORSE;
	}
	for (round = 0; !count || round < count; round++) {
		if (round)
			sleep(interval);
		if (terminal)
			printf("\033[H\033[J");
		printf("%s\n", text_time(time(NULL), now));
		ret = status_for_each(nr, argv, act);
		fflush(stdout);
		if (ferror(stdout))
			break;
	}
	return ret;
}
