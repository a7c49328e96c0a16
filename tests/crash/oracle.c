// SPDX-License-Identifier: GPL-2.0-only
/*
 * oracle: writes blocks that describe themselves, and tells after a power cut whether each may be what it is.
 *
 *   oracle run DEVICE STATE    write, read and flush from several threads until the device fails, a signal or --seconds
 *   oracle verify DEVICE STATE read every block of the span and compare with what STATE allows
 *
 * A state file (a shared mapping: it outlives the process) has, per 4 KiB block, the operations since the last known
 * durable content.  An operation writes or zeroes some of the block's eight 512-byte sectors; it has a version, 1, 2, ...
 * per block.  Each block has one writing thread, which has one operation in flight, so versions are totally ordered.
 *
 *   base          the content below the oldest operation remembered, as a version per sector
 *   tick          when an operation was acknowledged, on a clock of all threads; 0: never
 *   flushed_tick  what the clock showed when the last completed flush was *issued*: all that was acknowledged by then
 *                 is durable
 *
 * Allowed after a cut is the block's content after any operation from its last durable one (the floor) to the last one
 * issued; as a whole (--atomic 4096), or for each sector on its own (--atomic 512, raw disks and mirrors).
 *
 * Content: a sector is a function of (seed, block, sector, version) that is not linear, so that the XOR of valid
 * sectors - what a write hole reconstructs - is not valid.  Sectors never written, discarded or zeroed are zeros.
 *
 * Who owns a block: the span is cut in regions of 2 MiB.  In every second one the threads are interleaved block by
 * block (threads meet in one stripe; single blocks only), the others belong to one thread as a whole (up to 1 MiB).
 *
 * RWF_DSYNC on a block device is a FUA write with a flush behind it, so it counts as both.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define SECTOR 512u
#define SECTORS 8u
#define BLOCK 4096u
#define WORDS (SECTOR / 8)
#define REGION 512u			/* blocks */
#define OPS 32u				/* remembered per block */
#define IO_BLOCKS 256u			/* 1 MiB */
#define IO_BYTES ((size_t)IO_BLOCKS * BLOCK)
#define ZERO 0x80000000u		/* in a sector's version: it was zeroed by it */
#define MAGIC 0x6f7261636c652031ull	/* of a sector */
#define STATE_MAGIC 0x31657461745378ull
#define MAX_THREADS 64u
#define MAX_REPORTS 10u

enum exit_code { GOOD = 0, BAD = 1, USAGE = 2, DEVICE_FAILED = 3 };
enum mix { MIX_SMALL, MIX_LARGE, MIX_MIXED, MIX_SEQ };

struct block {
	uint32_t issued;		/* highest version ever issued */
	uint32_t nr;			/* operations remembered: versions issued - nr + 1 ... issued */
	uint32_t zeroes;		/* bit per operation: it zeroes */
	uint32_t base[SECTORS];		/* version per sector before the first of them */
	uint32_t tick[OPS];
	uint8_t mask[OPS];		/* sectors of each operation */
};

struct state {
	uint64_t magic, seed;
	uint32_t span, threads;		/* blocks; threads fix the owners */
	_Atomic uint32_t clock, flushed_tick;
	uint32_t filled;		/* blocks that were filled */
	_Atomic uint64_t writes, bytes, flushes, reads;
	_Alignas(4096) struct block blocks[];
};

struct worker {
	pthread_t thread;
	uint32_t index;
	uint64_t random;
	uint32_t seq_block;		/* where a sequential writer is */
	uint8_t *buffer, *expect;
};

static struct state *state;
static int device;
static bool is_block_device;
static int logical_block = SECTOR;
static _Atomic bool stopping, device_failed, mismatch;
static _Atomic unsigned int reports;
static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t opt_seed = 1;
static unsigned int opt_threads = 4, opt_span, opt_rate, opt_seconds, opt_fill, opt_repeat = 1, opt_atomic = BLOCK;
static unsigned int opt_flush_every = 12;
static enum mix opt_mix = MIX_MIXED;
static bool opt_settle, opt_no_discard;

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("oracle: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(USAGE);
}

