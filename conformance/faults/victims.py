"""Chooses a worker, stops it to see what it is doing, and kills it before it can continue.

/proc/locks shows whether it holds the segment's writer lock and so is publishing. Its descriptors
and the kernel's socket table show whether it holds connections.
"""

import os
import random
import select
import signal
import time

WRITING, HOLDING, WITHOUT = "in the writer's lock", "holding connections", "holding nothing"
SEARCH_SECONDS = 0.03
STOP_SECONDS = 0.05


class Hunter:
    def __init__(self, house):
        self.house = house
        self.lock = lock_inode(house.fpm.worker_pids()[0])
        self.ports = {node.port for node in house.nodes}
        # (since, until) in nanoseconds of PHP's hrtime(): others may wait for a stopped victim.
        self.stops = []

    def kill_one(self, *, wants_writer):
        """Kills a worker; returns [what it was doing], or [] if the chosen one was already gone."""
        pid = self._writer(SEARCH_SECONDS) if wants_writer else None
        try:
            pid = pid or random.choice(self.house.fpm.worker_pids())
            handle = os.pidfd_open(pid)
        except (ProcessLookupError, IndexError):
            return []
        began = time.monotonic_ns()
        try:
            signal.pidfd_send_signal(handle, signal.SIGSTOP)
            wait_stopped(pid)
            if self._writer(0) == pid:
                found = WRITING
            else:
                found = HOLDING if self._holds_connections(pid) else WITHOUT
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            select.select([handle], [], [])
            self.stops.append((began, time.monotonic_ns()))
        except (ProcessLookupError, FileNotFoundError):
            return []
        finally:
            os.close(handle)
        return [found]

    def _writer(self, seconds):
        """The pid that holds the segment's writer lock; polls for `seconds`."""
        until = time.monotonic() + seconds
        while True:
            with open("/proc/locks") as locks:
                for line in locks:
                    words = line.split()
                    if words[1] == "POSIX" and words[5].rsplit(":", 1)[1] == self.lock:
                        return int(words[4])
            if time.monotonic() >= until:
                return None

    def _holds_connections(self, pid):
        directory = f"/proc/{pid}/fd"
        links = {os.readlink(f"{directory}/{name}") for name in os.listdir(directory)}
        with open(f"/proc/{pid}/net/tcp") as table:
            next(table)
            return any(
                f"socket:[{words[9]}]" in links
                for words in map(str.split, table)
                if words[3] == "01" and int(words[2].rsplit(":", 1)[1], 16) in self.ports
            )


def lock_inode(pid):
    """The inode of the unnamed file that has the writer lock."""
    directory = f"/proc/{pid}/fd"
    for name in os.listdir(directory):
        if os.readlink(f"{directory}/{name}").startswith("/memfd:onehop-lock"):
            return str(os.stat(f"{directory}/{name}").st_ino)
    raise FileNotFoundError("a worker without the lock of the segment")


def wait_stopped(pid):
    until = time.monotonic() + STOP_SECONDS
    while time.monotonic() < until:
        with open(f"/proc/{pid}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[0] == "T":
                return
