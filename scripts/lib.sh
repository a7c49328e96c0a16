# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by the other scripts: where things are. Everything fetched or built lives in RAIDX_CACHE.
#
# A kernel is named 6.12, 6.1 or debug.  The image that is booted always has the version of the installed
# headers, or the modules would not load.

RAIDX_CACHE=${RAIDX_CACHE:-/var/cache/raidx}
export RAIDX_CACHE

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# The debug kernel's directory: out (build tree), root (installed module lists).
debug_kernel_dir() {
	[ -e "$RAIDX_CACHE/debug-kernel/current/.complete" ] || die "no debug kernel; run scripts/debug-kernel first"
	readlink -f "$RAIDX_CACHE/debug-kernel/current"
}

# Headers directory of a kernel, what make -C needs.
kernel_headers() {
	local dir
	case $1 in
	debug) dir=$(debug_kernel_dir)/out || exit 1 ;;
	6.1 | 6.12)
		dir=$(find /usr/src -maxdepth 1 -name "linux-headers-$1.*-amd64" ! -name '*cloud*' ! -name '*-rt-*' |
			sort -V | tail -n 1)
		;;
	*) die "unknown kernel $1 (6.12, 6.1 or debug)" ;;
	esac
	[ -d "$dir" ] || die "kernel $1: no headers; run scripts/setup first"
	echo "$dir"
}

# Full version, as uname -r says.
kernel_version() {
	local dir
	dir=$(kernel_headers "$1") || exit 1
	if [ "$1" = debug ]; then
		cat "$dir/include/config/kernel.release"
	else
		echo "${dir##*/linux-headers-}"
	fi
}

# Where the unpacked image is: boot/ and lib/modules/ below it.
kernel_root() {
	local version dir
	if [ "$1" = debug ]; then
		dir=$(debug_kernel_dir) || exit 1
		echo "$dir/root"
	else
		version=$(kernel_version "$1") || exit 1
		echo "$RAIDX_CACHE/kernels/$version"
	fi
}

kernel_image() {
	local dir version
	if [ "$1" = debug ]; then
		dir=$(debug_kernel_dir) || exit 1
		echo "$dir/out/arch/x86/boot/bzImage"
	else
		version=$(kernel_version "$1") || exit 1
		echo "$RAIDX_CACHE/kernels/$version/boot/vmlinuz-$version"
	fi
}

kernel_modules_dir() {
	local root version
	root=$(kernel_root "$1") || exit 1
	version=$(kernel_version "$1") || exit 1
	echo "$root/lib/modules/$version"
}

# Where scripts/build puts the objects of this checkout for one kernel. With RAIDX_STRICT=1 (scripts/check and
# scripts/lint) that is another directory, whose objects were built with W=1 -Werror.
build_dir() {
	local top
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	echo "$RAIDX_CACHE/build/$1${RAIDX_STRICT:+-strict}-$(echo "$top" | sha256sum | cut -c1-8)"
}
