/* SPDX-License-Identifier: GPL-2.0-only */
/* XOR and RAID 6 syndromes over arrays of 4 KiB blocks. */
#ifndef RAIDX_PARITY_H
#define RAIDX_PARITY_H

#include <raidx/types.h>

/* dest = XOR of @nr sources (nr >= 1), each RAIDX_BLOCK_BYTES; @dest may not be a source. Any context. */
void raidx_parity_xor(void *dest, void **sources, unsigned int nr);

#endif /* RAIDX_PARITY_H */