static uint64_t hash64(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static uint64_t draw(uint64_t *random)
{
	*random += 0x9e3779b97f4a7c15ull;
	return hash64(*random);
}

static uint32_t below(uint64_t *random, uint32_t limit)
{
	return (draw(random) >> 32) * limit >> 32;
}

/* ---- content ---- */

static uint64_t sector_key(uint32_t block, uint32_t sector, uint32_t version)
{
	return hash64(hash64(state->seed ^ ((uint64_t)block * SECTORS + sector)) ^ version);
}

static uint32_t owner_of(uint32_t block)
{
	uint32_t region = block / REGION;

	return region % 2 ? block % state->threads : region / 2 % state->threads;
}

static void make_sector(uint64_t *words, uint32_t block, uint32_t sector, uint32_t version)
{
	uint64_t x = sector_key(block, sector, version);
	unsigned int i;

	if (!version || version & ZERO) {
		memset(words, 0, SECTOR);
		return;
	}
	words[0] = htole64(MAGIC);
	words[1] = htole64((uint64_t)block << 32 | version);
	words[2] = htole64((uint64_t)sector << 32 | owner_of(block));
	words[3] = htole64(x);
	for (i = 4; i < WORDS; i++) {
		x = (x ^ (x >> 31)) * 0xd1342543de82ef95ull + 0x9e3779b97f4a7c15ull;
		words[i] = htole64(x ^ (x >> 29));
	}
}

static bool is_zero(const void *data, size_t bytes)
{
	const char *p = data;

	return !p[0] && !memcmp(p, p + 1, bytes - 1);
}

/* ---- operations of a block ---- */

static uint32_t first_version(const struct block *b)
{
	return b->issued - b->nr + 1;
}

static void apply(const struct block *b, uint32_t op, uint32_t vector[SECTORS])
{
	uint32_t version = (first_version(b) + op) | (b->zeroes >> op & 1 ? ZERO : 0);
	unsigned int s;

	for (s = 0; s < SECTORS; s++)
		if (b->mask[op] >> s & 1)
			vector[s] = version;
}

static bool is_durable(const struct block *b, uint32_t op)
{
	return b->tick[op] && b->tick[op] <= state->flushed_tick;
}

/* How many of the operations are below the floor or it. */
static uint32_t floor_ops(const struct block *b)
{
	uint32_t n = b->nr;

	while (n && !is_durable(b, n - 1))
		n--;
	return n;
}

static void content_now(const struct block *b, uint32_t vector[SECTORS])
{
	uint32_t op;

	memcpy(vector, b->base, sizeof(b->base));
	for (op = 0; op < b->nr; op++)
		apply(b, op, vector);
}

/* Forget the operations below the floor. */
static void compact(struct block *b)
{
	uint32_t n = floor_ops(b), op;

	if (!n)
		return;
	for (op = 0; op < n; op++)
		apply(b, op, b->base);
	memmove(b->tick, b->tick + n, (b->nr - n) * sizeof(b->tick[0]));
	memmove(b->mask, b->mask + n, (b->nr - n) * sizeof(b->mask[0]));
	b->zeroes = n < OPS ? b->zeroes >> n : 0;
	b->nr -= n;
}

static uint32_t begin_op(uint32_t block, uint8_t mask, bool zero)
{
	struct block *b = &state->blocks[block];
	uint32_t op = b->nr;

	b->tick[op] = 0;
	b->mask[op] = mask;
	b->zeroes = (b->zeroes & ~(1u << op)) | (uint32_t)zero << op;
	b->nr++;
	return ++b->issued;
}

static void end_ops(uint32_t block, uint32_t count)
{
	uint32_t tick = ++state->clock;

	for (; count; count--, block++)
		state->blocks[block].tick[state->blocks[block].nr - 1] = tick;
}

/* ---- reports ---- */

static void describe_sector(const uint8_t *data, uint32_t block, uint32_t sector)
{
	uint64_t words[WORDS], expect[WORDS];
	uint32_t found_block, found_sector, version;
	unsigned int first = WORDS, last = 0, i;

	memcpy(words, data, SECTOR);
	if (is_zero(data, SECTOR)) {
		printf("    sector %u: zeros\n", sector);
		return;
	}
	found_block = le64toh(words[1]) >> 32;
	version = (uint32_t)le64toh(words[1]);
	found_sector = le64toh(words[2]) >> 32;
	if (le64toh(words[0]) != MAGIC || version & ZERO || found_sector >= SECTORS) {
		printf("    sector %u: not ours:", sector);
	} else {
		make_sector(expect, found_block, found_sector, version);
		for (i = 0; i < WORDS; i++) {
			if (words[i] != expect[i]) {
				first = i < first ? i : first;
				last = i;
			}
		}
		printf("    sector %u: ", sector);
		if (found_block != block || found_sector != sector)
			printf("of block %u sector %u, ", found_block, found_sector);
		printf("version %u", version);
		if (first < WORDS)
			printf(", content wrong in bytes %u-%u:", first * 8, last * 8 + 7);
		else
			printf(", content intact:");
	}
	for (i = 0; i < 32; i++)
		printf("%s%02x", i % 8 ? "" : " ", data[i]);
	printf("\n");
}

static void report(uint32_t block, const uint8_t *data, const char *what, bool exact)
{
	const struct block *b = &state->blocks[block];
	uint32_t floor = floor_ops(b), vector[SECTORS], op;
	unsigned int s;

	mismatch = true;
	if (reports++ >= MAX_REPORTS)
		return;
	pthread_mutex_lock(&report_lock);
	printf("block %u: %s; owner %u, allowed versions %u..%u%s, operations", block, what, owner_of(block),
	       exact ? b->issued : first_version(b) + floor - 1, b->issued, exact ? " (a read while running)" : "");
	for (op = 0; op < b->nr; op++)
		printf(" %u:%s%02x%s", first_version(b) + op, b->zeroes >> op & 1 ? "zero/" : "", b->mask[op],
		       is_durable(b, op) ? "/flushed" : b->tick[op] ? "/acked" : "/in-flight");
	printf(", below them (per sector)");
	memcpy(vector, b->base, sizeof(vector));
	for (s = 0; s < SECTORS; s++)
		printf(" %s%u", vector[s] & ZERO || !vector[s] ? "z" : "", vector[s] & ~ZERO);
	printf("\n");
	for (s = 0; data && s < SECTORS; s++)
		describe_sector(data + s * SECTOR, block, s);
	fflush(stdout);
	pthread_mutex_unlock(&report_lock);
}

/* ---- verify ---- */

/* The version of each sector as found, ZERO for zeros; false if one is not intact or of another place. */
static bool decode(const uint8_t *data, uint32_t block, uint32_t found[SECTORS], const char **what)
{
	uint64_t words[WORDS], expect[WORDS];
	unsigned int s;

	if (is_zero(data, BLOCK)) {
		for (s = 0; s < SECTORS; s++)
			found[s] = ZERO;
		return true;
	}
	for (s = 0; s < SECTORS; s++) {
		memcpy(words, data + s * SECTOR, SECTOR);
		if (!words[0] && is_zero(words, SECTOR)) {
			found[s] = ZERO;
			continue;
		}
		found[s] = (uint32_t)le64toh(words[1]);
		if (!found[s] || found[s] & ZERO) {
			*what = "not a content ever written";
			return false;
		}
		make_sector(expect, block, s, found[s]);
		if (memcmp(words, expect, SECTOR)) {
			*what = le64toh(words[0]) == MAGIC && le64toh(words[1]) >> 32 != block ?
				"content of another block" : "content damaged";
			return false;
		}
	}
	return true;
}

static bool same(uint32_t found, uint32_t version)
{
	return found == ZERO ? !version || version & ZERO : found == version;
}

static bool check_whole(const struct block *b, const uint32_t found[SECTORS], uint32_t settled[SECTORS])
{
	uint32_t floor = floor_ops(b), vector[SECTORS], n;
	bool ok = false;
	unsigned int s;

	memcpy(vector, b->base, sizeof(vector));
	for (n = 0;; n++) {
		if (n >= floor) {
			for (s = 0; s < SECTORS && same(found[s], vector[s]);)
				s++;
			if (s == SECTORS) {
				ok = true;
				memcpy(settled, vector, sizeof(vector));
			}
		}
		if (n == b->nr)
			return ok;
		apply(b, n, vector);
	}
}

static bool check_sectors(const struct block *b, const uint32_t found[SECTORS], uint32_t settled[SECTORS])
{
	unsigned int s;

	for (s = 0; s < SECTORS; s++) {
		uint32_t version = b->base[s], vector[SECTORS] = { 0 }, n;
		bool ok = same(found[s], version);

		settled[s] = version;
		for (n = 0; n < b->nr; n++) {
			if (!(b->mask[n] >> s & 1))
				continue;
			if (is_durable(b, n))
				ok = false;
			apply(b, n, vector);
			if (same(found[s], vector[s])) {
				ok = true;
				settled[s] = vector[s];
			}
		}
		if (!ok)
			return false;
	}
	return true;
}

static const char *why_wrong(const struct block *b, const uint32_t found[SECTORS])
{
	uint32_t vector[SECTORS], op;
	unsigned int s, old = 0;

	/* a content from below the floor, as a whole? */
	memcpy(vector, b->base, sizeof(vector));
	for (op = 0; op < floor_ops(b); op++)
		apply(b, op, vector);
	for (s = 0; s < SECTORS; s++) {
		if (!same(found[s], vector[s]) && (found[s] == ZERO || found[s] < (vector[s] & ~ZERO)))
			old++;
	}
	if (old == SECTORS)
		return "older than what a flush has made durable";
	for (s = 1; s < SECTORS; s++)
		if (found[s] != found[0])
			return "a mixture of versions";
	return "a version that is not allowed";
}

/* With @settle, what is found becomes what is durable. */
static void verify_block(uint32_t block, const uint8_t *data, bool settle)
{
	struct block *b = &state->blocks[block];
	uint32_t found[SECTORS], settled[SECTORS];
	const char *what;

	if (!decode(data, block, found, &what)) {
		report(block, data, what, false);
		return;
	}
	if (!(opt_atomic == BLOCK ? check_whole : check_sectors)(b, found, settled)) {
		report(block, data, why_wrong(b, found), false);
		return;
	}
	if (settle) {
		memcpy(b->base, settled, sizeof(settled));
		b->nr = 0;
		b->zeroes = 0;
	}
}

static int verify(uint8_t *buffer)
{
	uint32_t block, count, i, pass, unreadable = 0;
	uint64_t written = 0;

	for (pass = 0; pass < opt_repeat && !mismatch; pass++) {
		for (block = 0; block < state->span; block += count) {
			count = state->span - block < IO_BLOCKS ? state->span - block : IO_BLOCKS;
			if (pread(device, buffer, (size_t)count * BLOCK, (off_t)block * BLOCK) ==
			    (ssize_t)((size_t)count * BLOCK)) {
				for (i = 0; i < count; i++)
					verify_block(block + i, buffer + i * BLOCK, opt_settle);
				continue;
			}
			for (i = 0; i < count; i++) {
				if (pread(device, buffer, BLOCK, (off_t)(block + i) * BLOCK) == BLOCK) {
					verify_block(block + i, buffer, opt_settle);
					continue;
				}
				unreadable++;
				report(block + i, NULL, errno ? strerror(errno) : "short read", false);
			}
		}
	}
	for (block = 0; block < state->span; block++)
		written += !!state->blocks[block].issued;
	printf("verify: %u blocks, %" PRIu64 " ever written, %u wrong", state->span, written, reports);
	if (unreadable)
		printf(" (%u unreadable)", unreadable);
	printf("\n");
	return mismatch ? BAD : GOOD;
}

/* ---- run ---- */

static void io_failed(const char *what, uint32_t block)
{
	int error = errno;

	if (!atomic_exchange(&device_failed, true)) {
		printf("run: %s at block %u: %s\n", what, block, strerror(error));
		fflush(stdout);
	}
	stopping = true;
}

static bool flush_device(void)
{
	uint32_t tick = state->clock, old;

	if (fdatasync(device)) {
		io_failed("flush", 0);
		return false;
	}
	old = state->flushed_tick;
	while (old < tick && !atomic_compare_exchange_weak(&state->flushed_tick, &old, tick))
		;
	state->flushes++;
	return true;
}

/* Room to remember one more operation of each block; flushes if need be. */
static bool make_room(uint32_t block, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct block *b = &state->blocks[block + i];

		if (b->nr < OPS)
			continue;
		compact(b);
		if (b->nr < OPS)
			continue;
		if (!flush_device())
			return false;
		compact(b);
		if (b->nr == OPS)	/* an operation of an earlier run that was never acknowledged */
			return false;
	}
	return true;
}

