// SPDX-License-Identifier: GPL-2.0-only
/* These tests will check the XOR of blocks against the plainest way to compute it. */
#include "unit.h"
#include <raidx/parity.h>

#define MAX_SOURCES 64

static u8 source[MAX_SOURCES][RAIDX_BLOCK_BYTES] __attribute__((aligned(64)));
static u8 result[RAIDX_BLOCK_BYTES] __attribute__((aligned(64)));

static void fill(void)
{
	u32 seed = 1, i, k;

	for (i = 0; i < MAX_SOURCES; i++)
		for (k = 0; k < RAIDX_BLOCK_BYTES; k++) {
			seed = seed * 1103515245 + 12345;
			source[i][k] = seed >> 16;
		}
}

static void test_any_number_of_sources(void **state)
{
	void *sources[MAX_SOURCES];
	u32 nr, i, k;

	fill();
	for (i = 0; i < MAX_SOURCES; i++)
		sources[i] = source[i];
	for (nr = 1; nr <= MAX_SOURCES; nr++) {
		raidx_parity_xor(result, sources, nr);
		for (k = 0; k < RAIDX_BLOCK_BYTES; k++) {
			u8 expected = 0;

			for (i = 0; i < nr; i++)
				expected ^= source[i][k];
			check(result[k] == expected, "%u sources, byte %u", nr, k);
		}
	}
}

static void test_any_block_comes_back_from_the_others(void **state)
{
	void *sources[5], *others[5];
	u8 parity[RAIDX_BLOCK_BYTES];
	u32 lost, i, nr;

	fill();
	for (i = 0; i < 5; i++)
		sources[i] = source[i];
	raidx_parity_xor(parity, sources, 5);
	for (lost = 0; lost < 5; lost++) {
		for (i = 0, nr = 0; i < 5; i++)
			if (i != lost)
				others[nr++] = source[i];
		others[nr++] = parity;
		raidx_parity_xor(result, others, nr);
		assert_memory_equal(result, source[lost], RAIDX_BLOCK_BYTES);
	}
}

static void test_sources_are_left_alone(void **state)
{
	void *sources[3] = { source[0], source[1], source[2] };
	u8 before[3][RAIDX_BLOCK_BYTES];

	fill();
	memcpy(before, source, sizeof(before));
	raidx_parity_xor(result, sources, 3);
	assert_memory_equal(before, source, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_number_of_sources),
		cmocka_unit_test(test_any_block_comes_back_from_the_others),
		cmocka_unit_test(test_sources_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
