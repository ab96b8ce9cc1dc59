"""Chapter placement: which server has a hash."""

import bisect
import hashlib
import random
import struct

from .limits import LIMITS


def f32(x):
    """Rounds to IEEE single precision."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def point_groups(weight, total, live_count):
    share = f32(f32(weight) / f32(total))
    value = f32(f32(f32(share * 160) / 4) * f32(live_count))
    return int(f32(value + 1e-10))


class Ketama:
    def __init__(self, servers, live):
        total = sum(servers[index]["weight"] for index in live)
        points = []
        for index in live:
            name = servers[index]["name"].encode()
            for group in range(point_groups(servers[index]["weight"], total, len(live))):
                digest = hashlib.md5((name + b"-%d" % group)[: LIMITS["point_bytes_max"]]).digest()
                points += [(value, index) for value in struct.unpack("<IIII", digest)]
        points.sort(key=lambda point: point[0])  # Stable: equal values keep the building order.
        self.points = points
        self.values = [value for value, _ in points]

    def place(self, h):
        """The ring point that takes the hash, and its server."""
        at = bisect.bisect_left(self.values, h)
        return self.points[at if at < len(self.points) else 0]


class Modula:
    def __init__(self, servers, live):
        self.live, self.ends, self.total = live, [], 0
        for index in live:
            self.total += servers[index]["weight"]
            self.ends.append(self.total)

    def place(self, h):
        """The slot of the hash, and its server."""
        at = h % self.total
        return at, self.live[bisect.bisect_right(self.ends, at)]


class Random:
    def __init__(self, _servers, live):
        self.live = live

    def place(self, _hash):
        return 0, random.choice(self.live)


class Slots:
    """Chapter topology, cluster: without a map the seeds stand in for the owners of slots."""

    def __init__(self, servers, _live):
        self.servers = servers

    def place(self, h):
        return h % 16384, h % 16384 % len(self.servers)


DISTRIBUTIONS = {"ketama": Ketama, "modula": Modula, "random": Random, "slots": Slots}
