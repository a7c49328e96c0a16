/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of a command: --name, --name VALUE or --name=VALUE, anywhere among its words. */
#ifndef RAIDXCTL_OPTIONS_H
#define RAIDXCTL_OPTIONS_H

enum option_kind {
	OPTION_FLAG,		/* bool */
	OPTION_WORD,		/* const char * */
	OPTION_NUMBER,		/* u64 */
	OPTION_SECTORS,		/* u64, given as a size with a unit */
};

/**
 * struct option_spec - an option that a command knows.
 * @name: without the dashes.
 * @kind: what follows it.
 * @to: where it goes.
 */
struct option_spec {
	const char *name;
	enum option_kind kind;
	void *to;
};

/*
 * Take the options out of @argv; what is left moves to its front.
 * Return: number of words left; -1 when something is wrong, which was said.
 */
int options_parse(int argc, char **argv, const struct option_spec *specs, unsigned int nr);

#define OPTIONS_PARSE(argc, argv, specs) options_parse(argc, argv, specs, sizeof(specs) / sizeof((specs)[0]))

#endif /* RAIDXCTL_OPTIONS_H */
