// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel says while we ask it for something. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "complain.h"
#include "kmsg.h"

int kmsg_mark(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

void kmsg_forget(int mark)
{
	if (mark >= 0)
		close(mark);
}

/* The sentence alone: "device-mapper: raidx: X" and "device-mapper: table: 253:0: raidx: X (-EINVAL)" are both X. */
static const char *sentence_of(char *text)
{
	static const char prefix[] = "raidx: ";
	char *at = strstr(text, prefix), *end;

	end = strstr(text, " (-E");
	if (end && strstr(text, "device-mapper: table: "))
		*end = 0;
	return at ? at + sizeof(prefix) - 1 : text;
}

unsigned int kmsg_show(int mark)
{
	char record[8192], last[1024] = "";
	unsigned int shown = 0;
	ssize_t length;

	if (mark < 0)
		return 0;
	for (;;) {
		const char *sentence;
		char *text, *end;

		length = read(mark, record, sizeof(record) - 1);
		if (length < 0 && (errno == EPIPE || errno == EINTR))
			continue;	/* overrun: go on with what is left */
		if (length <= 0)
			break;
		record[length] = 0;
		text = strchr(record, ';');
		if (!text || !strstr(text, "raidx"))
			continue;
		end = strchr(++text, '\n');
		if (end)
			*end = 0;
		sentence = sentence_of(text);
		if (!strcmp(sentence, last))
			continue;
		snprintf(last, sizeof(last), "%s", sentence);
		complain("kernel: %s", sentence);
		shown++;
	}
	close(mark);
	return shown;
}
