// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power cuts of groups of disks at one instant, at once or when a certain command comes.
 *
 * A cut has two halves. First every disk of the group is frozen: from then on it acknowledges nothing, fails nothing and
 * executes nothing. Only when all are frozen do they lose what is volatile and fail their commands. So no host can see one
 * disk fail and still write to another one: what a disk did between the freeze of the first and of the last is what it did
 * before the instant of the cut, which is the freeze of the last one.
 *
 * The trigger counts writes, discards and flushes on their way into the disks. The one that brings the count to zero is
 * executed, but not acknowledged: it is in flight when the power fails. The counter freezes its disk, sim_cut_fire() the
 * others, still in the submitter's context; the second half is done by a worker.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "cut.h"
#include "disk.h"

enum cut_state { CUT_IDLE, CUT_ARMED, CUT_CUTTING, CUT_DONE };

DEFINE_MUTEX(sim_cut_mutex);	/* power of all disks, arming */
atomic64_t sim_cut_left = ATOMIC64_INIT(0);

static enum cut_state state;	/* written by the holder of sim_cut_mutex, or by the one that the trigger made the only one */
static u64 cut_seed;		/* of the trigger, or of the last cut */
static DECLARE_WAIT_QUEUE_HEAD(state_wait);

static void set_state(enum cut_state next)
{
	WRITE_ONCE(state, next);
	wake_up_all(&state_wait);
}

/* Second half for all disks of the group. sim_cut_mutex held, which keeps the list as it is. */
static void finish_cut(u64 seed)
{
	struct sim_disk *disk;

	list_for_each_entry(disk, &sim_disks, node) {
		if (!disk->in_cut)
			continue;
		sim_disk_lose_power(disk, seed);
		disk->in_cut = false;
	}
	cut_seed = seed;
	set_state(CUT_DONE);
}

static void finish_triggered_cut(struct work_struct *work)
{
	mutex_lock(&sim_cut_mutex);
	if (state == CUT_CUTTING)
		finish_cut(cut_seed);
	mutex_unlock(&sim_cut_mutex);
}

static DECLARE_WORK(cut_work, finish_triggered_cut);

/* ---- choosing disks; sim_cut_mutex held ---- */

static struct sim_disk *find_disk(const char *name)
{
	struct sim_disk *disk;

	list_for_each_entry(disk, &sim_disks, node)
		if (!strcmp(config_item_name(&disk->item), name))
			return disk;
	return NULL;
}

/* Mark the disks that @names lists, or all; NULL marks none. */
static int choose(char *names, void (*mark)(struct sim_disk *disk, bool chosen))
{
	struct sim_disk *disk;
	bool any = false;
	char *name;

	list_for_each_entry(disk, &sim_disks, node)
		mark(disk, false);
	while ((name = strsep(&names, " \t\n"))) {
		if (!*name)
			continue;
		any = true;
		disk = find_disk(name);
		if (!disk)
			return -ENOENT;
		mark(disk, true);
	}
	if (!any)
		list_for_each_entry(disk, &sim_disks, node)
			mark(disk, true);
	return 0;
}

static void mark_cut(struct sim_disk *disk, bool chosen)
{
	disk->in_cut = chosen;
}

static void mark_trigger(struct sim_disk *disk, bool chosen)
{
	disk->in_trigger = chosen;
	WRITE_ONCE(disk->counts, chosen);
}

static char *next_word(char **text)
{
	char *word;

	while ((word = strsep(text, " \t\n")))
		if (*word)
			return word;
	return NULL;
}

static int next_number(char **text, u64 *number)
{
	char *word = next_word(text);

	return word ? kstrtou64(word, 0, number) : -EINVAL;
}

/* ---- cutting ---- */

static void disarm(void)
{
	atomic64_set(&sim_cut_left, 0);
	flush_work(&cut_work);
}

int sim_cut_now(const char *text)
{
	char *copy = kstrdup(text, GFP_KERNEL), *rest = copy;
	struct sim_disk *disk;
	u64 seed;
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = next_number(&rest, &seed);
	if (ret)
		goto out;
	disarm();
	mutex_lock(&sim_cut_mutex);
	ret = choose(rest, mark_cut);
	if (!ret) {
		set_state(CUT_CUTTING);
		list_for_each_entry(disk, &sim_disks, node)
			if (disk->in_cut)
				sim_disk_freeze(disk);
		finish_cut(seed);
	}
	mutex_unlock(&sim_cut_mutex);
out:
	kfree(copy);
	return ret;
}

