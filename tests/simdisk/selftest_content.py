# SPDX-License-Identifier: GPL-2.0-only
"""Content of simulated disks: what is kept, lost and torn at power cuts, and faults."""
import errno
import os
import random
import sys
import threading
import time

from selftest_disk import Disk, fails, get, put, run, stamp, unstamp


def integrity():
    """Reads give what was written, by commands of all sizes and offsets, with and without a cache."""
    for cache in (0, 1):
        rng = random.Random(cache)
        disk = Disk("c", 2, cache=cache, versions=1 + 7 * cache)
        shadow = bytearray(2 << 20)
        for step in range(600):
            sector = rng.randrange(4000)
            sectors = min(rng.choice((1, 1, 2, 7, 8, 8, 16, 100, 1000)), 4096 - sector)
            kind = rng.randrange(10)
            if kind < 5:
                data = rng.randbytes(sectors * 512)
                disk.write(sector, data)
                shadow[sector * 512:(sector + sectors) * 512] = data
            elif kind < 8:
                assert disk.read(sector, sectors) == shadow[sector * 512:(sector + sectors) * 512], f"step {step}"
            elif kind == 8:
                sector, sectors = sector & ~7, (sectors + 7) & ~7
                sectors = min(sectors, 4096 - sector)
                disk.discard(sector, sectors)
                shadow[sector * 512:(sector + sectors) * 512] = bytes(sectors * 512)
            else:
                disk.flush()
        assert disk.read(0, 2048) + disk.read(2048, 2048) == shadow
        disk.destroy()


class Oracle:
    """Knows per sector what may be there after a cut: the durable value, or any volatile one since."""

    def __init__(self, disk, sectors):
        self.disk = disk
        self.durable = [0] * sectors
        self.volatile = [[] for _ in range(sectors)]
        self.next = 1
        self.seen = {"newest": 0, "older": 0, "durable": 0}

    def write(self, sector, sectors, fua=False):
        value, self.next = self.next, self.next + 1
        for i in range(sector, sector + sectors):
            self.volatile[i].append(value)
        self.disk.write(sector, stamp(value, sectors), fua)
        if fua:
            for i in range(sector, sector + sectors):
                self.durable[i] = value
                self.volatile[i] = []

    def flush(self):
        self.disk.flush()
        for i, values in enumerate(self.volatile):
            if values:
                self.durable[i] = values[-1]
                self.volatile[i] = []

    def check(self):
        """After a cut; returns the number of sectors that may not be what they are, and starts anew from there."""
        wrong = 0
        content = b"".join(self.disk.read(i, min(2048, len(self.durable) - i))
                           for i in range(0, len(self.durable), 2048))
        for i, values in enumerate(self.volatile):
            value = unstamp(content[i * 512:(i + 1) * 512])
            if values and value == values[-1]:
                self.seen["newest"] += 1
            elif value in values:
                self.seen["older"] += 1
            elif value == self.durable[i]:
                self.seen["durable"] += bool(values)
            else:
                wrong += 1
            self.durable[i] = value
            self.volatile[i] = []
        return wrong


def churn(oracle, rng, steps, sectors, fua):
    for _ in range(steps):
        kind = rng.randrange(20)
        if kind == 0:
            oracle.flush()
        else:
            count = rng.choice((1, 3, 8, 8, 8, 16, 64))
            oracle.write(rng.randrange(sectors - count), count, fua and kind < 3)


def cuts():
    """After each of 80 cuts every sector is what it may be; kept, dropped, torn and older content all come up."""
    disk = Disk("c", 8)
    oracle = Oracle(disk, 2048)
    rng = random.Random(1)
    for cut in range(80):
        churn(oracle, rng, 50, 2048, False)
        put("cut", cut)
        fails(errno.EIO, disk.read, 0, 1)
        put("power", "1")
        wrong = oracle.check()
        assert not wrong, f"cut {cut}: {wrong} sectors are wrong"
    stats = disk.stats()
    print(f"    {oracle.seen}; writes kept {stats['cut_kept']} dropped {stats['cut_dropped']} torn {stats['cut_torn']}")
    assert min(oracle.seen.values()) > 300
    assert min(stats[f"cut_{fate}"] for fate in ("kept", "dropped", "torn")) > 250
    disk.destroy()


