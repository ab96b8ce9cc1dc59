"""The rings that clients and OneHop are asked for."""

import json
from dataclasses import dataclass

from reference.foreign import FOREIGN, default_hash


@dataclass
class Ring:
    about: str
    distribution: str
    servers: list  # "address name weight"; the name "-" is none.
    hash: str = ""
    tag: str = ""

    def line(self):
        """The ring as the programs of clients read it."""
        option = "consistent" if self.distribution == "redis_array_consistent" else "-"
        return "\t".join([self.hash or "-", self.tag or option, *self.servers])

    def config(self):
        lines = ["p:", "  engine: redis", f"  distribution: {self.distribution}"]
        lines += [f"  hash: {self.hash}"] if self.hash else []
        lines += [f"  hash_tag: {json.dumps(self.tag)}"] if self.tag else []
        lines += ["  servers:"]
        for server in self.servers:
            address, name, weight = server.split(" ")
            port = "" if has_port(address) else ":6379"
            spelled = f"{address}{port}:{weight}" + (f" {name}" if name != "-" else "")
            lines.append(f"  - {json.dumps(spelled, ensure_ascii=False)}")
        return "\n".join(lines) + "\n"

    @property
    def names(self):
        """What OneHop calls the servers, in the order of the file."""
        parts = (server.split(" ") for server in self.servers)
        return [name if name != "-" else self.name_of(address) for address, name, _ in parts]

    def name_of(self, address):
        if self.distribution == "libmemcached_consistent":
            return address.removesuffix(":11211")
        return address if has_port(address) else f"{address}:6379"


def has_port(address):
    return ":" in address or address.startswith("/")


def plain(count):
    return [f"10.0.{n // 250}.{n % 250 + 1} - 1" for n in range(count)]


def points_of(distribution, hash_name, name):
    """The points of a server that shares its ring with one equal server."""
    server = {"name": name, "weight": 1, "named": True}
    pool = {"servers": [server, server], "hash": hash_name, "hash_tag": None}
    return FOREIGN[distribution](pool).points(0, server)


def colliding(distribution, hash_name=""):
    """Two servers with a point of the same value, in both orders: which one has it?"""
    is_named = distribution.startswith("sharded")
    owners = {}
    for number in range(100_000):
        address = f"10.7.{number // 250}.{number % 250 + 1}"
        name = f"node{number}" if is_named else f"{address}:6379"
        points = points_of(distribution, hash_name or default_hash(distribution), name)
        for point in points:
            other = owners.setdefault(point, number)
            if other != number:
                return [
                    Ring(f"equal points, {about}", distribution, servers, hash_name)
                    for about, servers in (
                        ("one way round", servers_of(distribution, other, number)),
                        ("the other", servers_of(distribution, number, other)),
                    )
                ]
    raise ValueError(f"{distribution}: no two points are equal")


def servers_of(distribution, *numbers):
    named = distribution.startswith("sharded")
    port = "" if named or distribution == "predis_hashring" else ":6379"
    return [
        f"10.7.{number // 250}.{number % 250 + 1}{port} {f'node{number}' if named else '-'} 1"
        for number in numbers
    ]


def sharded(distribution):
    named = ["10.0.0.1 alpha 1", "10.0.0.2 beta 2", "10.0.0.3 gamma 1"]
    mixed = ["10.0.0.1 größe 1", "10.0.0.2 - 3", "10.0.0.3 - 1", "10.0.0.4 n4 7"]
    many = [f"10.0.1.{n + 1} node{n} {n % 3 + 1}" for n in range(40)]
    return [
        Ring("4 unnamed", distribution, plain(4)),
        Ring("4 unnamed, {}", distribution, plain(4), "murmur64a", "{}"),
        Ring("4 unnamed, MD5, []", distribution, plain(4), "md5", "[]"),
        Ring("3 named, weights", distribution, named),
        Ring("3 named, weights, MD5, {}", distribution, named, "md5", "{}"),
        Ring("some named", distribution, mixed, "", "{}"),
        Ring("40 named, weights", distribution, many),
        Ring("200 unnamed, MD5", distribution, plain(200), "md5"),
        *colliding(distribution, "md5"),
    ]


