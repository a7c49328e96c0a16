/* SPDX-License-Identifier: GPL-2.0-only */
/* What every suite includes first: cmocka and what it wants before itself. */
#ifndef RAIDX_TESTS_UNIT_H
#define RAIDX_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* As assert_true(), with what was being tried. */
#define check(condition, ...) do {		\
	if (!(condition)) {			\
		print_error(__VA_ARGS__);	\
		print_error("\n");		\
		assert_true(condition);		\
	}					\
} while (0)

#endif /* RAIDX_TESTS_UNIT_H */