def cuts_in_flight():
    """The same with the cut at the Nth command: the write that failed is there, or not, or torn."""
    disk = Disk("c", 8)
    oracle = Oracle(disk, 2048)
    rng = random.Random(2)
    for cut in range(100):
        put("cut_after", f"{rng.randrange(1, 50)} {cut}")
        try:
            churn(oracle, rng, 60, 2048, False)
            raise AssertionError("the cut did not come")
        except OSError as error:
            assert error.errno == errno.EIO
        assert get("wait") == f"cut {cut}"
        put("power", "1")
        wrong = oracle.check()
        assert not wrong, f"cut {cut}: {wrong} sectors are wrong"
    stats = disk.stats()
    assert stats["cuts"] == 100 and 80 <= stats["cut_in_flight"] <= 100, stats
    disk.destroy()


def flush_lies():
    """The oracle detects a disk that ignores flushes (else it would prove nothing)."""
    disk = Disk("c", 8, ignore_flush=1)
    oracle = Oracle(disk, 2048)
    rng = random.Random(3)
    detected = 0
    for cut in range(20):
        churn(oracle, rng, 60, 2048, False)
        put("cut", cut)
        put("power", "1")
        detected += oracle.check() > 0
    print(f"    detected in {detected} of 20 cuts")
    assert detected >= 18
    disk.destroy()


def fua():
    """A FUA write stays without a flush, what was written before it does not; ignoring FUA is detected."""
    for lie in (0, 1):
        disk = Disk("c", 8, ignore_flush=1, ignore_fua=lie)
        lost = others = 0
        for cut in range(40):
            base = cut * 64
            disk.write(base, stamp(1 + cut, 8))
            disk.write(base + 16, stamp(1000 + cut, 8), fua=True)
            disk.write(base + 32, stamp(2000 + cut, 8))
            # An older volatile write of the same sectors may not come back above a FUA write.
            disk.write(base + 48, stamp(3000 + cut, 8))
            disk.write(base + 48, stamp(4000 + cut, 8), fua=True)
            put("cut", cut)
            put("power", "1")
            lost += disk.read(base + 16, 8) != stamp(1000 + cut, 8) or disk.read(base + 48, 8) != stamp(4000 + cut, 8)
            others += disk.read(base, 8) != stamp(1 + cut, 8)
        stats = disk.stats()
        assert stats["fua_writes"] == 80, stats
        assert (lost > 20) if lie else (lost == 0), f"ignore_fua={lie}: {lost} of 40 lost"
        assert others > 10, "a FUA write made an older write durable"
        disk.destroy()


def no_cache():
    """Without a cache every acknowledged write stays, and no flush is sent."""
    disk = Disk("c", 8, cache=0)
    for cut in range(20):
        disk.write(cut * 8, stamp(1 + cut, 8))
        disk.flush()
        put("cut", cut)
        put("power", "1")
        assert disk.read(cut * 8, 8) == stamp(1 + cut, 8)
    assert disk.stats()["flushes"] == 0
    disk.destroy()


def tears():
    """Writes tear at tear_bytes, at all places, and not at all with 0."""
    for unit in (512, 4096, 0):
        disk = Disk("c", 8, tear_bytes=unit)
        torn, patterns = 0, set()
        for cut in range(60):
            for i in range(4):
                disk.write(i * 64, stamp(1 + cut * 4 + i, 64))
            put("cut", 7000 + cut)
            put("power", "1")
            for i in range(4):
                content = disk.read(i * 64, 64)
                new = [unstamp(content[s * 512:(s + 1) * 512]) == 1 + cut * 4 + i for s in range(64)]
                if any(new) and not all(new):
                    torn += 1
                    patterns.add("prefix" if new == sorted(new, reverse=True) else
                                 "suffix" if new == sorted(new) else "mixed")
                if unit == 4096:
                    assert all(len(set(new[s:s + 8])) == 1 for s in range(0, 64, 8)), "tear inside 4096 bytes"
        print(f"    tear_bytes={unit}: {torn} of 240 torn, {sorted(patterns)}")
        assert (torn > 40 and len(patterns) == 3) if unit else torn == 0
        disk.destroy()


