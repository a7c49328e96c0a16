/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says while we ask it for something. */
#ifndef RAIDXCTL_KMSG_H
#define RAIDXCTL_KMSG_H

/* Remember where the kernel's log ends now. Return: to be given to the others. */
int kmsg_mark(void);
/* Print, on stderr, what raidx said since the mark; forgets the mark. Return: sentences printed. */
unsigned int kmsg_show(int mark);
void kmsg_forget(int mark);

#endif /* RAIDXCTL_KMSG_H */
