# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Shell functions for simulated disks; source this file in the test machine. See README.md beside it.
#
#   sd_load                            load the module (from $SIMDISK_KO, else $RAIDX_BUILD/tests/simdisk)
#   sd_create NAME SIZE_MB key=value.. make a disk and switch it on; the device is /dev/NAME
#   sd_destroy NAME.. (or sd_remove)   take disks away (also while they are open)
#   sd_destroy_all
#   sd_set NAME key=value..            write attributes
#   sd_get NAME key                    read one
#   sd_cut SEED [NAME..]               power cut of these disks (all) at one instant
#   sd_cut_after N SEED [NAME..]       the same at the Nth write, discard or flush from now on over these disks
#   sd_cut_match NAME N SEED [NAME..]  the same, but only the commands of the first disk count
#   sd_disarm                          no cut any more
#   sd_state                           idle | armed LEFT | cutting | cut SEED
#   sd_wait                            sleep until no cut is armed or under way
#   sd_on [NAME..]   sd_off [NAME..]   power; off by this way loses nothing
#   sd_vanish NAME..  sd_return NAME.. all I/O fails; back with its content
#   sd_hang NAME..   sd_release NAME.. commands do not end; they do again
#   sd_stats NAME [key]                counters
#   sd_stats_reset NAME..

SD_ROOT=/sys/kernel/config/simdisk

sd_load() {
	local file=${SIMDISK_KO:-${RAIDX_BUILD:-}/tests/simdisk/simdisk.ko}
	[ -d $SD_ROOT ] && return
	modprobe configfs 2>/dev/null || true
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	modprobe -q mq-deadline 2>/dev/null || true
	insmod "$file"
}

sd_set() {
	local name=$1 pair
	shift
	for pair in "$@"; do
		echo "${pair#*=}" >"$SD_ROOT/$name/${pair%%=*}" || {
			echo "simdisk $name: $pair: refused" >&2
			return 1
		}
	done
}

sd_get() {
	cat "$SD_ROOT/$1/$2"
}

sd_create() {
	local name=$1 size=$2 queue=/sys/block/$1/queue model
	shift 2
	sd_load || return
	mkdir "$SD_ROOT/$name" || return
	sd_set "$name" "size_mb=$size" "$@" power=1 || { rmdir "$SD_ROOT/$name"; return 1; }
	# No udev runs in the test machine; devtmpfs makes the node by itself. The models that seek get a scheduler that
	# merges and that takes more requests than the disk; the fast ones get none.
	model=$(sd_get "$name" model)
	case $model in
	fixed | hdd)
		{ echo mq-deadline >"$queue/scheduler" && echo 64 >"$queue/nr_requests"; } 2>/dev/null || true
		;;
	*) echo none >"$queue/scheduler" 2>/dev/null || true ;;
	esac
}

sd_destroy() {
	local name
	for name in "$@"; do
		rmdir "$SD_ROOT/$name" || return
	done
}

sd_remove() {
	sd_destroy "$@"
}

sd_destroy_all() {
	local dir
	for dir in "$SD_ROOT"/*/; do
		[ ! -d "$dir" ] || rmdir "$dir" || return
	done
}

sd_cut() {
	echo "$*" >$SD_ROOT/cut
}

sd_cut_after() {
	echo "$*" >$SD_ROOT/cut_after
}

sd_cut_match() {
	echo "$*" >$SD_ROOT/cut_match
}

sd_disarm() {
	echo 0 >$SD_ROOT/cut_after
}

sd_state() {
	cat $SD_ROOT/state
}

sd_wait() {
	cat $SD_ROOT/wait
}

sd_on() {
	echo "1 $*" >$SD_ROOT/power
}

sd_off() {
	echo "0 $*" >$SD_ROOT/power
}

# sd_each key=value NAME..
sd_each() {
	local pair=$1 name
	shift
	for name in "$@"; do
		sd_set "$name" "$pair" || return
	done
}

sd_vanish() {
	sd_each vanish=1 "$@"
}

sd_return() {
	sd_each vanish=0 "$@"
}

sd_hang() {
	sd_each hang=1 "$@"
}

sd_release() {
	sd_each hang=0 "$@"
}

sd_stats() {
	if [ $# -gt 1 ]; then
		awk -v key="$2" '$1 == key { print $2 }' "$SD_ROOT/$1/stats"
	else
		cat "$SD_ROOT/$1/stats"
	fi
}

sd_stats_reset() {
	local name
	for name in "$@"; do
		echo 0 >"$SD_ROOT/$name/stats"
	done
}