def same_seed():
    """The same commands and the same seed leave the same content; another seed does not."""
    results = []
    for seed in (5, 5, 6):
        disk = Disk("c", 8)
        rng = random.Random(9)
        for i in range(300):
            disk.write(rng.randrange(1000), stamp(i + 1, rng.choice((1, 8, 20))))
        put("cut", seed)
        put("power", "1")
        results.append(disk.read(0, 1024))
        disk.destroy()
    assert results[0] == results[1] != results[2]


def one_instant():
    """At a group cut no disk goes on after another one stopped: a chain of FUA writes over three disks has no gap."""
    disks = [Disk(f"c{i}", 8, model="ssd" if i else "fixed", fixed_us=100, ssd_ack_us=5) for i in range(3)]
    put("c0/fixed_mbps", 0)
    value = 0
    for cut in range(60):
        value += 1
        for disk in disks:
            disk.write(0, stamp(value), fua=True)
        reached = [value] * 3

        def chain(start):
            try:
                for value in range(start, start + 10000):
                    for i, disk in enumerate(disks):
                        disk.write(0, stamp(value), fua=True)
                        reached[i] = value
            except OSError:
                pass

        thread = threading.Thread(target=chain, args=(value + 1,))
        if cut % 2:
            put("cut_match", f"c{cut % 3} {7 + cut} {cut}")
            thread.start()
            get("wait")
        else:
            thread.start()
            time.sleep(0.02)
            put("cut", cut)
        thread.join()
        put("power", "1")
        values = [unstamp(disk.read(0, 1)) for disk in disks]
        assert values[0] >= values[1] >= values[2] >= values[0] - 1, f"cut {cut}: {values}"
        assert all(found >= known for found, known in zip(values, reached)), f"cut {cut}: {values}, acked {reached}"
        value = values[0]
    for disk in disks:
        disk.destroy()


def flush_with_writes_in_flight():
    """Parallel writers and flushers: what was acknowledged before a flush was issued stays."""
    disk = Disk("c", 8, model="ssd", ssd_ack_us=50, ssd_flush_us=300)
    for cut in range(25):
        acked, promised = [0] * 4, [0] * 4
        base = cut * 100000

        def writer(lane):
            try:
                for value in range(base + 1, base + 100000):
                    disk.write(lane * 64, stamp(value, 64))
                    acked[lane] = value
            except OSError:
                pass

        def flusher():
            try:
                while True:
                    now = list(acked)
                    disk.flush()
                    promised[:] = now
            except OSError:
                pass

        threads = [threading.Thread(target=writer, args=(lane,)) for lane in range(4)]
        threads.append(threading.Thread(target=flusher))
        for thread in threads:
            thread.start()
        time.sleep(0.05)
        put("cut", cut)
        for thread in threads:
            thread.join()
        put("power", "1")
        for lane in range(4):
            content = disk.read(lane * 64, 64)
            for s in range(64):
                value = unstamp(content[s * 512:(s + 1) * 512])
                assert promised[lane] <= value <= acked[lane] + 1 or not promised[lane], \
                    f"cut {cut} lane {lane}: {value}, promised {promised[lane]}, acked {acked[lane]}"
    disk.destroy()


def discards():
    """Discarded sectors read as zeroes or garbage; an unflushed discard may be lost; pages are given back."""
    disk = Disk("c", 102400)
    far = 100 * (1 << 21) - 2048
    disk.write(far, stamp(1, 1024))
    disk.write(0, stamp(2, 1024))
    disk.flush()
    assert disk.stats()["pages"] == 256, disk.stats()
    disk.discard(far, 512)
    assert disk.read(far, 1024) == bytes(512 * 512) + stamp(1, 512)
    put("cut", 1)
    put("power", "1")
    assert set(unstamp(disk.read(far + i, 1)) for i in range(512)) <= {0, 1}
    disk.discard(0, 102400 << 11)
    disk.flush()
    assert disk.stats()["pages"] == 0, disk.stats()
    assert disk.read(0, 1024) == bytes(512 * 1024)
    disk.write(8, stamp(3, 8))
    disk.zero(8, 8)
    assert disk.read(8, 8) == bytes(4096)
    disk.destroy()
    disk = Disk("c", 64, discard="garbage")
    disk.write(0, stamp(4, 16))
    disk.discard(0, 16)
    first = disk.read(0, 16)
    assert first == disk.read(0, 16) and all(first), "garbage is not garbage"
    disk.write(4, stamp(5, 2))
    assert disk.read(0, 16) == first[:2048] + stamp(5, 2) + first[3072:]
    disk.zero(0, 16)
    assert disk.read(0, 16) == bytes(8192)
    disk.destroy()
    disk = Disk("c", 64, discard="off")
    fails(errno.EOPNOTSUPP, disk.discard, 0, 16)
    disk.destroy()


