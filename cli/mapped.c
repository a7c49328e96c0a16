// SPDX-License-Identifier: GPL-2.0-only
/* Mapped devices, through libdevmapper. */
#include <errno.h>
#include <libdevmapper.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "complain.h"
#include "kmsg.h"
#include "mapped.h"

static char library_said[512];

/* What the library has to say is shown only when nobody knows better. */
static void keep_log(int level, const char *file, int line, int error, const char *format, ...)
{
	va_list args;

	(void)file;
	(void)line;
	(void)error;
	if (level > 3)	/* beyond an error */
		return;
	va_start(args, format);
	vsnprintf(library_said, sizeof(library_said), format, args);
	va_end(args);
}

static struct dm_task *task_new(int type, const char *name)
{
	static bool ready;
	struct dm_task *task;

	if (!ready) {
		dm_log_with_errno_init(keep_log);
		dm_udev_set_sync_support(0);
		dm_udev_set_checking(0);
		ready = true;
	}
	library_said[0] = 0;
	task = dm_task_create(type);
	if (task && name && !dm_task_set_name(task, name)) {
		dm_task_destroy(task);
		return NULL;
	}
	return task;
}

/* Run and destroy a task; 0 or -errno. */
static int task_end(struct dm_task *task)
{
	int ret;

	if (!task)
		return -EINVAL;
	ret = dm_task_run(task) ? 0 : -dm_task_get_errno(task);
	if (!ret && dm_task_get_errno(task) == ENXIO)
		ret = -ENXIO;
	dm_task_destroy(task);
	return ret;
}

const char *mapped_name(const char *word)
{
	static const char prefix[] = "/dev/mapper/";

	return strncmp(word, prefix, sizeof(prefix) - 1) ? word : word + sizeof(prefix) - 1;
}

/* Text of the only target, which must be ours: NULL with *ret. */
static char *target_text(int type, const char *name, struct mapped *mapped, int *ret)
{
	struct dm_task *task = task_new(type, name);
	char *target = NULL, *text = NULL, *copy = NULL;
	uint64_t start, length = 0;
	struct dm_info info;

	*ret = -ENOMEM;
	if (!task)
		return NULL;
	dm_task_no_flush(task);
	if (!dm_task_run(task) || !dm_task_get_info(task, &info)) {
		*ret = -(dm_task_get_errno(task) ? dm_task_get_errno(task) : EIO);
	} else if (!info.exists) {
		*ret = -ENODEV;
	} else {
		dm_get_next_target(task, NULL, &start, &length, &target, &text);
		*ret = -EINVAL;
		if (target && !strcmp(target, "raidx")) {
			copy = strdup(text ? text : "");
			*ret = copy ? 0 : -ENOMEM;
		}
		mapped->length = length;
		mapped->major = info.major;
		mapped->minor = info.minor;
		mapped->open_count = info.open_count;
		mapped->event = info.event_nr;
		mapped->suspended = info.suspended;
		mapped->read_only = info.read_only;
	}
	if (*ret == -ENXIO)
		*ret = -ENODEV;
	dm_task_destroy(task);
	return copy;
}

int mapped_get(const char *name, struct mapped *mapped)
{
	int ret;

	memset(mapped, 0, sizeof(*mapped));
	snprintf(mapped->name, sizeof(mapped->name), "%s", name);
	mapped->table = target_text(DM_DEVICE_TABLE, name, mapped, &ret);
	if (!ret)
		mapped->status = target_text(DM_DEVICE_STATUS, name, mapped, &ret);
	if (ret)
		mapped_free(mapped);
	return ret;
}

void mapped_free(struct mapped *mapped)
{
	free(mapped->status);
	free(mapped->table);
	mapped->status = NULL;
	mapped->table = NULL;
}

bool mapped_find(const char *word, struct mapped *mapped)
{
	const char *name = mapped_name(word);
	int ret = mapped_get(name, mapped);

	if (ret == -ENODEV)
		complain("%s: there is no such mapped device", name);
	else if (ret == -EINVAL)
		complain("%s: is not a raidx device", name);
	else if (ret)
		complain("%s: %s", name, library_said[0] ? library_said : strerror(-ret));
	return !ret;
}

