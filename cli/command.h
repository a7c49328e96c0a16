/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of raidxctl.  Each takes the words after its name and returns an exit code. */
#ifndef RAIDXCTL_COMMAND_H
#define RAIDXCTL_COMMAND_H

/* As mdadm's. */
enum exit_code {
	EXIT_GOOD = 0,		/* done; what was asked about is in order */
	EXIT_BAD = 1,		/* it did not succeed; what was asked about is damaged or degraded, but works */
	EXIT_WORSE = 2,		/* wrong usage; what was asked about does not work */
};

int command_create(int argc, char **argv);
int command_assemble(int argc, char **argv);
int command_stop(int argc, char **argv);
int command_status(int argc, char **argv);
int command_detail(int argc, char **argv);
int command_examine(int argc, char **argv);
int command_size(int argc, char **argv);
int command_set(int argc, char **argv);
int command_migrate(int argc, char **argv);
int command_destage(int argc, char **argv);
int command_fail(int argc, char **argv);
int command_stats(int argc, char **argv);
int command_heat(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_check(int argc, char **argv);

#endif /* RAIDXCTL_COMMAND_H */
