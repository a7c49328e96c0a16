// SPDX-License-Identifier: GPL-2.0-only
/* raidxctl examine: both superblocks of a device; of a bad one, what is wrong with it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "json.h"
#include "member.h"
#include "options.h"
#include "text.h"

static bool is_zero(const void *data, size_t bytes)
{
	const u8 *at = data;

	while (bytes--)
		if (*at++)
			return false;
	return true;
}

/* More than the sentence of the check; "" = nothing to add. */
static const char *explain(const struct super_copy *copy, char *to)
{
	struct raidx_disk_super super = copy->super;
	u32 crc = le32_to_cpu(super.crc), known = RAIDX_FEATURE_INCOMPAT_KNOWN;

	to[0] = 0;
	if (is_zero(&super, sizeof(super))) {
		snprintf(to, TEXT_BYTES, "the block is all zero, or was not read");
	} else if (le32_to_cpu(super.magic) != RAIDX_SUPER_MAGIC) {
		snprintf(to, TEXT_BYTES, "it begins with %08x, not %08x", le32_to_cpu(super.magic), RAIDX_SUPER_MAGIC);
	} else {
		u32 computed;

		super.crc = 0;
		computed = raidx_crc32c(&super, sizeof(super));
		if (computed != crc)
			snprintf(to, TEXT_BYTES, "it says %08x, its content gives %08x", crc, computed);
		else if (le16_to_cpu(super.version) != RAIDX_FORMAT_VERSION)
			snprintf(to, TEXT_BYTES, "version %u of the format", le16_to_cpu(super.version));
		else if (le32_to_cpu(super.feature_incompat) & ~known)
			snprintf(to, TEXT_BYTES, "unknown bits %08x", le32_to_cpu(super.feature_incompat) & ~known);
	}
	return to;
}

static void print_copy(const char *which, const struct super_copy *copy, const struct member *member)
{
	bool used = !copy->error && member->best == &copy->super;
	char why[TEXT_BYTES];

	printf("  superblock %s, block %llu: ", which, (unsigned long long)copy->block);
	if (!copy->error) {
		printf("good, events %llu, checkpoint %llu%s\n", (unsigned long long)le64_to_cpu(copy->super.events),
		       (unsigned long long)le64_to_cpu(copy->super.checkpoint), used ? ", counts" : "");
		return;
	}
	explain(copy, why);
	printf("BAD: %s%s%s%s\n", copy->error, why[0] ? " (" : "", why, why[0] ? ")" : "");
}

static void print_slots(const struct raidx_disk_super *super)
{
	char size[TEXT_BYTES], uuid[TEXT_BYTES];
	unsigned int slot;

	for (slot = 0; slot < super->nr_slots; slot++) {
		const struct raidx_disk_slot *disk = &super->member[slot];

		printf("    slot %-2u %-11s %12s  %s%s\n", slot, text_slot_state(disk->state),
		       text_size(le64_to_cpu(disk->data_sectors), size), text_uuid(disk->member_uuid, uuid),
		       slot == super->slot ? "  this one" : "");
	}
}

static void print_super(const struct raidx_disk_super *super)
{
	u32 flags = le32_to_cpu(super->flags);
	char a[TEXT_BYTES], b[TEXT_BYTES];

	printf("  set      %s, %s\n", text_uuid(super->set_uuid, a), text_name(super->set_name, RAIDX_NAME_BYTES, b));
	printf("  member   %s, slot %u\n", text_uuid(super->member_uuid, a), super->slot);
	printf("  level    %s, parity %u, %u copies, %u slots, %u spares\n", text_level(super->level), super->parity,
	       super->copies, super->nr_slots, super->nr_spares);
	printf("  capacity %s (%llu sectors)\n", text_size(le64_to_cpu(super->length_sectors), a),
	       (unsigned long long)le64_to_cpu(super->length_sectors));
	printf("  chunk    %s", text_size(le32_to_cpu(super->chunk_sectors), a));
	printf(", stripe %s", text_size(le32_to_cpu(super->stripe_sectors), a));
	printf(", extent %s\n", text_size(le32_to_cpu(super->extent_sectors), a));
	printf("  log      %u segments of %s in %u lanes, from sector %llu\n", le32_to_cpu(super->nr_segments),
	       text_size(le32_to_cpu(super->segment_sectors), a), super->nr_lanes,
	       (unsigned long long)le64_to_cpu(super->log_start));
	printf("  data     from sector %llu\n", (unsigned long long)le64_to_cpu(super->data_start));
	printf("  history  events %llu, epoch %llu, checkpoint %llu, tail %llu, created %s\n",
	       (unsigned long long)le64_to_cpu(super->events), (unsigned long long)le64_to_cpu(super->epoch),
	       (unsigned long long)le64_to_cpu(super->checkpoint), (unsigned long long)le64_to_cpu(super->tail_seq),
	       text_time(le64_to_cpu(super->create_seconds), a));
	printf("  features compat %08x, ro-compat %08x, incompat %08x\n", le32_to_cpu(super->feature_compat),
	       le32_to_cpu(super->feature_ro_compat), le32_to_cpu(super->feature_incompat));
	printf("  flags    %s%s%s\n", flags & RAIDX_SUPER_CLEAN ? "clean " : "",
	       flags & RAIDX_SUPER_CREATING ? "creation has not finished" : "", flags ? "" : "none");
	if (super->absentees)
		printf("  absent   slots %llx (bits) at the start %s\n", (unsigned long long)le64_to_cpu(super->absentees),
		       text_uuid(super->start_id, a));
	print_slots(super);
}