static bool write_op(struct worker *w, uint32_t block, uint32_t count, uint8_t mask, bool fua)
{
	unsigned int first = (unsigned int)__builtin_ctz(mask), sectors = (unsigned int)__builtin_popcount(mask), s;
	off_t at = (off_t)block * BLOCK + first * SECTOR;
	size_t bytes = count == 1 ? sectors * SECTOR : (size_t)count * BLOCK;
	struct iovec iov = { w->buffer, bytes };
	uint32_t tick, old, i;
	ssize_t done;

	if (!make_room(block, count))
		return false;
	for (i = 0; i < count; i++) {
		uint32_t version = begin_op(block + i, mask, false);

		for (s = 0; s < sectors; s++)
			make_sector((uint64_t *)(w->buffer + i * BLOCK + s * SECTOR), block + i, first + s, version);
	}
	tick = state->clock;
	done = pwritev2(device, &iov, 1, at, fua ? RWF_DSYNC : 0);
	if (done != (ssize_t)bytes) {
		if (done >= 0)
			errno = EIO;
		io_failed(fua ? "FUA write" : "write", block);
		return false;
	}
	end_ops(block, count);
	if (fua) {
		old = state->flushed_tick;
		while (old < tick && !atomic_compare_exchange_weak(&state->flushed_tick, &old, tick))
			;
		/* it is durable itself; its own tick may be above others' that are not */
		for (i = 0; i < count; i++)
			state->blocks[block + i].tick[state->blocks[block + i].nr - 1] = 1;
	}
	state->writes++;
	state->bytes += bytes;
	return true;
}