SHARDED_JEDIS = sharded("sharded_jedis")
SHARDED_JEDIS_2_9 = sharded("sharded_jedis_2_9")
JEDIS_SHARDING = [
    Ring("2", "jedis_sharding", plain(2)),
    Ring("4", "jedis_sharding", plain(4)),
    Ring("4, {}", "jedis_sharding", plain(4), "", "{}"),
    Ring("4, MD5", "jedis_sharding", plain(4), "md5"),
    Ring("4, MD5, []", "jedis_sharding", plain(4), "md5", "[]"),
    Ring("25, {}", "jedis_sharding", plain(25), "", "{}"),
    Ring("200", "jedis_sharding", plain(200)),
]


PHP_HASHES = ("md5", "crc32", "crc32b", "joaat")


def with_ports(count, step=1):
    return [f"10.0.2.{n + 1}:{6379 + n % 3} - {1 + n % step}" for n in range(count)]


def hosts(distribution):
    """RedisArray's hosts: with a port, without one, sockets."""
    some = ["10.0.0.2:6379 - 1", "10.0.0.1:6380 - 1", "10.0.0.3 10.0.0.3 1", "/run/a.sock - 1"]
    return [
        Ring("2", distribution, with_ports(2)),
        Ring("several kinds", distribution, some),
        Ring("25", distribution, with_ports(25)),
        Ring("200", distribution, with_ports(200)),
        *(Ring(f"7, {name}", distribution, with_ports(7), name) for name in PHP_HASHES),
        Ring("kinds, md5", distribution, some, "md5"),
    ]


REDIS_ARRAY = (
    hosts("redis_array")
    + hosts("redis_array_consistent")
    + colliding("redis_array_consistent", "md5")
)


def weighted(*weights):
    return [f"10.0.3.{n + 1} - {weight}" for n, weight in enumerate(weights)]


PREDIS_HASHRING = [
    Ring(f"weights {', '.join(map(str, weights))}", "predis_hashring", weighted(*weights))
    for weights in (
        (1, 1),
        (6, 7, 7),
        (11, 20, 29),
        (1, 1, 7, 8, 8),
        (1, 1000),
        (100, 50, 25, 3),
        (1,) * 49,
        (3, 1, 4, 1, 5, 9, 2, 6),
    )
]
PREDIS_HASHRING += [
    Ring("sockets", "predis_hashring", ["/run/a.sock - 1", "10.0.0.1 - 2", "/run/b.sock - 1"]),
    *colliding("predis_hashring"),
]
LIBMEMCACHED_CONSISTENT = [
    Ring("2", "libmemcached_consistent", with_ports(2)),
    Ring("some on 11211", "libmemcached_consistent", ["b:11211 - 1", "a:11211 - 1", "c:11212 - 1"]),
    Ring("40", "libmemcached_consistent", with_ports(40)),
    *(
        Ring(f"5, {name}", "libmemcached_consistent", with_ports(5), name)
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
    ),
    *colliding("libmemcached_consistent"),
    *colliding("libmemcached_consistent", "md5"),
]
SPYMEMCACHED = [
    Ring("2", "spymemcached", with_ports(2)),
    Ring("on 11211", "spymemcached", ["10.0.0.1:11211 - 1", "10.0.0.2:11211 - 1"]),
    Ring("25", "spymemcached", with_ports(25)),
    Ring("47", "spymemcached", with_ports(47)),
    Ring("weights 1, 2, 3 ...", "spymemcached", with_ports(9, 3)),
    Ring("weights 1 to 7", "spymemcached", with_ports(14, 7)),
    *colliding("spymemcached"),
]
