"""Nodes of a plain server pool are replaced under load, as docs/replacing-a-node.md says.

Half of them are replaced by FAILOVER TO, half by REPLICAOF NO ONE. Until the new node is a master,
its address drops every packet, so that callers wait for it. The ledgers must find that no call
failed, that no acknowledged write is lost, and that no reply is older than an acknowledged write.
"""

import os
import subprocess
import time

from figures import Figure
from lab import RedisNode
from lab.network import Namespace
from lab.slots import until
from ledgers import Ledgers, promises

NODES = 4
QUIET_S = 1.5
USED = (b"cmdstat_set:", b"cmdstat_get:", b"cmdstat_mget:")


class Fleet:
    """Nodes with names of their own. `addresses` are those in the file."""

    def __init__(self, namespace):
        self.namespace, self.path, self.tuns = namespace, None, []
        self.nodes = [RedisNode(namespace=namespace, host="0.0.0.0") for _ in range(NODES)]
        self.addresses = ["127.0.0.1"] * NODES

    def configure(self, _, directory):
        self.path = self.path or os.path.join(directory, "onehop.yml")
        with open(self.path + ".new", "w") as file:
            file.write("alpha:\n  engine: redis\n  timeout: 30000\n  servers:\n")
            for number, (node, host) in enumerate(zip(self.nodes, self.addresses)):
                file.write(f"    - {host}:{node.port}:1 node{number}\n")
        os.rename(self.path + ".new", self.path)
        return self.path

    def new_address(self):
        """An address that leads nowhere: nothing reads the packets that the kernel sends there."""
        number = len(self.tuns)
        near, far = f"10.78.{number}.1", f"10.78.{number}.2"
        self.tuns.append(self.namespace.open_tun(f"hold{number}", near, far, 1500))
        return far

    def open(self, address):
        """From now on packets to the address arrive."""
        with self.namespace.entered():
            subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)

    def replace(self, number, by_failover):
        old, new = self.nodes[number], RedisNode(namespace=self.namespace, host="0.0.0.0")
        try:
            old.command("CONFIG", "SET", "repl-diskless-sync-delay", "0")
            new.command("REPLICAOF", "127.0.0.1", old.port)
            until(lambda: b"master_link_status:up" in info(new), "the new node follows")
            self.nodes[number], self.addresses[number] = new, self.new_address()
            self.configure(None, None)
            until_quiet(old)
            until(
                lambda: offset(new, b"slave_repl_offset") == written(old),
                "the new node has the last write",
            )
            if by_failover:
                old.command("FAILOVER", "TO", "127.0.0.1", new.port)
            else:
                new.command("REPLICAOF", "NO", "ONE")
            until(lambda: b"role:master" in info(new), "the new node is a master")
            self.open(self.addresses[number])
        finally:
            for node in (old, new):
                if node not in self.nodes:
                    node.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.stop()
        for tun in self.tuns:
            os.close(tun)


def info(node):
    return node.command("INFO", "replication")


def offset(node, name):
    lines = info(node).split(b"\r\n")
    return next(int(line.split(b":")[1]) for line in lines if line.startswith(name + b":"))


def written(node):
    return offset(node, b"master_repl_offset")


def until_quiet(node):
    """Waits until no client has used the node for a while: then all use the new file."""

    def used():
        lines = node.command("INFO", "commandstats").split(b"\r\n")
        return [line.split(b",")[0] for line in lines if line.startswith(USED)]

    def is_quiet():
        before = used()
        time.sleep(QUIET_S)
        return used() == before

    until(is_quiet, "no call asks the node")


def run(progress, is_short):
    count = 2 if is_short else 20
    progress.step("replace: starting servers")
    with (
        Namespace() as namespace,
        Fleet(namespace) as fleet,
        Ledgers(fleet, configure=fleet.configure, namespace=namespace, is_calm=is_short) as ledgers,
    ):
        ledgers.wait_until_at_work(fleet)
        time.sleep(1)
        for number in range(count):
            fleet.replace(number % NODES, by_failover=number % 2 == 0)
            time.sleep(1)
            progress.share("nodes", number + 1, count)
        told, _ = ledgers.end()
    progress.done()
    print(f"  {count} nodes replaced")
    failures = [
        failure for workers in told.values() for worker in workers for failure in worker["failures"]
    ]
    for failure in failures[:5]:
        print(f"    {failure[2]} of {failure[4]}: {failure[6]}")
    return [*promises(told), Figure("failed calls", len(failures), 0, is_hard=True)]