static bool zero_op(uint32_t block, uint32_t count, bool discard)
{
	uint64_t range[2] = { (uint64_t)block * BLOCK, (uint64_t)count * BLOCK };
	uint32_t i;
	int ret;

	if (!make_room(block, count))
		return false;
	for (i = 0; i < count; i++)
		begin_op(block + i, 0xff, true);
	if (is_block_device)
		ret = ioctl(device, discard ? BLKDISCARD : BLKZEROOUT, range);
	else
		ret = fallocate(device, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)range[0], (off_t)range[1]);
	if (ret && discard && errno == EOPNOTSUPP) {
		opt_no_discard = true;
		ret = ioctl(device, BLKZEROOUT, range);
	}
	if (ret) {
		io_failed(discard ? "discard" : "write zeroes", block);
		return false;
	}
	end_ops(block, count);
	state->writes++;
	return true;
}

static bool read_op(struct worker *w, uint32_t block, uint32_t count)
{
	size_t bytes = (size_t)count * BLOCK;
	ssize_t done = pread(device, w->buffer, bytes, (off_t)block * BLOCK);
	uint32_t i, vector[SECTORS];
	unsigned int s;

	if (done != (ssize_t)bytes) {
		if (done >= 0)
			errno = EIO;
		io_failed("read", block);
		return false;
	}
	for (i = 0; i < count; i++) {
		content_now(&state->blocks[block + i], vector);
		for (s = 0; s < SECTORS; s++)
			make_sector((uint64_t *)(w->expect + s * SECTOR), block + i, s, vector[s]);
		if (memcmp(w->expect, w->buffer + i * BLOCK, BLOCK)) {
			report(block + i, w->buffer + i * BLOCK, "a read did not return what was written last", true);
			stopping = true;
			return false;
		}
	}
	state->reads++;
	return true;
}