char **mapped_list(unsigned int *nr)
{
	struct dm_task *task = task_new(DM_DEVICE_LIST, NULL);
	struct dm_names *names;
	char **list = NULL, **longer;

	*nr = 0;
	if (!task)
		return NULL;
	names = dm_task_run(task) ? dm_task_get_names(task) : NULL;
	if (!names)
		complain("device-mapper does not answer: %s", library_said);
	while (names && names->dev) {
		struct mapped mapped;

		if (!mapped_get(names->name, &mapped)) {
			longer = realloc(list, (*nr + 1) * sizeof(*list));
			if (longer) {
				list = longer;
				list[*nr] = strdup(names->name);
				*nr += !!list[*nr];
			}
			mapped_free(&mapped);
		}
		if (!names->next)
			break;
		names = (void *)((char *)names + names->next);
	}
	dm_task_destroy(task);
	return list;
}

static int load(const char *name, uint64_t length, const char *line, bool read_only)
{
	struct dm_task *task = task_new(DM_DEVICE_RELOAD, name);

	if (!task)
		return -ENOMEM;
	if (!dm_task_add_target(task, 0, length, "raidx", line) || (read_only && !dm_task_set_ro(task))) {
		dm_task_destroy(task);
		return -ENOMEM;
	}
	return task_end(task);
}

/* Remove without a word. */
static int drop(const char *name)
{
	struct dm_task *task = task_new(DM_DEVICE_REMOVE, name);
	int ret;

	if (task)
		dm_task_retry_remove(task);
	ret = task_end(task);
	dm_task_update_nodes();
	return ret;
}

/* The kernel's own words; ours when it has none. */
static void say_why(int mark, const char *name, const char *what, int error)
{
	char said[sizeof(library_said)];

	snprintf(said, sizeof(said), "%s", library_said);
	if (!kmsg_show(mark) && said[0])
		complain("%s", said);
	complain("%s: %s: %s", name, what, strerror(-error));
}

bool mapped_create(const char *name, uint64_t length, const char *line, bool read_only)
{
	int mark = kmsg_mark();
	int ret = task_end(task_new(DM_DEVICE_CREATE, name));
	const char *what = "cannot be made";

	if (ret) {
		if (ret == -EBUSY)
			complain("%s: there is a mapped device of that name", name);
		say_why(mark, name, what, ret);
		return false;
	}
	what = "its table was refused";
	ret = load(name, length, line, read_only);
	if (!ret) {
		what = "it does not start";
		ret = task_end(task_new(DM_DEVICE_RESUME, name));
	}
	if (ret) {
		say_why(mark, name, what, ret);
		drop(name);
		return false;
	}
	kmsg_forget(mark);
	dm_task_update_nodes();
	return true;
}

bool mapped_remove(const char *name)
{
	int mark = kmsg_mark();
	int ret = drop(name);

	if (!ret) {
		kmsg_forget(mark);
		return true;
	}
	say_why(mark, name, ret == -EBUSY ? "is in use" : "cannot be removed", ret);
	return false;
}

bool mapped_message(const char *name, const char *message, char **response)
{
	int mark = kmsg_mark();
	struct dm_task *task = task_new(DM_DEVICE_TARGET_MSG, name);
	const char *text;
	int ret = -ENOMEM;

	*response = NULL;
	if (task && dm_task_set_sector(task, 0) && dm_task_set_message(task, message)) {
		ret = dm_task_run(task) ? 0 : -(dm_task_get_errno(task) ? dm_task_get_errno(task) : EIO);
		text = ret ? NULL : dm_task_get_message_response(task);
		if (text)
			*response = strdup(text);
	}
	if (task)
		dm_task_destroy(task);
	if (ret)
		say_why(mark, name, "the message was refused", ret);
	else
		kmsg_forget(mark);
	return !ret;
}
