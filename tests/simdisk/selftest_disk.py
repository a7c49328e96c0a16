# SPDX-License-Identifier: GPL-2.0-only
"""Simulated disks for the self-tests: create, configure, raw I/O, and the runner of the checks."""
import errno
import fcntl
import mmap
import os
import struct
import sys
import threading
import time
import traceback

ROOT = "/sys/kernel/config/simdisk"
BLKDISCARD = 0x1277
BLKZEROOUT = 0x127F
RWF_DSYNC = 2

LOCAL = threading.local()


def aligned(size):
    """A page-aligned buffer of this thread, good until the next call."""
    if not hasattr(LOCAL, "buffer"):
        LOCAL.buffer = mmap.mmap(-1, 1 << 20)
    return memoryview(LOCAL.buffer)[:size]


def put(path, value):
    with open(f"{ROOT}/{path}", "w") as file:
        file.write(f"{value}\n")


def get(path):
    with open(f"{ROOT}/{path}") as file:
        return file.read().strip()


class Disk:
    """A simulated disk, switched on, open for direct I/O."""

    def __init__(self, name, size_mb=64, **params):
        self.name = name
        os.mkdir(f"{ROOT}/{name}")
        try:
            self.set(size_mb=size_mb, **params)
            self.set(power=1)
        except OSError:
            os.rmdir(f"{ROOT}/{name}")
            raise
        self.path = get(f"{name}/device")
        self.queue = f"/sys/block/{os.path.basename(self.path)}/queue"
        self.open()

    def open(self):
        self.fd = os.open(self.path, os.O_RDWR | os.O_DIRECT)

    def close(self):
        os.close(self.fd)

    def destroy(self):
        self.close()
        os.rmdir(f"{ROOT}/{self.name}")

    def set(self, **params):
        for key, value in params.items():
            put(f"{self.name}/{key}", value)

    def get(self, key):
        return get(f"{self.name}/{key}")

    def stats(self):
        return {key: int(value) for key, value in (line.split() for line in self.get("stats").splitlines())}

    def write(self, sector, data, fua=False):
        """One write command; fua also makes the kernel flush after it (set ignore_flush to see FUA alone)."""
        view = aligned(len(data))
        view[:] = data
        done = os.pwritev(self.fd, [view], sector * 512, RWF_DSYNC if fua else 0)
        if done != len(data):
            raise OSError(errno.EIO, "short write")

    def read(self, sector, sectors):
        view = aligned(sectors * 512)
        if os.preadv(self.fd, [view], sector * 512) != sectors * 512:
            raise OSError(errno.EIO, "short read")
        return bytes(view)

    def flush(self):
        os.fsync(self.fd)

    def discard(self, sector, sectors):
        fcntl.ioctl(self.fd, BLKDISCARD, struct.pack("QQ", sector * 512, sectors * 512))

    def zero(self, sector, sectors):
        fcntl.ioctl(self.fd, BLKZEROOUT, struct.pack("QQ", sector * 512, sectors * 512))


def stamp(value, sectors=1):
    """Sectors that say who wrote them."""
    return struct.pack("<QQ", value, value ^ 0x5A5A5A5A5A5A5A5A) * 32 * sectors


def unstamp(data):
    """The value of one sector; fails when the sector itself is torn or mixed."""
    assert data == data[:16] * 32, "a sector is mixed"
    value, check = struct.unpack_from("<QQ", data)
    if not value and not check:
        return 0
    assert check == value ^ 0x5A5A5A5A5A5A5A5A, "a sector is not a stamp"
    return value


def fails(code, action, *args, **kwargs):
    """@action must fail with this errno."""
    try:
        action(*args, **kwargs)
    except OSError as error:
        assert error.errno == code, f"{errno.errorcode[error.errno]} instead of {errno.errorcode[code]}"
        return
    raise AssertionError(f"no {errno.errorcode[code]}")


def near(what, value, expected, percent):
    off = 100.0 * (value - expected) / expected
    print(f"    {what}: {value:.4g}, expected {expected:.4g} ({off:+.2f} %)")
    assert abs(off) <= percent, f"{what}: off by {off:.2f} %, allowed {percent} %"


def run(checks):
    """Run the checks, or those named on the command line; each gets no argument and cleans up by name."""
    wanted = sys.argv[1:]
    bad = 0
    for check in checks:
        name = check.__name__
        if wanted and name not in wanted:
            continue
        start = time.monotonic()
        try:
            check()
            print(f"ok      {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception:
            bad += 1
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED  {name}", flush=True)
        for entry in os.listdir(ROOT):
            if os.path.isdir(f"{ROOT}/{entry}"):
                os.rmdir(f"{ROOT}/{entry}")
    return bad
