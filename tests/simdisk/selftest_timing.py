# SPDX-License-Identifier: GPL-2.0-only
"""Service times of simulated disks against their formulas, and against null_blk. Needs virtual time."""
import json
import math
import os
import subprocess
import sys

from selftest_disk import Disk, near, run

NULL_BLK = "/sys/kernel/config/nullb"
HDD_GB = 100


def fio(path, **options):
    """Run one fio job; returns IOPS, MiB/s and the mean latency in us of its only direction."""
    options = {"direct": 1, "ioengine": "libaio", "bs": "4k", "runtime": 4, "time_based": 1, "randrepeat": 1,
               "norandommap": 1, "random_generator": "tausworthe64", **options}
    command = ["fio", "--name=x", f"--filename={path}", "--output-format=json"]
    command += [f"--{key}={value}" for key, value in options.items()]
    result = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    job = json.loads(result[result.index("{"):])["jobs"][0]
    side = max((job["read"], job["write"]), key=lambda s: s["total_ios"])
    return side["iops"], side["bw_bytes"] / (1 << 20), side["lat_ns"]["mean"] / 1000


def scheduler(path, name, requests=None):
    queue = f"/sys/block/{os.path.basename(path)}/queue"
    try:
        with open(f"{queue}/scheduler", "w") as file:
            file.write(name)
        if requests:
            with open(f"{queue}/nr_requests", "w") as file:
                file.write(str(requests))
    except OSError as error:
        print(f"    scheduler {name}: {error}")


def warm():
    """Load fio and its libraries, whose first use takes host time."""
    disk = Disk("w", 64)
    fio(disk.path, rw="randread", runtime=1)
    disk.destroy()


def null_blk(name, **params):
    subprocess.run(["modprobe", "null_blk", "nr_devices=0"], check=True)
    directory = f"{NULL_BLK}/{name}"
    os.mkdir(directory)
    for key, value in {**params, "power": 1}.items():
        with open(f"{directory}/{key}", "w") as file:
            file.write(str(value))
    return f"/dev/{name}"


def fixed_is_null_blk():
    """Model fixed gives the figures of null_blk with the same parameters within 3 %."""
    other = null_blk("nullb9", size=1024, irqmode=2, completion_nsec=4000000, mbps=150, hw_queue_depth=1,
                     max_sectors=2048, blocksize=4096, cache_size=4, memory_backed=1)
    disk = Disk("f", 1024, model="fixed", logical_block=4096)
    jobs = [{"rw": "randwrite"}, {"rw": "randread", "iodepth": 8}, {"rw": "write", "bs": "1m"},
            {"rw": "read", "bs": "1m", "iodepth": 4}, {"rw": "write", "bs": "256k", "iodepth": 2},
            {"rw": "randwrite", "bs": "4k", "fsync": 1}, {"rw": "randwrite", "bssplit": "4k/50:1m/50", "iodepth": 4}]
    for path in (other, disk.path):
        scheduler(path, "mq-deadline", 64)
    for job in jobs:
        expected = fio(other, **job)
        got = fio(disk.path, **job)
        label = " ".join(f"{key}={value}" for key, value in job.items())
        # A mixed job is decided by where the commands fall between the ticks.
        near(f"{label}: MiB/s", got[1], expected[1], 6 if "bssplit" in job else 3)
    disk.destroy()
    os.rmdir(f"{NULL_BLK}/nullb9")


def fixed_formula():
    """Without ticks a command takes cost + bytes / rate, one at a time, and a flush takes the cost."""
    disk = Disk("f", 1024, model="fixed", fixed_us=2000, fixed_mbps=100, fixed_tick_ms=0)
    near("4k write, IOPS", fio(disk.path, rw="randwrite")[0], 1 / (0.002 + 4096 / (100 << 20)), 2)
    near("1m read qd4, IOPS", fio(disk.path, rw="read", bs="1m", iodepth=4)[0], 1 / (0.002 + 0.01), 2)
    disk.set(stats=0)
    iops = fio(disk.path, rw="randwrite", fsync=1)[0]
    near("4k write + flush, IOPS", iops, 1 / (0.004 + 4096 / (100 << 20)), 3)
    stats = disk.stats()
    assert abs(stats["writes"] - stats["flushes"]) <= 2, stats
    disk.destroy()


def hdd_numbers(disk):
    """Revolution in us, tracks, and the mean seek of uniformly random positions, from the parameters."""
    rpm, mbps = int(disk.get("hdd_rpm")), int(disk.get("hdd_mbps"))
    low, third, high = (int(disk.get(f"hdd_seek_{key}_us")) for key in ("min", "avg", "max"))
    revolution = 60e6 / rpm
    track = (mbps << 20) * revolution / 1e6 / 512
    tracks = HDD_GB * 2 ** 21 / track

    def seek(distance):
        if distance <= tracks / 3:
            return low + (third - low) * math.sqrt(max(0, distance - 1) / (tracks / 3 - 1))
        return third + (high - third) * (distance - tracks / 3) / (tracks * 2 / 3)

    steps = 20000
    mean = sum(seek((i + 0.5) / steps * tracks) * 2 * (1 - (i + 0.5) / steps) for i in range(steps)) / steps
    return revolution, track, mean


