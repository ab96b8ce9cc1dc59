"""Which worker to kill, and what it was doing: a worker is stopped, looked at, and killed before it can go on.

Whether it holds the writer's lock of the segment, and so is publishing, /proc/locks tells; whether it holds connections, its
descriptors and the kernel's table of sockets.
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
        self.stops = []  # (since, until), in nanoseconds as PHP's hrtime() counts them: until it was dead others may have waited for a victim.

    def kill_one(self, *, wants_writer):
        """Kills a worker and returns [what it was doing]; nothing if the one chosen was gone already."""
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
            found = (
                WRITING
                if self._writer(0) == pid
                else HOLDING
                if self._holds_connections(pid)
                else WITHOUT
            )
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            select.select([handle], [], [])
            self.stops.append((began, time.monotonic_ns()))
        except (ProcessLookupError, FileNotFoundError):
            return []
        finally:
            os.close(handle)
        return [found]

    def _writer(self, seconds):
        """Who holds the lock of the segment; looks for so long."""
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
    """Of the file without a name that the writer's lock is on."""
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
