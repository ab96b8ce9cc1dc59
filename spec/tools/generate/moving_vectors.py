#!/usr/bin/python3
"""Writes the vectors of a ring that keys move from: spec/topology/vectors/moving.json.

Two references compute them: conformance computes the rings, moving.py the commands and replies.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "spec/tools/reference"), str(ROOT / "conformance")]

import moving  # noqa: E402 (the paths above find it)
import reference  # noqa: E402

PAGE = ROOT / "spec/topology/vectors/moving.json"
KEYS = [b"", *(b"key:%d" % number for number in range(16)), b"user:{42}:a", b"user:{42}:b"]
FOUR = ["10.0.0.1:6379", "10.0.0.2:6379", "10.0.0.3:6379", "10.0.0.4:6379"]
SIX = [*FOUR, "10.0.0.5:6379", "10.0.0.6:6379"]
RINGS = [  # comment, servers, moving_from, other directives
    ("three nodes become six", SIX, SIX[:3], {}),
    ("four nodes become six", SIX, FOUR, {}),
    ("six nodes become four", FOUR, SIX, {}),
    ("one node becomes three", FOUR[:3], FOUR[:1], {}),
    ("three nodes become one", FOUR[:1], FOUR[:3], {}),
    ("all servers are new", SIX[3:], SIX[:3], {}),
    (
        "another distribution, with the hash that it has by default",
        FOUR,
        FOUR,
        {"hash": "murmur", "hash_tag": "{}", "moving_from_distribution": "modula"},
    ),
    (
        "another hash and another tag",
        FOUR,
        FOUR,
        {
            "hash": "murmur",
            "hash_tag": "{}",
            "moving_from_distribution": "ketama",
            "moving_from_hash": "crc16",
            "moving_from_hash_tag": "::",
        },
    ),
    ("the pool's own hash and tag", SIX, FOUR, {"hash": "md5", "hash_tag": "{}"}),
    (
        "RedisArray's ring becomes ketama, and its servers keep the order of the file",
        FOUR,
        [FOUR[2], FOUR[0], FOUR[1]],
        {"moving_from_distribution": "redis_array"},
    ),
    (
        "ShardedJedis' ring with names and weights",
        ["10.0.0.1:6379:1 a", "10.0.0.2:6379:1 b", "10.0.0.3:6379:1 c"],
        ["10.0.0.2:6379:2 b", "10.0.0.1:6379:1 a"],
        {"moving_from_distribution": "sharded_jedis", "moving_from_hash": "md5"},
    ),
    (
        "into a distribution of another client",
        FOUR,
        FOUR[:3],
        {"distribution": "jedis_sharding", "moving_from_distribution": "ketama"},
    ),
    (
        "servers that get names move no key where they keep their address",
        ["10.0.0.1:6379:1 one", "10.0.0.2:6379:1 two"],
        FOUR[:2],
        {},
    ),
    (
        "two names of one address in the old ring are one node",
        FOUR[:2],
        [FOUR[0], "10.0.0.3:6379:1 x", "10.0.0.3:06379:1 y"],
        {},
    ),
    (
        "Codis' slots become ketama",
        FOUR[:3],
        ["10.0.0.1:6379:0-511", "10.0.0.9:6379:512-1023"],
        {"moving_from_distribution": "codis"},
    ),
    (
        "slots move between groups of Codis",
        ["10.0.0.1:6379:0-99", "10.0.0.2:6379:100-1023"],
        ["10.0.0.1:6379:0-511", "10.0.0.9:6379:512-1023 old"],
        {"distribution": "codis"},
    ),
    ("a unix socket", [FOUR[0], "/run/redis.sock"], FOUR[:2], {"database": 3}),
    ("a port with zeros is the same address", ["10.0.0.1:06379", FOUR[1]], FOUR[:2], {}),
]


def text_of(servers, moving_from, directives):
    lines = ["p:", "  servers:", *(f'  - "{it}"' for it in servers)]
    lines += ["  moving_from:", *(f'  - "{it}"' for it in moving_from)]
    lines += [f'  {name}: "{value}"' for name, value in directives.items()]
    return "\n".join(lines) + "\n"


def ring_test(comment, servers, moving_from, directives):
    config = text_of(servers, moving_from, directives)
    topology = reference.Topology(reference.find_pool(config, "p"))
    old = topology.old_ring()
    node_at = {node["address"]: node["name"] for node in reversed(topology.nodes())}
    scan = [node_at[server["address"]] for server in old.servers]
    scan += [server["name"] for server in topology.servers]
    return {
        "comment": comment,
        "config": config,
        "pool": "p",
        "nodes": [{"name": n["name"], "address": n["address"]} for n in topology.nodes()],
        "canonical": topology.canonical(),
        "fingerprint": topology.fingerprint(),
        "scan": scan,
        "keys": [
            {"key": key.hex(), "owner": topology.locate(key), "from": topology.moves_from(key)}
            for key in KEYS
        ],
    }


COMMANDS = [  # All their keys move, except those that begin with "stay".
    "GET a",
    "get a",
    "GET stay",
    "HGET a f",
    "HGETALL a",
    "LRANGE a 0 -1",
    "TTL a",
    "TYPE a",
    "OBJECT ENCODING a",
    "DUMP a",
    "STRLEN a",
    "ZRANGE a 0 -1",
    "SINTER a",
    "SINTER a b",
    "SINTERCARD 1 a",
    "PFCOUNT a",
    "PFCOUNT a b",
    "MGET a stay b",
    "MGET stay",
    "EXISTS a b",
    "TOUCH a",
    "JSON.GET a",
    "XREAD STREAMS a 0",
    "XREAD STREAMS a b 0 0",
    "XREAD BLOCK 0 STREAMS a 0",
    "XREAD COUNT 1 STREAMS block 0",
    "SORT_RO a",
    "SORT_RO a BY nosort",
    "SET a v",
    "SET a v NX",
    "SETEX a 1 v",
    "INCR a",
    "APPEND a v",
    "HSET a f v",
    "LPUSH a v",
    "EXPIRE a 1",
    "GETEX a",
    "GETDEL a",
    "DEL a stay b",
    "UNLINK a",
    "MSET a 1 stay 2 b 3",
    "MSETNX a 1 b 2",
    "RENAME a b",
    "RENAME stay b",
    "COPY a b",
    "SMOVE a b m",
    "BLPOP a b 0",
    "BLMOVE a b LEFT LEFT 0",
    "SORT a",
    "SORT a STORE b",
    "ZUNIONSTORE a 2 b stay",
    "RESTORE a 0 v",
    "HSCAN a 0",
    "SSCAN a 0",
    "ZSCAN a 0",
    "WATCH a stay",
    "EVAL s 2 a b",
    "EVAL_RO s 1 a",
    "FCALL f 1 stay",
    "XREADGROUP GROUP g c STREAMS a >",
    "XADD a * f v",
    "PUBLISH a m",
    "SUBSCRIBE a",
    "BF.EXISTS a v",
    "BF.SCANDUMP a 0",
    "LCS a b",
    "SUBSTR a 0 1",
    "BITOP AND a b stay",
    "GEOSEARCHSTORE a b FROMMEMBER m BYRADIUS 1 m",
]
REFUSED = ["SORT a BY {a}*", "SORT stay BY {a}*", "SORT_RO a GET {a}*->f"]
PATTERNS = ["SORT a BY {stay}*"]
IN_TRANSACTIONS = ["GET a", "GET stay", "MGET a stay"]


def moves(word):
    return not word.lstrip("{").startswith("stay")


def kind_test(command, is_alone=True):
    test = {"comment": command + ("" if is_alone else ", in a transaction")}
    test |= {"words": command.split(" ")} | ({} if is_alone else {"transaction": True})
    try:
        kind, keys = moving.kind(test["words"], moves, is_alone)
    except moving.Refused:
        return test | {"refused": True}
    return test | ({"kind": kind, "keys": keys} if kind else {})


REPLIES = [
    ("nil", "$-1", None),
    ("nil of RESP3", "_", None),
    ("a list that is nil", "*-1", None),
    ("zero", ":0", 0),
    ("minus one: BITPOS of a missing key", ":-1", -1),
    ("minus two: TTL of a missing key", ":-2", -2),
    ("one", ":1", 1),
    ("minus three", ":-3", -3),
    ("an empty text", "$0\r\n", ""),
    ("a text", "$1\r\nv", "v"),
    ("the text 0", "$1\r\n0", "0"),
    ("TYPE of a missing key", "+none", "none"),
    ("the text none", "$4\r\nnone", "none"),
    ("TYPE of a text", "+string", "string"),
    ("an empty list", "*0", []),
    ("a list of nils", "*2\r\n$-1\r\n$-1", [None, None]),
    ("a list with one text", "*2\r\n$-1\r\n$1\r\nv", [None, "v"]),
    ("a list of zeros", "*2\r\n:0\r\n:0", [0, 0]),
    ("a list with a one", "*2\r\n:0\r\n:1", [0, 1]),
    ("a list of empty lists", "*2\r\n*0\r\n*-1", [[], None]),
    ("a list with a text at depth", "*1\r\n*2\r\n*0\r\n*1\r\n$1\r\nv", [[[], ["v"]]]),
    ("an error", "-ERR no such key", {"error": "ERR no such key"}),
    ("a wrong type", "-WRONGTYPE Operation", {"error": "WRONGTYPE Operation"}),
    ("a list with an error", "*1\r\n-ERR no", [{"error": "ERR no"}]),
    ("false", "#f", False),
    ("true", "#t", True),
    ("the double 0", ",0", 0.0),
    ("a double", ",1.5", 1.5),
    ("an empty map", "%0", []),
    ("a map of one field", "%1\r\n$1\r\nf\r\n:0", ["f", 0]),
    ("an empty set", "~0", []),
    ("a set", "~1\r\n$1\r\nv", ["v"]),
    ("a verbatim text", "=5\r\ntxt:v", "v"),
    ("an empty verbatim text", "=4\r\ntxt:", ""),
]
NODE = {"host": "10.0.0.5", "port": 6379, "database": 0, "timeout": 1000}
OK, NIL, GONE, ONE = {"reply": "OK"}, {"reply": None}, {"reply": -2}, {"reply": 1}
UNSENT, LOST = {"fails": "NOT_SENT"}, {"fails": "MAYBE_EXECUTED"}
BUSY = {"reply": {"error": "BUSYKEY Target key name already exists."}}
MIGRATED = "ERR Target instance replied with error: BUSYKEY Target key name already exists."
NOPERM = {"reply": {"error": "NOPERM this user has no permissions to run the 'migrate' command"}}
ID_A, ID_B = {"reply": "# Server\r\nrun_id:aaaa\r\n"}, {"reply": "# Server\r\nrun_id:bbbb\r\n"}
NO_ID = {"reply": "# Server\r\nredis_version:7.0.15\r\n"}
BRINGS = [  # comment, options, the replies of each round
    ("the key is there", {}, [[OK]]),
    ("the key is not there", {}, [[{"reply": "NOKEY"}]]),
    ("with a password", {"auth": ["AUTH", "secret"]}, [[OK]]),
    ("with a user", {"auth": ["AUTH2", "user", "secret"]}, [[OK]]),
    ("both have the key", {}, [[{"reply": {"error": MIGRATED}}], [ID_A, ID_B], [ONE]]),
    ("both are one server", {}, [[{"reply": {"error": MIGRATED}}], [ID_A, ID_A]]),
    ("servers without a run_id may be one", {}, [[{"reply": {"error": MIGRATED}}], [NO_ID, NO_ID]]),
    ("the owner has no run_id", {}, [[{"reply": {"error": MIGRATED}}], [ID_A, NO_ID]]),
    ("INFO is not allowed", {}, [[{"reply": {"error": MIGRATED}}], [ID_A, NOPERM]]),
    ("MIGRATE is not allowed, and the key is not there", {}, [[NOPERM], [NIL, GONE]]),
    ("MIGRATE is not allowed, and the key is there", {},
     [[NOPERM], [{"reply": "value"}, {"reply": -1}], [OK], [ONE]]),
    ("MIGRATE does not reach the owner", {},
     [[{"reply": {"error": "IOERR error or timeout connecting to the client"}}],
      [{"reply": "value"}, {"reply": 1500}], [OK], [ONE]]),
    ("by hand", {"migrates": False}, [[{"reply": "value"}, {"reply": 1500}], [OK], [ONE]]),
    ("by hand, in the last millisecond of the key", {"migrates": False},
     [[{"reply": "value"}, {"reply": 0}], [OK], [ONE]]),
    ("by hand, and the key is not there", {"migrates": False}, [[NIL, GONE]]),
    ("by hand, and the key expires", {"migrates": False}, [[{"reply": "value"}, GONE]]),
    ("by hand, and both have the key", {"migrates": False},
     [[{"reply": "value"}, {"reply": -1}], [BUSY], [ID_A, ID_B], [ONE]]),
    ("by hand, and both are one server", {"migrates": False},
     [[{"reply": "value"}, {"reply": -1}], [BUSY], [ID_A, ID_A]]),
    ("by hand, and DUMP is not allowed", {"migrates": False}, [[NOPERM, NOPERM]]),
    ("by hand, and the owner has no memory", {"migrates": False},
     [[{"reply": "value"}, {"reply": -1}], [{"reply": {"error": "OOM command not allowed"}}]]),
    ("by hand, and another client has removed it meanwhile", {"migrates": False},
     [[{"reply": "value"}, {"reply": -1}], [OK], [{"reply": 0}]]),
    ("the old owner is down, and the owner has the key", {}, [[UNSENT], [ONE]]),
    ("the old owner is down, and the owner has nothing", {}, [[UNSENT], [{"reply": 0}]]),
    ("the old owner is down, and so is the owner", {}, [[UNSENT], [UNSENT]]),
    ("the old owner fails in the middle of MIGRATE", {}, [[LOST]]),
    ("by hand, and the old owner is down", {"migrates": False}, [[UNSENT, UNSENT], [ONE]]),
    ("the old owner refuses MIGRATE, and then fails", {}, [[NOPERM], [UNSENT, UNSENT]]),
    ("by hand, and the owner fails", {"migrates": False},
     [[{"reply": "value"}, {"reply": -1}], [LOST]]),
    ("by hand, and the old owner fails at the end", {"migrates": False},
     [[{"reply": "value"}, {"reply": -1}], [OK], [UNSENT]]),
]  # fmt: skip


def told(reply):
    return moving.Lost(reply["fails"] == "NOT_SENT") if "fails" in reply else reply["reply"]


def bring_test(comment, options, replies):
    steps = moving.bring("k", NODE, **options)
    test = {"comment": comment, **options, "rounds": []}
    sent, waiting = None, iter(replies)
    try:
        while True:
            commands = steps.send(sent)
            answers = next(waiting)
            test["rounds"].append(
                [
                    {"to": to, "send": words, **answer}
                    for (to, words), answer in zip(commands, answers, strict=True)
                ]
            )
            sent = [told(answer) for answer in answers]
    except StopIteration as end:
        test |= {"end": "brought"} | ({"cannot_migrate": True} if end.value else {})
    except moving.Answered as answer:
        test |= {"end": "answer", "answer": answer.args[0]}
    except moving.Failed as failure:
        test |= {"end": "fails", "node": failure.args[0]}
        test |= {"cannot_migrate": True} if failure.cannot_migrate else {}
    except moving.Nameless as nameless:
        test |= {"end": "nameless", "node": nameless.args[0]}
    if next(waiting, None) is not None:
        raise ValueError(f"{comment}: there are replies left")
    return test


def page():
    groups = {
        "OldRingTest": [ring_test(*row) for row in RINGS],
        "MovingKindTest": [kind_test(it) for it in [*COMMANDS, *REFUSED, *PATTERNS]]
        + [kind_test(it, is_alone=False) for it in IN_TRANSACTIONS],
        "NothingTest": [
            {"comment": comment, "resp": f"{resp}\r\n", "nothing": moving.is_nothing(reply)}
            for comment, resp, reply in REPLIES
        ],
        "BringTest": [bring_test(*row) for row in BRINGS],
    }
    number = 0
    for tests in groups.values():
        for at, test in enumerate(tests):
            number += 1
            tests[at] = {"tcId": number, **test}
    head = {
        "algorithm": "moving",
        "schema": "spec/schema/vectors.json",
        "about": "OldRingTest: the nodes of a pool, the sequence of SCAN, and the owners of keys; "
        "from is null for a key that does not move. MovingKindTest: all keys that do not begin "
        "with stay move. kind is what the command does then, and keys are the positions of the "
        "keys concerned; without kind no key moves. NothingTest: whether a reply is nothing. "
        "BringTest: the rounds that bring the key k to 10.0.0.5:6379, database 0, with 1000 ms; "
        "what is written to which node, what comes back, and how it ends. The commands of a round"
        " are sent in parallel.",
        "numberOfTests": number,
        "notes": {},
    }
    lines = ",\n".join(f'"{name}": {json.dumps(value)}' for name, value in head.items())
    shown = ",\n".join(
        f' {{"type": "{kind}", "tests": [\n'
        + ",\n".join(f"  {json.dumps(test, ensure_ascii=False)}" for test in tests)
        + "\n ]}"
        for kind, tests in groups.items()
    )
    return f'{{\n{lines},\n"testGroups": [\n{shown}\n]\n}}\n'


if __name__ == "__main__":
    PAGE.write_text(page())
