# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by the cases: one set, /dev/mapper/r, on simulated disks d0, d1 ... of 128 MB; a tss set on five has room for 100 MiB.
#
#   disks N [SIZE_MB]           make them
#   create LEVEL MB [OPTION..]  format all disks as a set of that length, and start it
#   assemble LEVEL MB [DEV..]   start it again, by default from all disks; "-" for one that is missing
#   member NAME                 its device: "-" stays
#   status_value KEY            of key=value in the status line;  health
#   member_io                   all commands that the disks have seen so far
#   settle                      until there is nothing to do
#   fill FILE MB                random content
#   same FILE [MB_OFFSET]       the device has this content, read past the page cache
#   mark_log;  log_since_mark   of the kernel
R=/dev/mapper/r

disks() {
	local i
	nr_disks=$1
	load_module
	for ((i = 0; i < $1; i++)); do sd_create "d$i" "${2:-128}" model=ram cache=1; done
}

all_disks() {
	local i
	for ((i = 0; i < nr_disks; i++)); do printf ' /dev/d%d' "$i"; done
}

create() {
	local level=$1 sectors=$(($2 * 2048))
	shift 2
	dmsetup create r --table "0 $sectors raidx $level $(($# + 1)) create $*${*:+ }$nr_disks$(all_disks)"
}

assemble() {
	local level=$1 sectors=$(($2 * 2048)) options=0
	shift 2
	if [ "${1:-}" = degraded ]; then
		options="1 degraded"
		shift
	fi
	# shellcheck disable=SC2046
	[ $# != 0 ] || set -- $(all_disks)
	dmsetup create r --table "0 $sectors raidx $level $options $# $*"
}

status_value() { dmsetup status r | grep -oE "(^| )$1=[^ ]*" | head -n 1 | cut -d= -f2; }
health() { dmsetup status r | awk '{ print $6 }'; }

member_io() {
	awk '$1 == "reads" || $1 == "writes" || $1 == "discards" || $1 == "flushes" { sum += $2 } END { print sum }' \
		"$SD_ROOT"/d*/stats
}

settle() {
	local before='' now quiet=0 end=$((SECONDS + 90))
	while [ $quiet -lt 6 ]; do
		[ $SECONDS -lt $end ] || fail "no rest within 90 s: $(dmsetup status r)"
		sleep 0.5
		now=$(member_io)
		if [ "$now" = "$before" ]; then quiet=$((quiet + 1)); else quiet=0; fi
		before=$now
	done
}

fill() { head -c $(($2 << 20)) /dev/urandom >"$1"; }

same() {
	local bytes
	bytes=$(stat -c %s "$1")
	blockdev --flushbufs $R
	dd if=$R bs=1M skip="${2:-0}" count=$((bytes >> 20)) iflag=direct status=none | cmp - "$1"
}

mark_log() { echo "case-mark $((++log_marks))" >/dev/kmsg; }
log_marks=0
log_since_mark() { dmesg | awk -v mark="case-mark $log_marks" 'index($0, mark) { found = 1; next } found'; }
