#!/usr/bin/python3
"""Writes the vectors of the distributions of other clients: spec/placement/vectors/foreign.json.

The reference computes them. conformance/clients compares the same rings, and many more keys, with
the clients themselves.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "conformance"), str(ROOT / "spec/tools/reference")]

import reference  # noqa: E402 (the paths above find it)

PAGE = ROOT / "spec/placement/vectors/foreign.json"
NOT_NUTCRACKER = "it does not know this distribution"
KEYS = [
    ("", b""),
    ("one letter", b"a"),
    ("a word", b"foo"),
    ("a number", b"12345678"),
    ("two blocks of eight", b"1234567890123456"),
    ("a user", b"user:1000"),
    ("a tag", b"user:{42}:name"),
    ("the same tag", b"user:{42}:mail"),
    ("an empty tag", b"{}x"),
    ("two opening bytes", b"{{a}}b"),
    ("a closing byte in the tag of Jedis", b"{}a}b"),
    ("an empty tag and another one", b"{}{a}"),
    ("a tag over a line end", b"{a\nb}c"),
    ("a tag after a line end", b"{a\nb}{c}"),
    ("U+0085 in a tag", "{a\u0085b}{c}".encode()),
    ("U+2028 in a tag", "{a\u2028b}{c}".encode()),
    ("U+2029 first in a tag", "{\u2029b}{c}".encode()),
    ("an open tag", b"user:{42"),
    ("brackets", b"user:[42]:name"),
    ("UTF-8", "你好".encode()),
    ("UTF-8 in a tag", "x{größe}y".encode()),
    ("not UTF-8", b"\xff{42}"),
    ("NUL", b"\0"),
    ("a tag after NUL", b"a\0{42}"),
    ("NUL in a tag", b"{4\x002}"),
    ("ones", b"\xff\xff\xff\xff"),
    ("80 bytes", bytes(range(80))),
] + [(f"key {number}", b"key-%d" % number) for number in range(8)]

PLAIN = ["10.0.0.2:6379", "10.0.0.10:6379", "10.0.0.1:6379", "/run/redis.sock"]
NAMED = ["10.0.0.1:6379:1 alpha", "10.0.0.2:6379:2 beta", "10.0.0.3:6379:1 gamma"]
MIXED = ["10.0.0.1:6379:1 größe", "10.0.0.2:6379:3", "10.0.0.3:6379"]

PHP_HOSTS = ["10.0.0.2:6379", "10.0.0.10:6379", "10.0.0.3:6379:1 10.0.0.3", "/run/redis.sock"]
SIX, THREE = [f"10.0.0.{n}:6379" for n in range(1, 7)], ["10.0.0.1:6379:6", "b:1:7", "c:1:7"]
SPY = ["10.0.0.1:11211", "10.0.0.2:11211:1 cache.example/10.0.0.2:11211", "10.0.0.3:6379:3"]

SCATTERED = ["a:1:0,2,4-99,101,1000-1023 one", "b:1:1,3,102-699", "/run/c.sock:700-999,100"]

ABOUT = (
    "The distributions of other clients. redis_array: the point is the last number of a server's "
    "range, or of the ring. predis_hashring: a hash belongs to the last point that is not above "
    "it. codis: the point is the slot. sharded_jedis and jedis_sharding: hash and point are signed "
    "numbers of 64 bits under murmur64a."
)
RINGS = [
    ("four", "redis_array", {}, PHP_HOSTS),
    ("six", "redis_array", {}, SIX),
    ("four, md5", "redis_array", {"hash": "md5"}, PHP_HOSTS),
    ("six, crc32", "redis_array", {"hash": "crc32"}, SIX),
    ("six, crc32b", "redis_array", {"hash": "crc32b"}, SIX),
    ("six, joaat", "redis_array", {"hash": "joaat"}, SIX),
    ("consistent", "redis_array_consistent", {}, PHP_HOSTS),
    ("consistent, md5", "redis_array_consistent", {"hash": "md5"}, SIX),
    ("six", "predis_hashring", {}, SIX),
    ("weights 6, 7, 7", "predis_hashring", {}, THREE),
    ("a socket", "predis_hashring", {}, PHP_HOSTS),
    ("three", "libmemcached_consistent", {}, ["b:11211", "a:11211", "c:11212"]),
    ("six, md5", "libmemcached_consistent", {"hash": "md5"}, SIX),
    ("six, murmur", "libmemcached_consistent", {"hash": "murmur"}, SIX),
    ("two", "spymemcached", {}, SPY[:2]),
    ("weights", "spymemcached", {}, SPY),
    ("two", "codis", {}, ["10.0.0.2:6379:0-511", "10.0.0.1:6379:512-1023"]),
    ("scattered slots", "codis", {}, SCATTERED),
    ("one server", "codis", {}, ["10.0.0.1:6379:0-1023 group-1"]),
    ("unnamed", "sharded_jedis", {}, PLAIN),
    ("unnamed, with a tag", "sharded_jedis", {"hash_tag": "{}"}, PLAIN),
    ("unnamed, md5", "sharded_jedis", {"hash": "md5"}, PLAIN),
    ("named, with weights", "sharded_jedis", {}, NAMED),
    ("named, md5", "sharded_jedis", {"hash": "md5", "hash_tag": "[]"}, NAMED),
    ("some named", "sharded_jedis", {"hash": "murmur64a"}, MIXED),
    ("named", "sharded_jedis_2_9", {}, NAMED),
    ("named, md5", "sharded_jedis_2_9", {"hash": "md5"}, NAMED),
    ("some named", "sharded_jedis_2_9", {"hash_tag": "{}"}, MIXED),
    ("four", "jedis_sharding", {}, PLAIN),
    ("names do not count", "jedis_sharding", {"hash_tag": "{}"}, [*PLAIN[:2], "c:1:1 c"]),
    ("md5", "jedis_sharding", {"hash": "md5"}, PLAIN),
    ("one server", "jedis_sharding", {}, PLAIN[:1]),
]


def config_of(distribution, directives, servers):
    lines = ["p:", "  engine: redis", f"  distribution: {distribution}"]
    lines += [f"  {name}: {json.dumps(value)}" for name, value in directives.items()]
    lines += ["  servers:", *(f"  - {json.dumps(it, ensure_ascii=False)}" for it in servers)]
    return "\n".join(lines) + "\n"


def group_of(comment, config, first_id):
    topology = reference.Topology(reference.find_pool(config, "p"))
    tests = []
    for number, (about, key) in enumerate(KEYS, first_id):
        hashed, h, point, node = topology.explain(key)
        test = {"tcId": number, "comment": about, "key": key.hex(), "hash": h, "point": point}
        tests.append(test | {"node": node} | ({"hashed": hashed.hex()} if hashed != key else {}))
    return {
        "type": "PlaceTest",
        "comment": comment,
        "config": config,
        "pool": "p",
        "servers": [server["name"] for server in topology.servers],
        "nutcracker": NOT_NUTCRACKER,
        "tests": tests,
    }


def shown(group):
    """A group as text, with a line for each test."""
    tests = ",\n".join(f"      {json.dumps(test, ensure_ascii=False)}" for test in group["tests"])
    head = json.dumps({**group, "tests": []}, ensure_ascii=False)
    return "    " + head[: -len("]}")] + "\n" + tests + "\n    ]}"


def page():
    groups = []
    for comment, distribution, directives, servers in RINGS:
        config = config_of(distribution, directives, servers)
        first_id = 1 + len(KEYS) * len(groups)
        groups.append(group_of(f"{distribution}: {comment}", config, first_id))
    head = {
        "algorithm": "placement",
        "schema": "spec/schema/vectors.json",
        "about": ABOUT,
        "numberOfTests": len(KEYS) * len(groups),
        "notes": {},
    }
    text = json.dumps(head, indent=2, ensure_ascii=False)
    body = ",\n".join(map(shown, groups))
    return text[: -len("\n}")] + f',\n  "testGroups": [\n{body}\n  ]\n}}\n'


if __name__ == "__main__":
    PAGE.write_text(page())
