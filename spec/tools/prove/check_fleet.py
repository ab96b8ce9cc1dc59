#!/usr/bin/python3
"""Proves that splitting and merging are exact: four real nodes answer as one real server does.

    check_fleet.py --start redis-server

The reference drives the nodes: commands.json, read by table.py and merge.py. Each command of SAME
goes to one server and to a fleet of four with the same data, whose keys are placed by CRC-32. The
replies must be equal (as sets if servers promise no order). Every command that the table splits, or
sends to all nodes or to any node, must be in SAME or be excused in OTHERWISE. Spec:
route.md, "Splitting", "Merging" and "WAIT".
"""

import argparse
import contextlib
import hashlib
import os
import pathlib
import shlex
import signal
import sys
import time
import zlib
from fnmatch import fnmatch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
import merge
import table
from resp import Refused, Server, Started

NODES = 4
SCRIPT = "return redis.call('GET', KEYS[1])"
SHA = hashlib.sha1(SCRIPT.encode()).hexdigest()
LIBRARY = "#!lua name=l\nredis.register_function('f', function() return 1 end)"
DATA = [
    ["MSET", *[word for n in range(40) for word in (f"k{n}", f"v{n}")]],
    *[["XADD", f"s{n}", "1-1", "f", f"v{n}"] for n in range(6)],
    *[["XGROUP", "CREATE", f"s{n}", "g", "0"] for n in range(6)],
]
SAME = [
    ["MGET", "k3", "none", "k1", "k3", "k39", "k7", "s1"],
    ["EXISTS", "k1", "k2", "k1", "none"],
    ["TOUCH", "k1", "k2", "none"],
    ["DBSIZE"],
    ["KEYS", "k1*"],
    ["KEYS", "none"],
    ["MSET", "k1", "a", "k2", "b", "new", "c", "k1", "d"],
    ["MGET", "k1", "k2", "new"],
    ["MSETEX", "4", "k1", "NX", "k2", "XX", "k4", "c", "k1", "e", "EX", "100"],
    ["MSETEX", "1", "k1", "f", "XX"],
    ["MGET", "k1", "k2", "k4"],
    ["DEL", "k1", "k5", "k6", "k7", "none"],
    ["UNLINK", "k8", "k9", "k8"],
    ["DBSIZE"],
    ["XREAD", "COUNT", "1", "STREAMS", "s5", "s1", "s3", "0", "0", "1-1"],
    ["XREAD", "STREAMS", "s1", "s2", "$", "$"],
    ["XREADGROUP", "GROUP", "g", "c", "STREAMS", "s4", "s0", "s2", ">", ">", ">"],
    ["XREADGROUP", "GROUP", "g", "c", "STREAMS", "s4", "s0", ">", ">"],
    ["SCRIPT", "LOAD", SCRIPT],
    ["SCRIPT", "EXISTS", SHA, "0" * 40],
    ["EVALSHA", SHA, "1", "k1"],
    ["FUNCTION", "LOAD", LIBRARY],
    ["FUNCTION", "LIST"],
    ["FUNCTION", "DUMP"],
    ["FUNCTION", "DELETE", "l"],
    ["FUNCTION", "FLUSH"],
    ["SCRIPT", "FLUSH"],
    ["SCRIPT", "EXISTS", SHA],
    ["SCRIPT", "KILL"],
    ["FUNCTION", "KILL"],
    ["PUBSUB", "CHANNELS"],
    ["PUBSUB", "NUMSUB", "c3", "c1", "c2"],
    ["PUBSUB", "NUMPAT"],
    ["PUBSUB", "SHARDCHANNELS"],
    ["PUBSUB", "SHARDNUMSUB", "c3", "c1"],
    ["PUBSUB", "NUMSUB"],
    ["PING"],
    ["PING", "word"],
    ["ECHO", "word"],
    ["CONFIG", "SET", "maxmemory-samples", "7"],
    ["CONFIG", "GET", "maxmemory-samples"],
    ["CONFIG", "RESETSTAT"],
    ["WAIT", "0", "10"],
    ["ACL", "SETUSER", "nobody", "off"],
    ["ACL", "USERS"],
    ["ACL", "DELUSER", "nobody"],
    ["ACL", "LIST"],
    ["ACL", "GETUSER", "default"],
    ["ACL", "WHOAMI"],
    ["ACL", "CAT"],
    ["ACL", "DRYRUN", "default", "GET", "k1"],
    ["COMMAND", "COUNT"],
    ["COMMAND", "GETKEYS", "MGET", "a", "b"],
    ["COMMAND", "GETKEYSANDFLAGS", "GET", "a"],
    ["COMMAND", "INFO", "get"],
    ["COMMAND", "DOCS", "get"],
    ["COMMAND", "LIST"],
    ["COMMAND"],
    ["MODULE", "LIST"],
    ["SAVE"],
    ["BGSAVE"],
    ["MEMORY", "PURGE"],
    ["SLOWLOG", "RESET"],
    ["SLOWLOG", "LEN"],
    ["SLOWLOG", "GET"],
    ["LATENCY", "RESET"],
    ["CLUSTER", "INFO"],
    ["FLUSHDB"],
    ["RANDOMKEY"],
    ["FLUSHALL"],
    ["DBSIZE"],
]
OTHERWISE = {
    "Each server answers for itself": [
        "time",
        "lolwut",
        "acl|genpass",
        "client|list",
        "lastsave",
        "info",
    ],
    "The answer is a map of nodes": ["role", "acl|log", "function|stats", "memory|*", "latency|*"],
    "A conversation, not one reply": [
        "scan",
        "subscribe",
        "ssubscribe",
        "psubscribe",
        "unsubscribe",
        "sunsubscribe",
        "punsubscribe",
    ],
    "Needs files or a log that this server does not have": [
        "acl|save",
        "acl|load",
        "config|rewrite",
        "bgrewriteaof",
        "waitaof",
        "function|restore",
    ],
    "Not in every server": ["commandlog|*", "script|show"],
    "Text for people": ["*|help"],
    "Needs a cluster": ["cluster|*"],
    "Needs a module: conformance/servers compares it": ["json.*", "ts.*"],
}
UNORDERED = {"keys", "command|list"}


