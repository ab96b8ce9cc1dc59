"""The rings that clients and OneHop are asked for."""

import json
from dataclasses import dataclass, field


@dataclass
class Ring:
    about: str
    distribution: str
    servers: list  # "address name weight"; the name "-" is none.
    hash: str = ""
    tag: str = ""
    options: dict = field(default_factory=dict)

    def line(self):
        """The ring as the programs of clients read it."""
        return "\t".join([self.hash or "-", self.tag or "-", *self.servers])

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
        return [
            name if name != "-" else address if has_port(address) else f"{address}:6379"
            for address, name, _ in parts
        ]


def has_port(address):
    return ":" in address or address.startswith("/")


def plain(count):
    return [f"10.0.{n // 250}.{n % 250 + 1} - 1" for n in range(count)]


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
