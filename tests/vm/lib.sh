# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by the cases (`. tests/vm/lib.sh`), inside the virtual machine.
#
#   fail MESSAGE...  skip MESSAGE...     end the case
#   expect_fail COMMAND...               the command must fail; its output goes to $output
#   wait_for SECONDS COMMAND...          until the command succeeds; fails after that time
#   load_module [PARAMETER=VALUE...]     dm-raidx and what it needs;  unload_module
#   null_blk NAME SIZE_MB [ATTRIBUTE=VALUE...]   a RAM disk /dev/NAME (nullbN), 4 KiB blocks;  null_blk_remove NAME...
#   sd_...                               simulated disks, see tests/simdisk/simdisk.sh
#   cleanup                              everything away; done after each case anyway
set -eu
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: \"$BASH_COMMAND\" failed with status $?" >&2' ERR
set -E
if [ -e tests/simdisk/simdisk.sh ]; then
	# shellcheck source=tests/simdisk/simdisk.sh
	. tests/simdisk/simdisk.sh
fi

fail() {
	echo "fail: $*" >&2
	exit 1
}

skip() {
	echo "skip: $*"
	exit 77
}

# shellcheck disable=SC2034 # output is for the case
expect_fail() {
	if output=$("$@" 2>&1); then
		fail "succeeded, but should not: $*"
	fi
}

wait_for() {
	local limit=$1 end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "not within $limit s: $*"
		sleep 0.1
	done
}

# shellcheck disable=SC2120 # the parameters may be left out
load_module() {
	local file=$RAIDX_BUILD/dm-raidx.ko depends
	[ ! -e /sys/module/dm_raidx ] || return 0
	depends=$(modinfo -F depends "$file" | tr , ' ')
	# shellcheck disable=SC2086
	modprobe -a dm-mod $depends
	insmod "$file" "$@"
}

# The last reference goes a moment after the last device: wait for it.
unload_module() {
	[ ! -e /sys/module/dm_raidx ] || wait_for 10 rmmod dm_raidx
}

null_blk() {
	local name=$1 dir=/sys/kernel/config/nullb/$1 size=$2 pair
	shift 2
	[ -d /sys/kernel/config/nullb ] || modprobe null_blk nr_devices=0
	mkdir "$dir"
	for pair in "size=$size" memory_backed=1 blocksize=4096 "$@" power=1; do
		echo "${pair#*=}" >"$dir/${pair%%=*}" || fail "null_blk $name: $pair"
	done
	wait_for 10 test -b "/dev/$name"
}

null_blk_remove() {
	local name
	for name in "$@"; do
		[ ! -d "/sys/kernel/config/nullb/$name" ] || rmdir "/sys/kernel/config/nullb/$name"
	done
}

# Away with file systems, dm and md devices, disks and the module.  Says what does not go.
cleanup() {
	local dir device tries
	cd /
	awk '$1 ~ "^/dev/(mapper/|dm-|md|nullb|simdisk|ram|loop)" { print $2 }' /proc/mounts | sort -r | xargs -r umount || return
	swapoff -a
	if [ -e /sys/module/dm_mod ]; then
		for tries in 1 2 3 4 5; do # stacked devices go from the top
			dmsetup ls 2>/dev/null | grep -qv '^No devices' || break
			dmsetup remove_all --noudevsync >/dev/null 2>&1 || sleep "0.$tries"
		done
		if dmsetup ls 2>/dev/null | grep -v '^No devices'; then
			dmsetup status
			return 1
		fi
	fi
	for device in /sys/block/md*; do
		[ ! -e "$device" ] || mdadm --stop "/dev/${device##*/}" || return
	done
	losetup -D 2>/dev/null || true
	if [ -e /sys/module/dm_raidx ]; then
		for tries in 1 2 3 4 5 6 7 8 9; do
			! rmmod dm_raidx 2>/dev/null || break
			sleep "0.$tries"
		done
		if [ -e /sys/module/dm_raidx ]; then
			echo "dm-raidx is still in use ($(cat /sys/module/dm_raidx/refcnt))"
			return 1
		fi
	fi
	for dir in /sys/kernel/config/nullb/*/; do
		[ ! -d "$dir" ] || rmdir "$dir" || return
	done
	if [ -d /sys/kernel/config/simdisk ]; then
		sd_disarm 2>/dev/null || true
		sd_destroy_all || return
	fi
	find /tmp -mindepth 1 -xdev -delete 2>/dev/null || true
}
