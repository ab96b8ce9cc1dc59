"""Part `live`: four redis servers, one nutcracker, and the real clients.

If one of nutcracker, PHP and Java writes a key, the other two must find it, and each key must be on
the node that the reference names. Several server pools over the same four nodes bring several
hashes and distributions into play.
"""

import contextlib

import reference
from lab.nutcracker import Nutcracker
from lab.redis import RedisNode

from .testee import is_unsupported

KEYS = 2000
FRESH_READS = 30  # Each read has a new client: a connection's first command is special.
CLIENTS = ("php", "java")


def server_pools(nodes):
    plain = [f"127.0.0.1:{node.port}:1" for node in nodes]
    weighted = [
        f"127.0.0.1:{node.port}:{weight} node{weight}" for weight, node in enumerate(nodes, 1)
    ]
    return {
        "ketama": {"redis": True, "servers": plain},
        "tagged": {"redis": True, "hash": "murmur", "hash_tag": "{}", "servers": weighted},
        "modula": {"redis": True, "hash": "crc16", "distribution": "modula", "servers": weighted},
        "database": {"redis": True, "hash": "md5", "redis_db": 3, "servers": weighted},
        "one": {"redis": True, "hash": "jenkins", "servers": weighted[:1]},
    }


def run(testees, report):
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(RedisNode()) for _ in range(4)]
        proxy = stack.enter_context(Nutcracker(server_pools(nodes)))
        clients = [name for name in CLIENTS if name in testees.all]
        for pool in proxy.pools:
            report.begin(f"live/{pool}")
            for writer in ("nutcracker", *clients):
                round_trip(testees, report, proxy, nodes, pool, writer, clients)
            report.end()


def round_trip(testees, report, proxy, nodes, pool, writer, clients):
    """`writer` writes, all others read, and the nodes themselves report who has which key."""
    pairs = [
        (key_bytes(number, f"{pool}:{writer}"), b"%s wrote %d\r\n\0" % (writer.encode(), number))
        for number in range(KEYS)
    ]
    if not write(testees, report, proxy, pool, writer, pairs):
        return
    keys = [key for key, _ in pairs]
    for reader in ("nutcracker", *clients):
        values = read(testees, report, proxy, pool, reader, keys)
        if values is not None:
            check_values(report, pool, writer, reader, pairs, values)
    for reader in clients:
        read_afresh(testees, report, proxy, pool, writer, reader, pairs)
    check_places(report, proxy, nodes, pool, writer, keys)


def read_afresh(testees, report, proxy, pool, writer, reader, pairs):
    step = len(pairs) // FRESH_READS
    for some in (pairs[start::step] for start in range(FRESH_READS)):
        values = read(testees, report, proxy, pool, reader, [key for key, _ in some])
        if values is not None:
            check_values(report, pool, writer, reader, some, values)


def key_bytes(number, owner):
    """Different keys for every owner, because all pools share the nodes."""
    forms = (b"user:%d:%s", b"{group%d}:%s", b"\xff\x80\0%d %s", b"x{}y%d%s")
    return forms[number % 4] % (number // 2, owner.encode())


def write(testees, report, proxy, pool, writer, pairs):
    if writer == "nutcracker":
        with proxy.connect(pool, seconds=30) as connection:
            written = connection.pipeline([("SET", key, value) for key, value in pairs]).count(
                b"OK"
            )
        answer = {"written": written}
    else:
        request = {
            "op": "write",
            "config": proxy.config_path,
            "pool": pool,
            "pairs": [[key.hex(), value.hex()] for key, value in pairs],
        }
        (answer,) = testees.ask([request], [writer])[writer]
    if is_unsupported(answer):
        report.fail(f"{writer} has no op write, so nothing is proven about it")
        return False
    return report.check(
        answer.get("written") == len(pairs), lambda: f"{writer} writing {len(pairs)} keys: {answer}"
    )


def read(testees, report, proxy, pool, reader, keys):
    if reader == "nutcracker":
        with proxy.connect(pool, seconds=30) as connection:
            return connection.pipeline([("GET", key) for key in keys])
    request = {
        "op": "read",
        "config": proxy.config_path,
        "pool": pool,
        "keys": [key.hex() for key in keys],
    }
    (answer,) = testees.ask([request], [reader])[reader]
    if not isinstance(answer.get("values"), list):
        report.fail(f"{reader} reading {len(keys)} keys: {str(answer)[:300]}")
        return None
    return [None if value is None else bytes.fromhex(value) for value in answer["values"]]


def check_values(report, pool, writer, reader, pairs, values):
    for (key, wanted), value in zip(pairs, values):
        report.check(
            value == wanted,
            lambda: f"pool {pool}: {writer} wrote {key!r}, {reader} reads {value!r}",
        )
    report.check(
        len(values) == len(pairs),
        lambda: f"{reader} gave {len(values)} values for {len(pairs)} keys",
    )


def check_places(report, proxy, nodes, pool, writer, keys):
    """Each key exists on the reference's node and on no other."""
    described = reference.find_pool(proxy.config_text, pool)
    topology = reference.Topology(described)
    address_of = {server["name"]: server["address"] for server in described["servers"]}
    homes = [address_of[topology.locate(key)] for key in keys]
    for node in nodes:
        with node.connect() as connection:
            if described["redis_db"]:
                connection.command("SELECT", described["redis_db"])
            found = connection.pipeline([("EXISTS", key) for key in keys])
        for key, home, exists in zip(keys, homes, found):
            should = home == f"127.0.0.1:{node.port}"
            where = f"{'' if exists else 'not '}on port {node.port}"
            report.check(
                bool(exists) == should,
                lambda: (
                    f"pool {pool}: {key!r}, written by {writer}, is {where}; it belongs to {home}"
                ),
            )
