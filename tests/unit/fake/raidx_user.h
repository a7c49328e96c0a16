/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's names on libc, for the pure files (lib/ and what else holds no bio and no lock) in user space.
 *
 * Included by <raidx/types.h> outside the kernel.  Only what such files use; add to it when one needs more.
 */
#ifndef RAIDX_USER_H
#define RAIDX_USER_H

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#ifndef EUCLEAN
#define EUCLEAN 117
#endif

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define cpu_to_le16(x) ((__le16)htole16(x))
#define cpu_to_le32(x) ((__le32)htole32(x))
#define cpu_to_le64(x) ((__le64)htole64(x))
#define le16_to_cpu(x) ((u16)le16toh((u16)(x)))
#define le32_to_cpu(x) ((u32)le32toh((u32)(x)))
#define le64_to_cpu(x) ((u64)le64toh((u64)(x)))
#define cpu_to_be16(x) ((__be16)htobe16(x))
#define cpu_to_be32(x) ((__be32)htobe32(x))
#define cpu_to_be64(x) ((__be64)htobe64(x))
#define be16_to_cpu(x) ((u16)be16toh((u16)(x)))
#define be32_to_cpu(x) ((u32)be32toh((u32)(x)))
#define be64_to_cpu(x) ((u64)be64toh((u64)(x)))

static inline void le16_add_cpu(__le16 *at, u16 by)
{
	*at = cpu_to_le16(le16_to_cpu(*at) + by);
}

static inline void le32_add_cpu(__le32 *at, u32 by)
{
	*at = cpu_to_le32(le32_to_cpu(*at) + by);
}

static inline void le64_add_cpu(__le64 *at, u64 by)
{
	*at = cpu_to_le64(le64_to_cpu(*at) + by);
}

/* As in the kernel, min() and max() refuse operands of different types. */
#define __raidx_pick(x, y, op, a, b) ({			\
	typeof(x) a = (x);				\
	typeof(y) b = (y);				\
	(void)(&a == &b);				\
	a op b ? a : b;					\
})
#define __raidx_name(prefix, n) prefix##n
#define __raidx_pick_once(x, y, op, n) __raidx_pick(x, y, op, __raidx_name(__x, n), __raidx_name(__y, n))
#define min(x, y) __raidx_pick_once(x, y, <, __COUNTER__)
#define max(x, y) __raidx_pick_once(x, y, >, __COUNTER__)
#define min_t(type, x, y) min((type)(x), (type)(y))
#define max_t(type, x, y) max((type)(x), (type)(y))
#define min3(x, y, z) min((typeof(x))min(x, y), z)
#define max3(x, y, z) max((typeof(x))max(x, y), z)
#define clamp(x, low, high) min((typeof(x))max(x, low), high)
#define clamp_t(type, x, low, high) min_t(type, max_t(type, x, low), high)
#define swap(a, b) do { typeof(a) __t = (a); (a) = (b); (b) = __t; } while (0)

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define container_of(at, type, field) ((type *)((char *)(at) - offsetof(type, field)))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((u64)(n), (u64)(d))
#define DIV_ROUND_CLOSEST(n, d) (((n) + (d) / 2) / (d))
/* roundup() takes any step, round_up() and round_down() a power of two, without a division. */
#define roundup(x, y) ((((x) + ((y) - 1)) / (y)) * (y))
#define rounddown(x, y) ((x) - (x) % (y))
#define round_up(x, y) ((((x) - 1) | ((typeof(x))(y) - 1)) + 1)
#define round_down(x, y) ((x) & ~((typeof(x))(y) - 1))
#define is_power_of_2(n) ((n) != 0 && (((n) & ((n) - 1)) == 0))
#define BITS_PER_LONG ((unsigned int)(8 * sizeof(long)))
#define BITS_TO_LONGS(n) DIV_ROUND_UP(n, 8 * sizeof(long))
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define U8_MAX UINT8_MAX
#define U16_MAX UINT16_MAX
#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX

#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile typeof(x) *)&(x) = (value))
#define likely(x) (x)
#define unlikely(x) (x)
#define fallthrough __attribute__((__fallthrough__))
#ifndef __must_check
#define __must_check __attribute__((__warn_unused_result__))
#endif

static inline u64 div_u64(u64 n, u32 d)
{
	return n / d;
}

static inline u64 div64_u64(u64 n, u64 d)
{
	return n / d;
}

static inline s64 div_s64(s64 n, s32 d)
{
	return n / d;
}

static inline u64 div_u64_rem(u64 n, u32 d, u32 *rest)
{
	*rest = n % d;
	return n / d;
}

static inline u64 div64_u64_rem(u64 n, u64 d, u64 *rest)
{
	*rest = n % d;
	return n / d;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 d)
{
	return (unsigned __int128)a * b / d;
}

/* -1 for 0, as fls() - 1 in the kernel. */
static inline int ilog2(u64 n)
{
	return n ? 63 - __builtin_clzll(n) : -1;
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n <= 1 ? 1 : 1UL << (ilog2(n - 1) + 1);
}

static inline unsigned long rounddown_pow_of_two(unsigned long n)
{
	return 1UL << ilog2(n);
}

static inline unsigned int hweight32(u32 n)
{
	return __builtin_popcount(n);
}

static inline unsigned int hweight64(u64 n)
{
	return __builtin_popcountll(n);
}

static inline bool test_bit(unsigned long bit, const unsigned long *map)
{
	return map[bit / BITS_PER_LONG] >> (bit % BITS_PER_LONG) & 1;
}

static inline void __set_bit(unsigned long bit, unsigned long *map)
{
	map[bit / BITS_PER_LONG] |= 1UL << (bit % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned long bit, unsigned long *map)
{
	map[bit / BITS_PER_LONG] &= ~(1UL << (bit % BITS_PER_LONG));
}

#define set_bit __set_bit
#define clear_bit __clear_bit

/* CRC-32C (Castagnoli), reflected, by a table; no inversion before or after, as the kernel's crc32c(). */
static inline u32 crc32c(u32 crc, const void *data, size_t bytes)
{
	static u32 table[256];
	const u8 *at = data;
	u32 i, bit;

	if (!table[1])
		for (i = 0; i < 256; i++) {
			u32 value = i;

			for (bit = 0; bit < 8; bit++)
				value = value >> 1 ^ (value & 1 ? 0x82f63b78u : 0);
			table[i] = value;
		}
	while (bytes--)
		crc = crc >> 8 ^ table[(crc ^ *at++) & 0xff];
	return crc;
}

#endif /* RAIDX_USER_H */
