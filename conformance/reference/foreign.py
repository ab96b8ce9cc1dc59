"""Chapter placement, section 6: the distributions of other clients."""

import bisect
import hashlib
import math
import struct
import zlib
from typing import ClassVar

from .hashes import HASHES, HASHES_OF_PHP, md5, murmur64a
from .key import hashed_part, lazily_tagged, loosely_tagged
from .limits import U32
from .placement import point_groups

U64 = (1 << 64) - 1


def signed(number):
    """A number of 64 bits as explanations show it."""
    return number - (1 << 64) if number >> 63 else number


class Foreign:
    """The servers are in the order of the file, and all of them take part."""

    has_tags = has_weights = has_many_points = has_unnamed = has_short_names = False
    name_bytes_max = None
    slots_count = 0  # The file gives each server its slots.

    def __init__(self, pool):
        self.servers, self.hash = pool["servers"], self.hashes[pool["hash"]]
        self.tag = pool["hash_tag"].encode() if pool["hash_tag"] else None
        points = {}
        for index, server in enumerate(self.servers):
            for value in self.points(index, server):
                self.add(points, value, index)
        self.ring = sorted(points.items())
        self.values = [value for value, _ in self.ring]

    @staticmethod
    def add(points, value, index):
        """Of equal points, the one that was added last counts."""
        points[value] = index

    def place(self, h):
        at = bisect.bisect_left(self.values, h & U64)
        value, index = self.ring[at if at < len(self.ring) else 0]
        return signed(value), index


class ShardedJedis(Foreign):
    hashes: ClassVar = {"murmur64a": murmur64a, "md5": md5}
    has_tags = has_weights = has_many_points = has_unnamed = True

    def part(self, key):
        return lazily_tagged(key, self.tag) if self.tag else key

    def texts(self, index, server):
        for number in range(160 * server["weight"]):
            if server["named"]:
                yield f"{server['name']}*{self.between(server)}{number}"
            else:
                yield f"SHARD-{index}-NODE-{number}"

    @staticmethod
    def between(_server):
        return ""

    def points(self, index, server):
        return (self.hash(text.encode()) & U64 for text in self.texts(index, server))


class ShardedJedis29(ShardedJedis):
    @staticmethod
    def between(server):
        return server["weight"]


class JedisSharding(ShardedJedis):
    has_weights = has_many_points = has_unnamed = False

    def texts(self, index, _server):
        return (f"SHARD-{index}-NODE-{number}" for number in range(160))


def redis_array_hash(algorithm):
    """PHP's hash modulo 2^32 - 1. Without a hash: the register of a CRC-32, not inverted."""
    if algorithm == "crc32a":
        return lambda key: zlib.crc32(key) ^ U32
    return lambda key: HASHES_OF_PHP[algorithm](key) % U32


class RedisArrayRing(Foreign):
    hashes: ClassVar = {name: redis_array_hash(name) for name in ("crc32a", *HASHES_OF_PHP)}
    name_bytes_max = 60

    def part(self, key):
        """As a text of C: a NUL ends the search."""
        text = key.partition(b"\0")[0]
        part = loosely_tagged(text)
        return part if part is not text else key

    @staticmethod
    def add(points, value, index):
        points.setdefault(value, index)

    def points(self, _index, server):
        return four_each(f"{server['name']}-{number}" for number in range(40))


class RedisArray(RedisArrayRing):
    """The complement of the hash, times the number of servers: ranges of equal size."""

    hashes: ClassVar = {
        name: (lambda key, of=of: of(key) ^ U32) for name, of in RedisArrayRing.hashes.items()
    }
    name_bytes_max = None

    def points(self, index, _server):
        count = len(self.servers)
        last = -(-(index + 1) * U32 // count) - 1
        return [U32 if index + 1 == count else last]


def four_each(texts):
    for text in texts:
        yield from struct.unpack("<IIII", hashlib.md5(text.encode()).digest())


def share(server, servers):
    return server["weight"] / sum(it["weight"] for it in servers)


class PredisRing(Foreign):
    """A hash belongs to the last point that is not above it: the same ring, read backwards."""

    hashes: ClassVar = {"crc32a": zlib.crc32}
    has_weights = True

    def part(self, key):
        return hashed_part(key, b"{}")

    def points(self, _index, server):
        count = math.floor(share(server, self.servers) * len(self.servers) * 128 + 0.5)
        name = server["name"].encode()
        return (zlib.crc32(name + b":%d" % number) ^ U32 for number in range(count))

    def place(self, h):
        value, index = super().place(h ^ U32)
        return value ^ U32, index


class LibmemcachedRing(Foreign):
    hashes: ClassVar = {
        name: HASHES[name]
        for name in (
            "one_at_a_time",
            "md5",
            "crc32",
            "fnv1_64",
            "fnv1a_64",
            "fnv1_32",
            "fnv1a_32",
            "murmur",
            "jenkins",
        )
    }
    has_short_names = True

    def part(self, key):
        return key

    @staticmethod
    def add(points, value, index):
        points.setdefault(value, index)

    def points(self, _index, server):
        name = server["name"].encode()
        return (self.hash(name + b"-%d" % number) for number in range(100))


class SpymemcachedRing(Foreign):
    hashes: ClassVar = {"md5": md5}
    has_weights = True

    def part(self, key):
        return key

    def points(self, _index, server):
        total = sum(it["weight"] for it in self.servers)
        count = len(self.servers)
        groups = 40 if total == count else point_groups(server["weight"], total, count)
        return four_each(f"{server['name']}-{number}" for number in range(groups))


class Codis(Foreign):
    """A table of slots. The ring has a point for each."""

    hashes: ClassVar = {"crc32a": zlib.crc32}
    has_weights = True
    slots_count = 1024

    def part(self, key):
        return loosely_tagged(key)

    def points(self, _index, server):
        return server["slots"]

    def place(self, h):
        return super().place(h % self.slots_count)


FOREIGN = {
    "redis_array": RedisArray,
    "redis_array_consistent": RedisArrayRing,
    "sharded_jedis": ShardedJedis,
    "sharded_jedis_2_9": ShardedJedis29,
    "jedis_sharding": JedisSharding,
    "predis_hashring": PredisRing,
    "libmemcached_consistent": LibmemcachedRing,
    "spymemcached": SpymemcachedRing,
    "codis": Codis,
}


def default_hash(distribution):
    """The hash of a pool that names none."""
    return next(iter(FOREIGN[distribution].hashes)) if distribution in FOREIGN else "fnv1a_64"