class Fleet:
    """Four nodes and the reference: a minimal client."""

    def __init__(self, nodes):
        self.nodes = nodes

    def node_of(self, key):
        return zlib.crc32(key.encode()) % len(self.nodes)

    def split(self, entry, words):
        parts = table.parts(entry, words, self.node_of)
        replies = [self.nodes[node].reply_to(*part) for node, (part, _) in parts.items()]
        order = [words[place] for place, _ in table.keys(entry, words)]
        return merge.merged(
            entry["merge"],
            replies,
            places=[places for _, places in parts.values()],
            order=order,
            width=entry.get("merge_width", 1),
        )

    def reply_to(self, *words):
        words = [str(word) for word in words]
        _, entry = table.find(words)
        keys = [words[place] for place, _ in table.keys(entry, words)]
        spread = entry["spread"] if keys else entry.get("without_keys", entry["spread"])
        try:
            if spread == "split" and not table.is_whole(entry, words):
                return self.split(entry, words)
            if spread == "all_nodes":
                return merge.merged(entry["merge"], [node.reply_to(*words) for node in self.nodes])
            if entry.get("merge") == "first_not_nil":
                return merge.merged("first_not_nil", [node.reply_to(*words) for node in self.nodes])
            return self.nodes[self.node_of(keys[0]) if keys else 0].reply_to(*words)
        except Refused as refused:
            return refused


def comparable(name, reply):
    if isinstance(reply, Refused):
        return str(reply).split(" ")[0]
    if name == "command":  # Each server has its own order of subcommands.
        return sorted(told[0] for told in reply)
    return sorted(map(repr, reply)) if name in UNORDERED else reply


def faults(one, fleet):
    for words in DATA:
        if isinstance(one.reply_to(*words), Refused) or isinstance(fleet.reply_to(*words), Refused):
            yield f"{words[:3]}: loading the data failed."
    for words in SAME:
        name, _ = table.find(words)
        alone, together = (
            comparable(name, one.reply_to(*words)),
            comparable(name, fleet.reply_to(*words)),
        )
        if alone != together:
            yield f"{' '.join(words)}: one server answers {alone}, the fleet {together}."
        if name in ("save", "bgsave"):
            time.sleep(0.3)


def uncovered():
    shown = {table.find(words)[0] for words in SAME}
    excused = [pattern for patterns in OTHERWISE.values() for pattern in patterns]
    for name, entry in table.COMMANDS.items():
        is_spread = entry.get("spread") in ("split", "all_nodes", "any_node")
        if is_spread and name not in shown and not any(fnmatch(name, each) for each in excused):
            yield f"{name}: neither compared nor excused."


# ---- WAIT ----


def wait_faults(program):
    """Shows that WAIT is right only on a connection that has carried a write.

    On an unused connection WAIT succeeds too early. A PUBLISH before the WAIT prevents this.
    """
    with contextlib.ExitStack() as stack:
        primary = Started(program)
        writer = stack.enter_context(primary)
        replica = Started(program, "--replicaof", "127.0.0.1", str(primary.port))
        follower = stack.enter_context(replica)
        while "master_link_status:up" not in follower.ask("INFO", "replication"):
            time.sleep(0.1)
        writer.ask("SET", "k", "1")
        if writer.ask("WAIT", 1, 10000) != 1:
            yield "WAIT: the replica does not follow its primary."
        # The primary counts the replica's acknowledgements once a second.
        time.sleep(1.5)
        os.kill(replica.process.pid, signal.SIGSTOP)
        writer.ask("SET", "k", "2")
        bare, marked = Server("127.0.0.1", primary.port), Server("127.0.0.1", primary.port)
        if bare.ask("WAIT", 1, 200) != 1:
            yield "WAIT: now right on an unused connection; PUBLISH before it is needless."
        marked.ask("PUBLISH", "onehop", "")
        if marked.ask("WAIT", 1, 200) != 0:
            yield "WAIT: wrong even after a PUBLISH."
        os.kill(replica.process.pid, signal.SIGCONT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--start", metavar="PROGRAM", default="redis-server")
    program = shlex.split(parser.parse_args().start)
    with contextlib.ExitStack() as stack:
        one, *nodes = [stack.enter_context(Started(program)) for _ in range(NODES + 1)]
        wrong = [*faults(one, Fleet(nodes)), *uncovered()]
    wrong += wait_faults(program)
    print(f"{len(SAME)} commands on one server and on {NODES} nodes, and WAIT: {len(wrong)} wrong.")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
