"""Chapter placement, section 6: the distributions of other clients."""

import bisect
from typing import ClassVar

from .hashes import md5, murmur64a
from .key import lazily_tagged

U64 = (1 << 64) - 1


def signed(number):
    """A number of 64 bits as explanations show it."""
    return number - (1 << 64) if number >> 63 else number


class Foreign:
    """The servers are in the order of the file, and all of them take part."""

    has_tags = has_weights = has_unnamed = False

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
        """The last one of equal points counts."""
        points[value] = index

    def place(self, h):
        at = bisect.bisect_left(self.values, h & U64)
        value, index = self.ring[at if at < len(self.ring) else 0]
        return signed(value), index


class ShardedJedis(Foreign):
    hashes: ClassVar = {"murmur64a": murmur64a, "md5": md5}
    has_tags = has_weights = has_unnamed = True

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
    has_weights = has_unnamed = False

    def texts(self, index, _server):
        return (f"SHARD-{index}-NODE-{number}" for number in range(160))


FOREIGN = {
    "sharded_jedis": ShardedJedis,
    "sharded_jedis_2_9": ShardedJedis29,
    "jedis_sharding": JedisSharding,
}


def default_hash(distribution):
    """The hash of a pool that names none."""
    return next(iter(FOREIGN[distribution].hashes)) if distribution in FOREIGN else "fnv1a_64"
