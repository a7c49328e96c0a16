/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages and tunables. */
#ifndef RAIDX_MESSAGE_H
#define RAIDX_MESSAGE_H

#include <raidx/set.h>

/**
 * struct raidx_tunable - one number of struct raidx_disk_tunables.
 * @name: key of the message and name in sysfs.
 * @offset: in struct raidx_disk_tunables.
 * @bytes: 1 or 4.
 * @in_tss: has a file in sysfs tss/.
 * @most: largest value.
 */
struct raidx_tunable {
	const char *name;
	u16 offset;
	u8 bytes;
	bool in_tss;
	u32 most;
};

extern const struct raidx_tunable raidx_tunables[];
extern const unsigned int raidx_nr_tunables;

/* Present value; 0 = the default. */
u32 raidx_tunable_get(const struct raidx_set *set, const struct raidx_tunable *tunable);

/*
 * raidx_tunable_set() - change a tunable, keep it in the superblocks, tell the level.
 * @set: the set.
 * @key: its name ("policy" too).
 * @value: as a word.
 * @error: result: a static sentence.
 *
 * Context: process, no lock held, waits for I/O.
 */
int raidx_tunable_set(struct raidx_set *set, const char *key, const char *value, const char **error);

/**
 * raidx_message() - a dm message.
 * @set: the set.
 * @argc: words.
 * @argv: the words.
 * @result: text for the sender.
 * @maxlen: room there.
 *
 * Return: 0; 1 when there is text in @result; -errno (what is wrong was logged).
 */
int raidx_message(struct raidx_set *set, unsigned int argc, char **argv, char *result, unsigned int maxlen);

#endif /* RAIDX_MESSAGE_H */
