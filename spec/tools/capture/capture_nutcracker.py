#!/usr/bin/python3
"""Asks a live nutcracker what it does with every command: clients/nutcracker-0.5.json.

    capture_nutcracker.py            starts nutcracker and two redis-servers, and writes the file
    capture_nutcracker.py --check    the same, but fails if the file differs

It sends each example of examples.json twice. First the keys are chosen so that the first one is on
one node and all others are on the other node; then the reverse. The nodes report what reached them.
Out, per command: "yes" (it has one key, or needs none), "split", "first key" (it goes with all its
keys to the node of the first), "wrong node", or nothing if nutcracker closes the connection.
commands_page.py reads the result.
"""

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "spec/tools/reference"), str(ROOT / "conformance")]

import table  # noqa: E402
from lab.nutcracker import Nutcracker  # noqa: E402
from resp import Server, Started  # noqa: E402

ROUTE = ROOT / "spec/route"
PAGE = ROUTE / "clients" / "nutcracker-0.5.json"
# Commands that end the proxy's connection for other reasons, or that the proxy answers itself.
ANSWERED_BY_PROXY = ("ping", "auth", "quit")


class Proxy(Nutcracker):
    """A nutcracker over two servers, stopped when the block ends."""

    def __init__(self, *ports):
        servers = [f"127.0.0.1:{port}:1 node-{i}" for i, port in enumerate(ports)]
        super().__init__({"alpha": {"redis": True, "timeout": 2000, "servers": servers}})

    def send(self, words):
        """True if there was an answer. Uses its own connection: an unknown command closes it."""
        with Server(*self.address("alpha")) as server:
            try:
                server.reply_to(*words)
                return True
            except ConnectionError:
                return False


class Fleet:
    """Two nodes that count the commands that reach them, and a key on each node."""

    def __init__(self, proxy, nodes):
        self.proxy, self.nodes = proxy, nodes
        self.keys = {}
        for i in range(1000):
            self.reached(["GET", f"key{i}"])  # This also asks for the placement.
            self.keys.setdefault(self.last, f"key{i}")
            if len(self.keys) == len(nodes):
                break

    def reached(self, words):
        """The numbers of the nodes that got the command; None if the proxy hung up."""
        for node in self.nodes:
            node.ask("FLUSHALL")
            node.ask("CONFIG", "RESETSTAT")
        if not self.proxy.send(words):
            return None
        name = f"cmdstat_{words[0].lower()}"
        found = {i for i, node in enumerate(self.nodes) if self.counts(node, name)}
        self.last = max(found, default=None)
        return found

    @staticmethod
    def counts(node, name):
        lines = node.ask("INFO", "commandstats").splitlines()
        return any(line.split(":")[0].split("|")[0] == name for line in lines)

    def treatment(self, text):
        """What nutcracker does with one example."""
        words, marked = table.read_example(text)
        places = [place for place, kind in marked if kind == "key"]
        treatments = set()
        for first in sorted(self.keys):
            chosen = list(words)
            for i, place in enumerate(places):
                chosen[place] = self.keys[first if i == 0 else 1 - first]
            reached = self.reached(chosen)
            if reached is None:
                return None
            treatments.add(
                "split" if len(reached) > 1 else "home" if reached == {first} else "away"
            )
        if treatments == {"split"}:
            return "split"
        if not places:
            return "yes"
        if treatments == {"home"}:
            return "yes" if len(places) == 1 else "first key"
        return "wrong node"


def capture(program):
    examples = json.loads((ROUTE / "examples.json").read_text())["examples"]
    order = ["yes", "split", "first key", "wrong node"]
    with (
        Started(program) as one,
        Started(program) as other,
        Proxy(*(node.socket.getpeername()[1] for node in (one, other))) as proxy,
    ):
        fleet, found = Fleet(proxy, [one, other]), {}
        for name, texts in sorted(examples.items()):
            treatments = (
                ["yes"] if name in ANSWERED_BY_PROXY else [fleet.treatment(text) for text in texts]
            )
            treatments = [treatment for treatment in treatments if treatment]
            if treatments:
                found[name] = max(treatments, key=order.index)
    return {"proxy": "nutcracker", "version": "0.5.0", "commands": found}


def written(page):
    lines = [
        f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in page["commands"].items()
    ]
    proxy, version = json.dumps(page["proxy"]), json.dumps(page["version"])
    head = f'"proxy": {proxy},\n"version": {version},\n"commands": '
    return "{\n" + head + "{\n" + ",\n".join(lines) + "\n}\n}\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true")
    check = arguments.parse_args().check
    page = capture(["redis-server"])
    if check and PAGE.read_text() != written(page):
        sys.exit(f"{PAGE.name} differs from what nutcracker does: run capture_nutcracker.py.")
    if not check:
        PAGE.write_text(written(page))
    print(f"nutcracker serves {len(page['commands'])} of the table's commands.")


if __name__ == "__main__":
    main()