/* 80 % of the accesses go to a fifth of the regions. */
static uint32_t pick_region(struct worker *w)
{
	uint32_t regions = (state->span + REGION - 1) / REGION, hot = regions / 5 + 1;

	return below(&w->random, below(&w->random, 10) < 8 ? hot : regions);
}

/* A place this thread owns: *block, and up to how many blocks from there. */
static uint32_t pick_place(struct worker *w, uint32_t *block)
{
	uint32_t tries, region, start, end;

	for (tries = 0; tries < 1000; tries++) {
		region = pick_region(w);
		start = region * REGION;
		end = start + REGION < state->span ? start + REGION : state->span;
		*block = start + below(&w->random, end - start);
		if (below(&w->random, 4))	/* some blocks are hotter yet */
			*block = start + (*block - start) / 8;
		if (region % 2) {
			*block = *block / state->threads * state->threads + w->index;
			if (*block >= start && *block < end && owner_of(*block) == w->index)
				return 1;
		} else if (owner_of(*block) == w->index) {
			return end - *block;
		}
	}
	return 0;
}

/* One step of a sequential stream through what the thread owns as a whole. */
static uint32_t next_place(struct worker *w, uint32_t count, uint32_t *block)
{
	uint32_t tries;

	for (tries = 0; tries < 4096; tries++) {
		if (w->seq_block >= state->span)
			w->seq_block = 0;
		if (w->seq_block / REGION % 2 == 0 && owner_of(w->seq_block) == w->index) {
			uint32_t end = (w->seq_block / REGION + 1) * REGION;

			end = end < state->span ? end : state->span;
			*block = w->seq_block;
			count = count < end - *block ? count : end - *block;
			w->seq_block += count;
			return count;
		}
		w->seq_block = (w->seq_block / REGION + 1) * REGION;
	}
	return pick_place(w, block) ? 1 : 0;
}

