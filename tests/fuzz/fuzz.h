/* SPDX-License-Identifier: GPL-2.0-only */
/* What the targets share: an input is laid over a sound block, byte by byte, and the checksum is put right. */
#ifndef RAIDX_TESTS_FUZZ_H
#define RAIDX_TESTS_FUZZ_H

#include <stdio.h>
#include "sample.h"

#define require(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "ERROR: %s:%d: %s\n", __FILE__, __LINE__, #condition);	\
		abort();						\
	}								\
} while (0)

/* The input's bytes replace the block's, from its begin; zero bytes of the input leave the block's when @mix. */
static inline void lay_over(u8 *block, const u8 *data, size_t bytes, bool mix)
{
	size_t i;

	for (i = 0; i < bytes && i < RAIDX_BLOCK_BYTES; i++)
		if (!mix || data[i])
			block[i] = data[i];
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

#endif /* RAIDX_TESTS_FUZZ_H */