def sector_faults():
    """Unreadable sectors until rewritten, read and write errors, lost writes, flipped bits, failing flushes."""
    disk = Disk("c", 64)
    disk.write(0, stamp(1, 64))
    disk.set(bad="10 2")
    fails(errno.ENODATA, disk.read, 8, 8)
    disk.read(0, 10)
    disk.read(12, 8)
    disk.write(10, stamp(2, 1))
    assert disk.read(10, 1) == stamp(2)
    fails(errno.ENODATA, disk.read, 11, 1)
    put("cut", 3)       # drops or keeps the rewrite; with it the sector is readable
    put("power", "1")
    assert disk.get("bad") in ("1", "2")
    disk.set(bad="clear")
    disk.read(0, 64)
    disk.flush()

    disk.set(read_error="next 2")
    fails(errno.ENODATA, disk.read, 0, 1)
    fails(errno.ENODATA, disk.read, 0, 1)
    disk.read(0, 1)
    disk.set(write_error="20 4")
    disk.write(16, stamp(3, 4))
    fails(errno.EIO, disk.write, 16, stamp(4, 8))
    assert disk.read(16, 4) == stamp(3, 4)
    disk.set(write_error="clear")
    disk.set(write_error="next 1")
    fails(errno.EIO, disk.write, 0, stamp(5))
    disk.write(0, stamp(6))
    disk.set(lost_write=1)
    disk.write(0, stamp(7))
    assert disk.read(0, 1) == stamp(6)
    disk.set(flush_error=1)
    disk.write(40, stamp(8))
    fails(errno.EIO, disk.flush)
    disk.flush()
    disk.set(flip=f"{40 * 512 + 17} 0x81")
    good = bytearray(stamp(8))
    good[17] ^= 0x81
    assert disk.read(40, 1) == good
    fails(errno.ENOENT, disk.set, flip=f"{1 << 20}")
    disk.set(read_only=1)
    try:
        disk.write(0, stamp(9))
        raise AssertionError("a read-only disk took a write")
    except OSError as error:
        assert error.errno in (errno.EPERM, errno.EIO, errno.EROFS), error
    disk.set(read_only=0)
    disk.write(0, stamp(9))
    disk.destroy()


def hang():
    """A hung disk ends nothing until it is released; after the timeout the block layer gives up."""
    for model in ("ram", "fixed", "hdd", "ssd"):
        disk = Disk("c", 64, model=model, timeout_ms=500)
        disk.set(hang=1)
        ended = []

        def action():
            try:
                disk.write(0, stamp(1))
                ended.append("ok")
            except OSError as error:
                ended.append(error.errno)

        thread = threading.Thread(target=action)
        thread.start()
        time.sleep(0.1)
        assert not ended
        disk.set(hang=0)
        thread.join(5)
        assert ended == ["ok"], f"{model}: {ended}"
        disk.set(hang=1)
        thread = threading.Thread(target=action)
        thread.start()
        thread.join(20)
        assert ended[1:] == [errno.ETIMEDOUT], f"{model}: {ended}"
        disk.set(hang=0)
        disk.write(0, stamp(2))
        assert disk.read(0, 1) == stamp(2)
        disk.destroy()


