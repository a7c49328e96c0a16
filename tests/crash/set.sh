# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced in the guest: modules, table lines, the length of a set.

# load_module FILE.ko: with what it depends on
load_module() {
	local name depends
	name=$(basename "$1" .ko)
	[ ! -e "/sys/module/${name//-/_}" ] || return 0
	depends=$(modinfo -F depends "$1" | tr , ' ')
	# shellcheck disable=SC2086
	[ -z "$depends" ] || modprobe -a $depends
	insmod "$1"
}

# What the kernel's log has about raidx since mark_log.
mark_log() { echo "raidx-mark $$.$((++log_marks))" >/dev/kmsg; }
log_marks=0
log_since_mark() { dmesg | awk -v mark="raidx-mark $$.$log_marks" 'index($0, mark) { found = 1; next } found'; }

# table_line LENGTH LEVEL "OPTIONS" DEVICE...
table_line() {
	local length=$1 level=$2 options=$3
	shift 3
	# shellcheck disable=SC2086
	set -- $# "$@" -- $options
	local devices=()
	while [ "$1" != -- ]; do devices+=("$1"); shift; done
	shift
	echo "0 $length raidx $level $# ${*:+$* }${devices[*]}"
}

# largest_length LEVEL "OPTIONS" DEVICE...: what the module says to a line that is too long
largest_length() {
	local level=$1 options=$2 name=raidx-probe length
	shift 2
	mark_log
	if dmsetup create "$name" --table "$(table_line 1099511627776 "$level" "$options" "$@")" 2>/dev/null; then
		dmsetup remove "$name"
		echo "a set of 512 TiB was made of small disks" >&2
		return 1
	fi
	dmsetup remove "$name" 2>/dev/null || true
	length=$(log_since_mark | grep -oE 'the largest is [0-9]+' | grep -oE '[0-9]+' | tail -n 1)
	[ -n "$length" ] || {
		echo "the module does not name the largest length; it says:" >&2
		log_since_mark >&2
		return 1
	}
	echo "$length"
}

# status_value NAME KEY: of key=value in the status line
status_value() { dmsetup status "$1" | grep -oE "(^| )$2=[^ ]*" | head -n 1 | cut -d= -f2; }