void sim_cut_disk(struct sim_disk *disk, u64 seed)
{
	mutex_lock(&sim_cut_mutex);
	if (disk->gendisk) {
		sim_disk_freeze(disk);
		sim_disk_lose_power(disk, seed);
	}
	mutex_unlock(&sim_cut_mutex);
}

bool sim_cut_count(struct sim_disk *disk)
{
	if (!READ_ONCE(disk->counts) || atomic64_dec_if_positive(&sim_cut_left))
		return false;
	disk->halted |= SIM_HALT_FROZEN;
	return true;
}

void sim_cut_fire(void)
{
	struct sim_disk *disk;
	unsigned long flags;

	spin_lock_irqsave(&sim_disks_lock, flags);
	list_for_each_entry(disk, &sim_disks, node) {
		if (!disk->in_trigger)
			continue;
		disk->in_cut = true;
		sim_disk_freeze(disk);
	}
	spin_unlock_irqrestore(&sim_disks_lock, flags);
	WRITE_ONCE(state, CUT_CUTTING);
	schedule_work(&cut_work);
}

int sim_cut_arm(const char *text, bool match)
{
	char *copy = kstrdup(text, GFP_KERNEL), *rest = copy, *counted = NULL;
	struct sim_disk *disk, *only = NULL;
	u64 count, seed = 0;
	int ret;

	if (!copy)
		return -ENOMEM;
	disarm();
	mutex_lock(&sim_cut_mutex);
	ret = -EINVAL;
	if (match && !sysfs_streq(text, "0")) {
		counted = next_word(&rest);
		if (!counted)
			goto out;
		only = find_disk(counted);
		ret = -ENOENT;
		if (!only)
			goto out;
	}
	ret = next_number(&rest, &count);
	if (!ret && count)
		ret = next_number(&rest, &seed);
	if (ret)
		goto out;
	if (!count) {
		set_state(CUT_IDLE);
		goto out;
	}
	ret = count > S64_MAX ? -EINVAL : choose(rest, mark_trigger);
	if (ret)
		goto out;
	if (only) {
		list_for_each_entry(disk, &sim_disks, node)
			WRITE_ONCE(disk->counts, disk == only);
		only->in_trigger = true;
	}
	cut_seed = seed;
	set_state(CUT_ARMED);
	atomic64_set_release(&sim_cut_left, count);	/* the marks are seen first */
out:
	mutex_unlock(&sim_cut_mutex);
	kfree(copy);
	return ret;
}

int sim_cut_power(const char *text)
{
	char *copy = kstrdup(text, GFP_KERNEL), *rest = copy;
	struct sim_disk *disk;
	u64 on;
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = next_number(&rest, &on);
	if (!ret && on > 1)
		ret = -EINVAL;
	if (ret)
		goto out;
	flush_work(&cut_work);
	mutex_lock(&sim_cut_mutex);
	ret = choose(rest, mark_cut);
	list_for_each_entry(disk, &sim_disks, node) {
		if (!ret && disk->in_cut)
			sim_disk_halt(disk, on ? 0 : SIM_HALT_OFF, on ? SIM_HALT_OFF : 0);
		disk->in_cut = false;
	}
	mutex_unlock(&sim_cut_mutex);
out:
	kfree(copy);
	return ret;
}

ssize_t sim_cut_show(char *page)
{
	switch (READ_ONCE(state)) {
	case CUT_ARMED:
		return sprintf(page, "armed %lld\n", (long long)atomic64_read(&sim_cut_left));
	case CUT_CUTTING:
		return sprintf(page, "cutting\n");
	case CUT_DONE:
		return sprintf(page, "cut %llu\n", (unsigned long long)cut_seed);
	default:
		return sprintf(page, "idle\n");
	}
}

static bool is_settled(void)
{
	enum cut_state now = READ_ONCE(state);

	return now == CUT_IDLE || now == CUT_DONE;
}

int sim_cut_wait(void)
{
	return wait_event_interruptible(state_wait, is_settled());
}

void sim_cut_module_exit(void)
{
	cancel_work_sync(&cut_work);
}
