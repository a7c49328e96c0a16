// SPDX-License-Identifier: GPL-2.0-only
/* raidxctl: administers raidx sets.  This file finds the command; each has a file of its own. */
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "text.h"

#define VERSION "1.0"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;
	const char *help;
} commands[] = {
	{ "create", command_create, "LEVEL --name NAME [OPTION...] DEVICE...", "make a new set and start it" },
	{ "assemble", command_assemble, "[--set NAME|UUID] [--name NAME] [--degraded] [--force] [DEVICE...]",
	  "find the members of sets and start them" },
	{ "stop", command_stop, "NAME... | --all", "stop sets" },
	{ "status", command_status, "[--json] [NAME...]", "how sets are" },
	{ "detail", command_detail, "[--json] NAME...", "all that is known of running sets" },
	{ "examine", command_examine, "[--json] DEVICE...", "superblocks of devices" },
	{ "size", command_size, "LEVEL [OPTION...] DEVICE|SIZE|NxSIZE...", "what a set of these would offer" },
	{ "set", command_set, "NAME KEY VALUE", "change a tunable" },
	{ "migrate", command_migrate, "[--wait] NAME FIRST COUNT LEVEL", "move logical stripes to a level" },
	{ "destage", command_destage, "[--wait] NAME", "write what is in the log to its home" },
	{ "fail", command_fail, "NAME SLOT", "stop using a member" },
	{ "stats", command_stats, "NAME [reset]", "counters of a pool" },
	{ "heat", command_heat, "[--json] [--reads|--writes] NAME", "picture of stripes by level and temperature" },
	{ "watch", command_watch, "[--interval SECONDS] [--count N] [NAME...]", "status, again and again" },
	{ "check", command_check, "[--json] [--quick] [--data] [DEVICE...]", "is a stopped set consistent?" },
};

static const char *const later[] = { "add", "remove", "replace", "scrub", "metadata", "monitor" };

static void print_help(FILE *to)
{
	unsigned int i;

	fprintf(to, "Usage: raidxctl COMMAND [OPTION...] [ARGUMENT...]\n\n");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(to, "  %-9s %s\n            %s\n", commands[i].name, commands[i].usage, commands[i].help);
	fprintf(to, "\nSizes have a unit: s (sectors of 512 bytes), K, M, G, T or P.  See raidxctl(8).\n");
}

static int run(const struct command *command, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			printf("Usage: raidxctl %s %s\n", command->name, command->usage);
			return EXIT_GOOD;
		}
	return command->run(argc, argv);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_WORSE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help(stdout);
		return EXIT_GOOD;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("raidxctl %s\n", VERSION);
		return EXIT_GOOD;
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return run(&commands[i], argc - 2, argv + 2);
	for (i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		if (!strcmp(argv[1], later[i])) {
			complain("%s is not in this version", later[i]);
			return EXIT_WORSE;
		}
	complain("no such command: %s", argv[1]);
	return EXIT_WORSE;
}