static uint32_t pick_count(struct worker *w, uint32_t *align)
{
	static const uint32_t large[] = { 16, 32, 64, 64, 64, 128, 256 };
	bool is_large = opt_mix == MIX_LARGE || (opt_mix == MIX_MIXED && below(&w->random, 8) == 0);

	*align = 1;
	if (is_large) {
		uint32_t count = large[below(&w->random, 7)];

		if (below(&w->random, 3))	/* often whole stripes */
			*align = count < 64 ? count : 64;
		return count;
	}
	return below(&w->random, 3) ? 1 : 1 + below(&w->random, 15);
}

static bool step(struct worker *w)
{
	uint32_t block, count, align, room, action = below(&w->random, 100);

	if (opt_mix == MIX_SEQ) {
		room = next_place(w, below(&w->random, 4) ? 64 : 1 + below(&w->random, IO_BLOCKS), &block);
		count = room;
	} else {
		count = pick_count(w, &align);
		room = pick_place(w, &block);
		if (room > 1 && align > 1) {
			room += block % align;
			block -= block % align;
		}
		count = count < room ? count : room;
	}
	if (!room) {		/* a span too small for all threads */
		usleep(1000);
		return true;
	}
	if (below(&w->random, opt_flush_every) == 0 && !flush_device())
		return false;
	if (action < 15)
		return read_op(w, block, count);
	if (action < 19)
		return zero_op(block, count, !opt_no_discard && action < 17);
	if (count == 1 && opt_mix != MIX_LARGE && action < 38 && logical_block == SECTOR) {
		uint32_t first = below(&w->random, SECTORS), n = 1 + below(&w->random, SECTORS - first);

		return write_op(w, block, 1, (uint8_t)(((1u << n) - 1) << first), action < 21);
	}
	return write_op(w, block, count, 0xff, action > 96);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	while (!stopping && step(w))
		if (opt_rate)
			usleep(1000000 / opt_rate);
	stopping = true;	/* one thread's failure is everyone's end */
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
	stopping = true;
}

static void make_worker(struct worker *w, uint32_t index)
{
	w->index = index;
	w->random = hash64(opt_seed * MAX_THREADS + index + state->clock);
	w->seq_block = below(&w->random, state->span);
	if (posix_memalign((void **)&w->buffer, BLOCK, IO_BYTES) || posix_memalign((void **)&w->expect, BLOCK, BLOCK))
		die("no memory");
}

static void fill(struct worker *w)
{
	uint32_t end = (uint32_t)((uint64_t)state->span * opt_fill / 100), count;

	while (state->filled < end && !stopping) {
		count = end - state->filled < IO_BLOCKS ? end - state->filled : IO_BLOCKS;
		if (!write_op(w, state->filled, count, 0xff, false))
			return;
		state->filled += count;
	}
}

static int run(void)
{
	static struct worker workers[MAX_THREADS];
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int i;

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < state->threads; i++)
		make_worker(&workers[i], i);
	fill(&workers[0]);
	if (opt_seconds)
		alarm(opt_seconds);
	for (i = 0; i < state->threads; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("cannot start a thread");
	for (i = 0; i < state->threads; i++)
		pthread_join(workers[i].thread, NULL);
	printf("run: %" PRIu64 " writes, %" PRIu64 " MiB, %" PRIu64 " reads, %" PRIu64 " flushes\n", state->writes,
	       state->bytes >> 20, state->reads, state->flushes);
	return mismatch ? BAD : device_failed ? DEVICE_FAILED : GOOD;
}

/* ---- start ---- */

