# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by the other scripts: where things are. Everything fetched or built lives in RAIDX_CACHE.

RAIDX_CACHE=${RAIDX_CACHE:-/var/cache/raidx}
export RAIDX_CACHE

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Headers directory of a kernel name (6.12, 6.1) or of the debug kernel's build.
kernel_headers() {
	local dir
	case $1 in
	debug) dir=$RAIDX_CACHE/debug-kernel/out ;;
	6.1) dir=$(find /usr/src -maxdepth 1 -name 'linux-headers-6.1.*-amd64' ! -name '*cloud*' ! -name '*-rt-*' | sort -V | tail -n 1) ;;
	*) dir=$(find /usr/src -maxdepth 1 -name "linux-headers-$1.*-amd64" ! -name '*cloud*' ! -name '*-rt-*' | sort -V | tail -n 1) ;;
	esac
	[ -n "$dir" ] && [ -d "$dir" ] || die "kernel $1: no headers; run scripts/setup first"
	echo "$dir"
}

# Full version, as uname -r says.
kernel_version() {
	local dir
	dir=$(kernel_headers "$1")
	if [ "$1" = debug ]; then cat "$dir/include/config/kernel.release"; else echo "${dir##*/linux-headers-}"; fi
}

kernel_root() {
	if [ "$1" = debug ]; then echo "$RAIDX_CACHE/debug-kernel/root"; else echo "$RAIDX_CACHE/kernels/$(kernel_version "$1")"; fi
}

kernel_image() {
	if [ "$1" = debug ]; then
		echo "$RAIDX_CACHE/debug-kernel/out/arch/x86/boot/bzImage"
	else
		echo "$(kernel_root "$1")/boot/vmlinuz-$(kernel_version "$1")"
	fi
}

# Where scripts/build puts the objects of this checkout for one kernel.
build_dir() {
	local top
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	echo "$RAIDX_CACHE/build/$1-$(echo "$top" | sha256sum | cut -c1-8)"
}