def vanish():
    """A vanished disk fails everything, at once, and comes back with its content."""
    disk = Disk("c", 64, model="fixed", fixed_us=300000)
    ended = []

    def action():
        try:
            disk.write(0, stamp(2))
        except OSError as error:
            ended.append(error.errno)

    thread = threading.Thread(target=action)
    thread.start()
    time.sleep(0.05)
    disk.set(vanish=1)
    thread.join(1)
    assert ended == [errno.ENODEV], ended
    fails(errno.ENODEV, disk.read, 0, 1)
    fails(errno.ENODEV, disk.write, 0, stamp(1))
    disk.set(vanish=0)
    disk.write(8, stamp(3))
    assert disk.read(8, 1) == stamp(3)
    disk.destroy()


def removal():
    """A disk can be removed while it is open and busy: I/O fails from then on, the memory goes at the last close."""
    for model in ("ram", "fixed", "hdd", "ssd"):
        disk = Disk("c", 64, model=model)
        disk.set(hang=1)
        ended = []

        def action():
            try:
                disk.write(0, stamp(1))
            except OSError as error:
                ended.append(error.errno)

        thread = threading.Thread(target=action)
        thread.start()
        time.sleep(0.05)
        os.rmdir("/sys/kernel/config/simdisk/c")
        thread.join(5)
        assert ended, model
        try:
            disk.read(0, 1)
            raise AssertionError("read from a removed disk")
        except OSError:
            pass
        disk.close()


def geometry():
    """Block sizes, sizes, limits and names are what was asked for; setup parameters are fixed after power-on."""
    disk = Disk("c", 64, logical_block=4096, physical_block=4096)
    with open(f"{disk.queue}/logical_block_size") as file:
        assert file.read().strip() == "4096"
    fails(errno.EINVAL, disk.write, 1, stamp(1))
    disk.write(8, stamp(1, 8))
    disk.destroy()
    disk = Disk("c", 64, size_sectors=100001)
    assert os.lseek(disk.fd, 0, os.SEEK_END) == 100001 * 512
    fails(errno.EBUSY, disk.set, size_mb=5)
    fails(errno.EBUSY, disk.set, model="hdd")
    fails(errno.ERANGE, disk.set, versions=0)
    disk.write(0, bytes(1 << 20))
    assert disk.stats()["writes"] == 1, "a command of 1 MiB was split"
    disk.set(stats=0)
    assert disk.stats()["writes"] == 0
    disk.destroy()


def power_off():
    """A clean power-off loses nothing."""
    disk = Disk("c", 64)
    disk.write(0, stamp(1, 64))
    disk.set(power=0)
    fails(errno.EIO, disk.read, 0, 1)
    assert disk.get("power") == "0"
    disk.set(power=1)
    assert disk.read(0, 64) == stamp(1, 64)
    put("cut", 1)
    put("power", "1")
    assert disk.read(0, 64) == stamp(1, 64)
    disk.destroy()


def many():
    """64 disks, and hundreds of cuts of all of them; a cut of some leaves the others alone."""
    disks = [Disk(f"m{i}", 1024) for i in range(64)]
    start = time.monotonic()
    for cut in range(200):
        disks[cut % 64].write(0, stamp(cut + 1, 8))
        put("cut", cut)
        put("power", "1")
    print(f"    {200 / (time.monotonic() - start):.0f} cuts of 64 disks per second")
    put("cut", "1 m3 m5")
    assert [i for i in range(64) if disks[i].get("power") == "0"] == [3, 5]
    fails(errno.ENOENT, put, "cut", "1 nobody")
    fails(errno.EINVAL, put, "cut", "x")
    put("power", "1 m3")
    assert [i for i in range(64) if disks[i].get("power") == "0"] == [5]
    put("cut_after", "3 9 m7 m8")
    disks[0].write(0, stamp(1))
    disks[7].write(0, stamp(1))
    disks[8].flush()
    assert get("state") == "armed 1"
    put("cut_after", "0")
    assert get("state") == "idle"
    disks[7].write(0, stamp(1))
    for disk in disks:
        disk.destroy()


sys.exit(run([integrity, cuts, cuts_in_flight, flush_lies, fua, no_cache, tears, same_seed, one_instant,
              flush_with_writes_in_flight, discards, sector_faults, hang, vanish, removal, geometry, power_off, many]) > 0)