static void open_device(const char *path)
{
	struct stat st;

	device = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (device < 0 && errno == EINVAL)	/* a file on a file system without it */
		device = open(path, O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("%s: %s", path, strerror(errno));
	if (fstat(device, &st))
		die("%s: %s", path, strerror(errno));
	is_block_device = S_ISBLK(st.st_mode);
	if (is_block_device && ioctl(device, BLKSSZGET, &logical_block))
		die("%s: %s", path, strerror(errno));
}

static void open_state(const char *path, bool create)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
	struct state head;
	struct stat st;
	size_t bytes;

	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", path, strerror(errno));
	if (st.st_size) {
		if (pread(fd, &head, sizeof(head), 0) < (ssize_t)offsetof(struct state, writes) || head.magic != STATE_MAGIC)
			die("%s: not a state file", path);
		opt_span = head.span;
	} else if (!create) {
		die("%s: empty", path);
	} else if (!opt_span) {
		die("--span is needed for a new state file");
	}
	bytes = sizeof(struct state) + (size_t)opt_span * sizeof(struct block);
	if (!st.st_size && ftruncate(fd, (off_t)bytes))
		die("%s: %s", path, strerror(errno));
	state = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (state == MAP_FAILED)
		die("%s: %s", path, strerror(errno));
	if (!st.st_size) {
		state->seed = hash64(opt_seed);
		state->span = opt_span;
		state->threads = opt_threads;
		state->clock = 1;	/* 1: durable from the start, see write_op() */
		state->flushed_tick = 1;
		state->magic = STATE_MAGIC;
	}
	close(fd);
}

static enum mix parse_mix(const char *name)
{
	static const char * const names[] = { "small", "large", "mixed", "seq" };
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return i;
	die("no such mix: %s", name);
	return 0;
}

static const char usage[] =
	"oracle run DEVICE STATE --span BLOCKS [--seed S] [--threads T] [--mix small|large|mixed|seq] [--fill PERCENT]\n"
	"           [--rate STEPS_PER_SECOND] [--seconds N] [--flush-every STEPS] [--no-discard]\n"
	"oracle verify DEVICE STATE [--atomic 4096|512] [--repeat[=N]] [--settle]\n"
	"exit status: 0 good, 1 wrong content, 2 usage, 3 (run) the device failed";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", 1, NULL, 's' }, { "threads", 1, NULL, 't' }, { "span", 1, NULL, 'b' },
		{ "rate", 1, NULL, 'r' }, { "mix", 1, NULL, 'm' }, { "seconds", 1, NULL, 'n' },
		{ "fill", 1, NULL, 'f' }, { "repeat", 2, NULL, 'R' }, { "settle", 0, NULL, 'S' },
		{ "atomic", 1, NULL, 'a' }, { "no-discard", 0, NULL, 'D' }, { "flush-every", 1, NULL, 'F' },
		{ NULL, 0, NULL, 0 },
	};
	bool running;
	uint8_t *buffer;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		unsigned long long value = optarg ? strtoull(optarg, NULL, 0) : 0;

		switch (c) {
		case 's': opt_seed = value; break;
		case 't': opt_threads = (unsigned int)value; break;
		case 'b': opt_span = (unsigned int)value; break;
		case 'r': opt_rate = (unsigned int)value; break;
		case 'm': opt_mix = parse_mix(optarg); break;
		case 'n': opt_seconds = (unsigned int)value; break;
		case 'f': opt_fill = (unsigned int)value; break;
		case 'R': opt_repeat = optarg ? (unsigned int)value : 2; break;
		case 'S': opt_settle = true; break;
		case 'a': opt_atomic = (unsigned int)value; break;
		case 'D': opt_no_discard = true; break;
		case 'F': opt_flush_every = (unsigned int)value; break;
		default: die("usage:\n%s", usage);
		}
	}
	if (argc - optind != 3 || opt_threads < 1 || opt_threads > MAX_THREADS || opt_fill > 100 || !opt_flush_every ||
	    (opt_atomic != BLOCK && opt_atomic != SECTOR) || opt_rate > 1000000)
		die("usage:\n%s", usage);
	running = !strcmp(argv[optind], "run");
	if (!running && strcmp(argv[optind], "verify"))
		die("usage:\n%s", usage);
	open_device(argv[optind + 1]);
	open_state(argv[optind + 2], running);
	if (running)
		return run();
	/* what one pass found, the next must find again */
	opt_settle = opt_settle || opt_repeat > 1;
	if (posix_memalign((void **)&buffer, BLOCK, IO_BYTES))
		die("no memory");
	return verify(buffer);
}