def hdd_random():
    """hdd: a 4k random read at depth 1 takes mean seek + half a turn; depth 32 gives at least twice the IOPS."""
    disk = Disk("h", HDD_GB * 1024, model="hdd")
    scheduler(disk.path, "none")
    revolution, track, seek = hdd_numbers(disk)
    overhead = int(disk.get("hdd_overhead_us"))
    expected = overhead + seek + revolution / 2 + 8 * revolution / track
    print(f"    mean seek {seek:.0f} us, half a turn {revolution / 2:.0f} us")
    one = fio(disk.path, rw="randread", runtime=40)
    near("4k random read, us", one[2], expected, 3)
    many = fio(disk.path, rw="randread", iodepth=32, runtime=20)
    print(f"    depth 1: {one[0]:.1f} IOPS, depth 32: {many[0]:.1f} IOPS")
    assert many[0] >= 2 * one[0]
    # With FUA nothing is cached: the same time as a read.
    near("4k random FUA write, us", fio(disk.path, rw="randwrite", runtime=30, sync="dsync")[2], expected, 6)
    cached = fio(disk.path, rw="randwrite", runtime=20)
    print(f"    depth 1 through the write cache: {cached[0]:.1f} IOPS")
    assert cached[0] > 1.5 * one[0]
    disk.destroy()


def hdd_sequential():
    """hdd: sequential reads and writes run at the media rate, also at depth 1 and in the inner zones."""
    disk = Disk("h", HDD_GB * 1024, model="hdd", hdd_zones=4, hdd_mbps=200, hdd_inner_mbps=80)
    scheduler(disk.path, "none")
    for job in ({"rw": "read", "bs": "64k"}, {"rw": "read", "bs": "1m", "iodepth": 4},
                {"rw": "write", "bs": "64k"}, {"rw": "write", "bs": "1m", "iodepth": 4}):
        label = " ".join(f"{key}={value}" for key, value in job.items())
        near(f"outer zone, {label}: MiB/s", fio(disk.path, **job)[1], 200, 3)
    for zone, rate in ((1, 160), (3, 80)):
        got = fio(disk.path, rw="read", bs="256k", offset=f"{zone * HDD_GB // 4 + 1}g")[1]
        near(f"zone {zone}: MiB/s", got, rate, 3)
    disk.destroy()
    disk = Disk("h", HDD_GB * 1024, model="hdd", hdd_write_back=0)
    scheduler(disk.path, "none")
    # Without a write cache each write misses its turn: a revolution, all but the time that the host takes.
    near("64k sequential write without cache, us", fio(disk.path, rw="write", bs="64k")[2], 60e6 / 7200, 2)
    disk.destroy()


def ssd_times():
    """ssd: one read takes read_us and the link; many are limited by channels or link, writes by programs."""
    link = 4096 / (550 << 20) * 1e6
    disk = Disk("s", 4096, model="ssd")
    scheduler(disk.path, "none")
    near("4k random read, us", fio(disk.path, rw="randread", runtime=1)[2], 80 + link, 10)
    near("1m read qd4, MiB/s", fio(disk.path, rw="read", bs="1m", iodepth=4, runtime=1)[1], 550, 3)
    near("4k random write, us", fio(disk.path, rw="randwrite", runtime=1)[2], 15 + link, 40)
    disk.set(ssd_mbps=5000, ssd_buffer_kb=256)
    # N commands over M channels, chosen at random: at least the closed network's N / (N + M - 1) of the channels' rate.
    iops = fio(disk.path, rw="randread", iodepth=32, runtime=1)[0]
    print(f"    4k random read at depth 32: {iops:.0f} IOPS, the channels can do {8 / 80e-6:.0f}")
    assert 0.80 * 8 / 80e-6 <= iops <= 8 / 80e-6
    disk.set(ssd_program_us=400)
    near("4k random write qd32, IOPS", fio(disk.path, rw="randwrite", iodepth=32, runtime=1)[0], 8 / 100e-6, 5)
    disk.destroy()


def overhead():
    """The simulator's own time per 4k command is below 1.5 us, against a null_blk that moves no data."""
    other = null_blk("nullb8", size=1024, irqmode=0, hw_queue_depth=128, blocksize=512)
    scheduler(other, "none")
    base = {}
    for rw in ("randread", "randwrite"):
        base[rw] = 1e6 / fio(other, rw=rw, iodepth=32, runtime=1, size="256m")[0]
    os.rmdir(f"{NULL_BLK}/nullb8")
    disk = Disk("r", 1024)
    scheduler(disk.path, "none")
    fio(disk.path, rw="write", bs="1m", size="256m", time_based=0)
    for rw in ("randread", "randwrite"):
        cost = 1e6 / fio(disk.path, rw=rw, iodepth=32, runtime=1, size="256m")[0] - base[rw]
        print(f"    {rw}: {base[rw]:.2f} us per command without data, simdisk adds {cost:.2f} us")
        assert cost < 1.5
    disk.destroy()


sys.exit(run([warm, fixed_formula, fixed_is_null_blk, hdd_random, hdd_sequential, ssd_times, overhead]) > 0)
