"""Part `ssdb`: real SSDB nodes, if SSDB_SERVER names an ssdb-server.

Both clients run the same list of commands and must get the listed answers. Each also reads what the
other wrote in pipelines large enough to fill every buffer. Without an ssdb-server nothing is
proven: then only the vectors of spec/route, recorded from a real one, say what SSDB answers.
"""

import contextlib
import tempfile
from pathlib import Path

from lab.ssdb import SsdbNode, program

CLIENTS = ("php", "java")
PAIRS = 20000

# Words of a command, and what the caller gets: text, a number, None, a list, or Refused. Clients
# have keys of their own.
Refused = "refused"
WALK = [
    (("SET", "s", "one"), "OK"),
    (("GET", "s"), "one"),
    (("GET", "nothing"), None),
    (("SETNX", "s", "two"), 0),
    (("SET", "s", "three", "NX"), None),
    (("SET", "t", "x", "EX", "100"), "OK"),
    (("TTL", "s"), -1),
    (("INCR", "n"), 1),
    (("INCRBY", "n", "41"), 42),
    (("STRLEN", "s"), 3),
    (("GETRANGE", "s", "0", "1"), "on"),
    (("MSET", "m1", "1", "m2", "2", "m3", "3", "m4", "4"), "OK"),
    (("MGET", "m4", "m1", "nothing", "m2"), ["4", "1", None, "2"]),
    (("EXISTS", "m1", "m2", "nothing"), 2),
    (("DEL", "m1", "m2", "nothing"), 2),
    (("EXISTS", "m1"), 0),
    (("HSET", "h", "a", "1"), 1),
    (("HSET", "h", "a", "1", "b", "2", "c", "3"), 2),
    (("HGET", "h", "b"), "2"),
    (("HMGET", "h", "a", "nothing", "c"), ["1", None, "3"]),
    (("HLEN", "h"), 3),
    (("HDEL", "h", "a", "nothing"), 1),
    (("RPUSH", "l", "x", "y", "z"), 3),
    (("LRANGE", "l", "0", "-1"), ["x", "y", "z"]),
    (("LPOP", "l", "2"), ["x", "y"]),
    (("LLEN", "l"), 1),
    (("ZADD", "z", "1", "a", "2", "b", "3", "c"), 3),
    (("ZSCORE", "z", "b"), "2"),
    (("ZRANGEBYSCORE", "z", "(1", "+inf"), ["b", "c"]),
    (("ZCOUNT", "z", "-inf", "+inf"), 3),
    (("ZCARD", "z"), 3),
    (("DEL", "z"), 1),
    (("ZCARD", "z"), 0),
    (("SADD", "set", "a"), Refused),
    (("MULTI",), Refused),
    (("EVAL", "return 1", "1", "s"), Refused),
    (("SET", "s", "v", "XX"), Refused),
    (("GETDEL", "s"), Refused),
    (("ZADD", "z", "1.5", "a"), Refused),
    (("GET", "k" * 256), Refused),
    (("GET", "s"), "one"),
]


def run(testees, report):
    if not program():
        report.note("ssdb: skipped, because SSDB_SERVER names no ssdb-server")
        return
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(SsdbNode()) for _ in range(3)]
        config = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "ssdb.yml"
        servers = "".join(
            f"    - {node.server_line(name=name)}\n" for node, name in zip(nodes, ("a", "b", "c"))
        )
        config.write_text(
            "ssdb:\n  listen: 127.0.0.1:22121\n  redis: true\n  engine: ssdb\n  timeout: 20000\n"
            f'  hash_tag: "{{}}"\n  servers:\n{servers}'
        )
        for client in (name for name in CLIENTS if name in testees.all):
            walk(testees, report, str(config), client)
            load(testees, report, str(config), client)


def ask(testees, client, request):
    (answer,) = testees.ask([request], [client])[client]
    return answer


def walk(testees, report, config, client):
    report.begin(f"ssdb/{client}, a walk")
    commands = [[word.encode().hex() for word in own(words, client)] for words, _ in WALK]
    answer = ask(
        testees, client, {"op": "raw", "config": config, "pool": "ssdb", "commands": commands}
    )
    replies = answer.get("replies")
    if not isinstance(replies, list) or len(replies) != len(WALK):
        report.fail(str(answer)[:300])
    else:
        for (words, expected), reply in zip(WALK, replies):
            wanted = told(expected)
            report.check(
                reply == wanted or (wanted == Refused and isinstance(reply, dict)),
                lambda: f"{' '.join(words)[:60]}: {reply} instead of {wanted}",
            )
    report.end()


def own(words, client):
    """The same words with this client's keys. Commands of several keys have only keys or pairs."""
    name, *rest = words
    step = {"MSET": 2, "MGET": 1, "EXISTS": 1, "DEL": 1}.get(name)
    is_key = {"EVAL": lambda i: i == 2}.get(name, lambda i: i % step == 0 if step else i == 0)
    return [name] + [
        f"{client}:{word}" if is_key(i) and len(word) < 200 else word for i, word in enumerate(rest)
    ]


def told(expected):
    """The value as the op returns it: texts are hex."""
    if isinstance(expected, list):
        return [told(element) for element in expected]
    return (
        expected.encode().hex()
        if isinstance(expected, str) and expected is not Refused
        else expected
    )


def load(testees, report, config, client):
    """More bytes in both directions than any buffer holds: a node that stops reading must not
    block the client."""
    report.begin(f"ssdb/{client}, {PAIRS:,} values in pipelines")
    pairs = [
        [f"{client}:load:{number}".encode().hex(), (b"%d " % number + b"x" * 1000).hex()]
        for number in range(PAIRS)
    ]
    answer = ask(testees, client, {"op": "write", "config": config, "pool": "ssdb", "pairs": pairs})
    report.check(answer.get("written") == PAIRS, lambda: f"written: {str(answer)[:300]}")
    for reader in (name for name in CLIENTS if name in testees.all):
        answer = ask(
            testees,
            reader,
            {"op": "read", "config": config, "pool": "ssdb", "keys": [key for key, _ in pairs]},
        )
        values = answer.get("values") or []
        wrong = sum(value != pair[1] for pair, value in zip(pairs, values)) + abs(
            PAIRS - len(values)
        )
        report.check(wrong == 0, lambda: f"read by {reader}: {wrong} wrong; {str(answer)[:200]}")
    report.end()
