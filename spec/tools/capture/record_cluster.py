#!/usr/bin/python3
"""Records the replies of real clusters for vectors/cluster_replies.json.

    record_cluster.py NAME [SERVER...]

It starts six nodes of the given server (default redis-server) and makes a cluster of three masters
with a replica each. In one situation after the other it records the replies to CLUSTER INFO, SHARDS
and SLOTS, and CLUSTER NODES, which serves as the judge. Prints rows of spec/topology/recorded.json.
"""

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "conformance"))
from lab.ports import free_port
from lab.process import Process


class Node:
    def __init__(self, server, extra=()):
        self.port, self.bus = free_port(), free_port()
        arguments = [
            "--port",
            self.port,
            "--cluster-enabled",
            "yes",
            "--cluster-port",
            self.bus,
            "--save",
            "",
            "--bind",
            "127.0.0.1",
            "--cluster-node-timeout",
            1000,
            "--cluster-require-full-coverage",
            "no",
            "--cluster-allow-replica-migration",
            "no",
            "--repl-diskless-load",
            "on-empty-db",
            *extra,
        ]
        self.process = Process([*server, *map(str, arguments)], name="cluster-node")
        self.process.wait_until(lambda: self.ask("PING") == b"+PONG\r\n", what="answer")

    def ask(self, *words):
        """The bytes of one reply: reads until nothing more arrives."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 2) as connection:
                connection.sendall(
                    b"*%d\r\n" % len(words)
                    + b"".join(b"$%d\r\n%s\r\n" % (len(str(w)), str(w).encode()) for w in words)
                )
                connection.shutdown(socket.SHUT_WR)
                return b"".join(iter(lambda: connection.recv(65536), b""))
        except OSError:
            return b""


def record(name, node):
    return {
        "comment": name,
        "asked": "127.0.0.1",
        "port": node.port,
        "info": node.ask("CLUSTER", "INFO").decode("latin-1"),
        "shards": node.ask("CLUSTER", "SHARDS").decode("latin-1"),
        "slots": node.ask("CLUSTER", "SLOTS").decode("latin-1"),
        "nodes": node.ask("CLUSTER", "NODES").decode("latin-1"),
    }


def until(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise SystemExit(
                f"the condition of line {what.__code__.co_firstlineno} did not become true"
            )
        time.sleep(0.1)


def main():
    name, server = sys.argv[1], sys.argv[2:] or ["redis-server"]
    zones = ["--availability-zone", "north"] if name.startswith("valkey") else []
    nodes = [Node(server, zones if number == 4 else ()) for number in range(6)]
    alone = record("a node alone, with no slot and no address of its own", nodes[0])
    create(nodes)
    found = [
        alone,
        record("three masters with a replica each", nodes[1]),
        *slots_change(nodes),
        *names_change(nodes),
        *a_master_fails(nodes, has_failover="without-failover" not in name),
    ]
    for situation in found:
        situation["comment"] = f"{name}: {situation['comment']}"
    print(",\n".join(f" {json.dumps(situation)}" for situation in found))
    for node in nodes:
        node.process.stop()


def create(nodes):
    subprocess.run(
        [
            "redis-cli",
            "--cluster",
            "create",
            *(f"127.0.0.1:{n.port}" for n in nodes),
            "--cluster-replicas",
            "1",
            "--cluster-yes",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    until(
        lambda: all(
            n.ask("CLUSTER", "NODES").count(b"slave") == 3
            and b"cluster_state:ok" in n.ask("CLUSTER", "INFO")
            and n.ask("CLUSTER", "SHARDS").count(b"online") >= 3
            for n in nodes
        )
    )


def slots_change(nodes):
    ids = [n.ask("CLUSTER", "MYID").split(b"\r\n")[1].decode() for n in nodes]
    nodes[1].ask("CLUSTER", "SETSLOT", 42, "IMPORTING", ids[0])
    nodes[0].ask("CLUSTER", "SETSLOT", 42, "MIGRATING", ids[1])
    yield record("a slot migrates", nodes[0])
    for node in (nodes[1], nodes[0], nodes[2]):
        node.ask("CLUSTER", "SETSLOT", 42, "NODE", ids[1])
    until(lambda: nodes[2].ask("CLUSTER", "SLOTS").count(b":42\r\n") == 2)
    yield record("a slot has moved", nodes[2])
    for node in nodes:
        node.ask("CLUSTER", "DELSLOTS", 16000)
    yield record("a hole", nodes[2])


def names_change(nodes):
    nodes[0].ask("CONFIG", "SET", "cluster-announce-hostname", "a.north.example")
    nodes[1].ask("CONFIG", "SET", "cluster-announce-hostname", "b.south.example")
    nodes[2].ask("CONFIG", "SET", "cluster-preferred-endpoint-type", "hostname")
    until(
        lambda: (
            b"a.north" in nodes[2].ask("CLUSTER", "SHARDS")
            and b"b.south" in nodes[2].ask("CLUSTER", "SHARDS")
        )
    )
    yield record("hostnames are preferred, and not all have one", nodes[2])
    nodes[2].ask("CONFIG", "SET", "cluster-preferred-endpoint-type", "unknown-endpoint")
    yield record("endpoints are left open", nodes[2])
    nodes[2].ask("CONFIG", "SET", "cluster-preferred-endpoint-type", "ip")


def a_master_fails(nodes, has_failover):
    nodes[0].process.kill()
    until(lambda: b"fail" in nodes[2].ask("CLUSTER", "NODES").replace(b"fail?", b""))
    yield record("a master has just failed", nodes[2])
    if has_failover:
        until(lambda: nodes[2].ask("CLUSTER", "NODES").count(b"master") == 4)
        yield record("its replica has taken over", nodes[2])


if __name__ == "__main__":
    main()