static void json_copy(const char *key, const struct super_copy *copy, const struct member *member)
{
	char why[TEXT_BYTES];

	json_begin(key, '{');
	json_number("block", copy->block);
	json_bool("good", !copy->error);
	if (copy->error) {
		json_text("error", copy->error);
		json_text("why", explain(copy, why));
	} else {
		json_number("events", le64_to_cpu(copy->super.events));
		json_number("checkpoint", le64_to_cpu(copy->super.checkpoint));
		json_bool("counts", member->best == &copy->super);
	}
	json_end('{');
}

static void json_slots(const struct raidx_disk_super *super)
{
	char uuid[TEXT_BYTES];
	unsigned int slot;

	json_begin("slots", '[');
	for (slot = 0; slot < super->nr_slots; slot++) {
		json_begin(NULL, '{');
		json_text("state", text_slot_state(super->member[slot].state));
		json_text("member_uuid", text_uuid(super->member[slot].member_uuid, uuid));
		json_number("data_sectors", le64_to_cpu(super->member[slot].data_sectors));
		json_number("fail_events", le32_to_cpu(super->member[slot].fail_events));
		json_end('{');
	}
	json_end('[');
}

static void json_super(const struct raidx_disk_super *super)
{
	char text[TEXT_BYTES];

	json_text("set_uuid", text_uuid(super->set_uuid, text));
	json_text("set_name", text_name(super->set_name, RAIDX_NAME_BYTES, text));
	json_text("member_uuid", text_uuid(super->member_uuid, text));
	json_number("slot", super->slot);
	json_text("level", text_level(super->level));
	json_number("parity", super->parity);
	json_number("copies", super->copies);
	json_number("spares", super->nr_spares);
	json_number("length_sectors", le64_to_cpu(super->length_sectors));
	json_number("chunk_sectors", le32_to_cpu(super->chunk_sectors));
	json_number("stripe_sectors", le32_to_cpu(super->stripe_sectors));
	json_number("extent_sectors", le32_to_cpu(super->extent_sectors));
	json_number("segment_sectors", le32_to_cpu(super->segment_sectors));
	json_number("segments", le32_to_cpu(super->nr_segments));
	json_number("lanes", super->nr_lanes);
	json_number("anchor_start", le64_to_cpu(super->anchor_start));
	json_number("log_start", le64_to_cpu(super->log_start));
	json_number("data_start", le64_to_cpu(super->data_start));
	json_number("events", le64_to_cpu(super->events));
	json_number("epoch", le64_to_cpu(super->epoch));
	json_number("checkpoint", le64_to_cpu(super->checkpoint));
	json_number("tail_seq", le64_to_cpu(super->tail_seq));
	json_number("absentees", le64_to_cpu(super->absentees));
	json_number("create_seconds", le64_to_cpu(super->create_seconds));
	json_number("feature_compat", le32_to_cpu(super->feature_compat));
	json_number("feature_ro_compat", le32_to_cpu(super->feature_ro_compat));
	json_number("feature_incompat", le32_to_cpu(super->feature_incompat));
	json_bool("clean", le32_to_cpu(super->flags) & RAIDX_SUPER_CLEAN);
	json_bool("creating", le32_to_cpu(super->flags) & RAIDX_SUPER_CREATING);
	json_slots(super);
}

static int examine(const char *path, bool json)
{
	struct member *member = member_open(path);
	int ret = EXIT_GOOD;

	if (!member) {
		complain("%s: cannot be opened: %s", path, strerror(errno));
		return EXIT_WORSE;
	}
	if (!member->best)
		ret = EXIT_WORSE;
	else if (member->a.error || member->b.error)
		ret = EXIT_BAD;
	if (json) {
		json_begin(NULL, '{');
		json_text("device", path);
		json_number("blocks", member->device.blocks);
		json_bool("member", member->best);
		json_copy("a", &member->a, member);
		json_copy("b", &member->b, member);
		if (member->best)
			json_super(member->best);
		json_end('{');
	} else {
		printf("%s:\n", path);
		print_copy("A", &member->a, member);
		print_copy("B", &member->b, member);
		if (member->best)
			print_super(member->best);
	}
	member_close(member);
	return ret;
}

int command_examine(int argc, char **argv)
{
	bool json = false;
	const struct option_spec specs[] = { { "json", OPTION_FLAG, &json } };
	int nr = OPTIONS_PARSE(argc, argv, specs), ret = EXIT_GOOD, i;

	if (nr < 0)
		return EXIT_WORSE;
	if (!nr) {
		complain("examine: takes devices");
		return EXIT_WORSE;
	}
	if (json)
		json_begin(NULL, '[');
	for (i = 0; i < nr; i++)
		ret = max(ret, examine(argv[i], json));
	if (json)
		json_end('[');
	return ret;
}
