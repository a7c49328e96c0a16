// SPDX-License-Identifier: GPL-2.0-only
/* XOR over 4 KiB blocks by the kernel's best routine; in user space a plain loop.  Holds no state. */
#include <raidx/parity.h>
#ifdef __KERNEL__
#include <linux/minmax.h>
#include <linux/raid/xor.h>

static void xor_into(void *dest, void **sources, unsigned int nr)
{
#ifdef RAIDX_HAVE_XOR_GEN
	xor_gen(dest, sources, nr, RAIDX_BLOCK_BYTES);
#else
	while (nr) {
		unsigned int now = min_t(unsigned int, nr, MAX_XOR_BLOCKS);

		xor_blocks(now, RAIDX_BLOCK_BYTES, dest, sources);
		sources += now;
		nr -= now;
	}
#endif
}
#else
static void xor_into(void *dest, void **sources, unsigned int nr)
{
	u64 *to = dest;
	unsigned int i, word;

	for (i = 0; i < nr; i++) {
		const u64 *from = sources[i];

		for (word = 0; word < RAIDX_BLOCK_BYTES / sizeof(u64); word++)
			to[word] ^= from[word];
	}
}
#endif

void raidx_parity_xor(void *dest, void **sources, unsigned int nr)
{
	memcpy(dest, sources[0], RAIDX_BLOCK_BYTES);
	if (nr > 1)
		xor_into(dest, sources + 1, nr - 1);
}
