/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RAIDXCTL_COMPLAIN_H
#define RAIDXCTL_COMPLAIN_H

/* Say what is wrong, on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* RAIDXCTL_COMPLAIN_H */
