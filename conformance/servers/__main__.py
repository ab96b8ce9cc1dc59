"""Every command of a server, sent by PHP and by Java to three of its nodes.

    make build && /usr/bin/python3 conformance/servers NAME ...

NAME is a name of PROGRAMS. Each command that the server lists is sent alone and in a pipeline. A
node has to answer it, even with an error, or OneHop has to refuse it with a reason. That OneHop
does not know a command is no reason. When all commands are sent again, none of them opens a
connection. At the end a Redis Cluster of three such servers is started. If it has several
databases, they are used. For redis-stack, modules.py has more commands.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../spec/tools/reference"), os.path.dirname(HERE)]

import modules  # noqa: E402 (the path above finds it)
import table  # noqa: E402
from built import JAVA, PHP, ROOT  # noqa: E402
from lab import RedisNode  # noqa: E402
from lab.cluster import Cluster  # noqa: E402

NODES = 3
# The words that start a server. A program of .ci prints them, after it has fetched the server.
PROGRAMS = {
    "redis-7.0": "redis-server",
    "redis-8.0": ".ci/sid redis-server",
    "valkey-9.1": ".ci/sid valkey-server",
    "redis-stack-7.4": ".ci/redis-stack",
}
# What OneHop says of a command that it knows neither by its table nor by a node.
UNKNOWN = ("OneHop cannot tell which argument is the key", "nor the node knows the command")
# The nodes answer differently, such as MODULE LIST in another order.
DIFFERENT = "The nodes gave different answers"
# Refused, except for the server pool's own database, and for names that the object keeps.
ALLOWED = ("SELECT 0", "CLIENT GETNAME", "CLIENT SETNAME name", "CLIENT SETINFO LIB-NAME onehop")


def client(language, name):
    """The words that run the program of that name."""
    if language == "PHP":
        return [*PHP, os.path.join(HERE, f"{name}.php")]
    return [*JAVA, os.path.join(HERE, f"{name.capitalize()}.java")]


def program(name):
    words = PROGRAMS[name].split()
    if not words[0].startswith(".ci/"):
        return words
    return subprocess.check_output(words, cwd=ROOT, text=True).split()


def configuration(nodes, directory, directives='  hash: murmur\n  hash_tag: "{}"\n'):
    path = os.path.join(directory, "onehop.yml")
    # With these names a key has the same node in every run.
    names = ("one", "two", "three")
    listed = (node.server_line(name=name) for node, name in zip(nodes, names, strict=True))
    servers = "".join(f"    - {line}\n" for line in listed)
    with open(path, "w") as file:
        file.write(
            f"alpha:\n  listen: 127.0.0.1:1\n  redis: true\n{directives}  timeout: 10000\n"
            f"  servers:\n{servers}"
        )
    return path


# ---- What is sent ----


def known(node):
    """The names of a server's commands and subcommands."""
    names = set()
    for reply in node.command("COMMAND"):
        names.update(command[0].decode().lower() for command in [reply, *reply[9]])
    return sorted(names)


def lines(names):
    """(name, line) of each command. Keys are on one node, except those of a split command."""
    with open(os.path.join(ROOT, "spec/route/examples.json")) as page:
        examples = json.load(page)["examples"]
    for name in names:
        entry = table.COMMANDS.get(name)
        if entry is None:
            yield name, f"{name.upper().replace('|', ' ')} k1"
        for text in examples.get(name, ()):
            words, marked = table.read_example(text)
            for place, _ in () if entry["spread"] == "split" else marked:
                words[place] = f"{{t}}{words[place]}"
            yield name, " ".join(word or '""' for word in words)


# ---- What came of it ----


def fault(name, line, outcomes):
    """What is wrong with what a client has printed of a command, or None."""
    is_refused = table.COMMANDS.get(name, {}).get("spread") == "refused" and line not in ALLOWED
    for how, outcome in zip(("alone", "in a pipeline"), outcomes.split("\t"), strict=True):
        has_reason = outcome.startswith("refused: ") and not any(
            said in outcome for said in UNKNOWN
        )
        has_reason |= DIFFERENT in outcome
        if not has_reason and (outcome != "served" or is_refused):
            return f"{line}, {how}: {outcome}"
    return None


def accepted(nodes):
    """The number of connections that the nodes have accepted, this question's included."""
    found = [
        re.search(rb"total_connections_received:(\d+)", node.command("INFO", "stats"))
        for node in nodes
    ]
    return sum(int(match[1]) for match in found)


def every(language, nodes, path, calls):
    """Sends all commands twice. Yields what is wrong."""
    with subprocess.Popen(
        [*client(language, "every"), path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as sender:
        for round_number in (1, 2):
            before = accepted(nodes)
            for name, line in calls:
                if round_number == 2 and name == "config|resetstat":
                    continue  # It resets the count of connections.
                sender.stdin.write(line + "\n")
                wrong = fault(name, line, sender.stdout.readline().rstrip("\n"))
                if wrong and round_number == 1:
                    yield f"{language}: {wrong}"
            opened = accepted(nodes) - before - len(nodes)
        if opened:
            yield f"{language}: {opened} connections were opened in the second round"


def compared(language, nodes, path, one):
    """Compares the nodes with one server. Yields what is wrong."""
    rounds = {how: ("modules", [str(one.port), how], text) for how, text in modules.rounds()}
    for how, (name, arguments, text) in (rounds | {"search": ("search", [], "")}).items():
        for node in [*nodes, one]:
            node.command("FLUSHALL")  # Indexes, too.
        words = [*client(language, name), path, *arguments]
        yield from run(f"{language}, {how}", words, text)


def run(what, words, text):
    """Yields the lines that a program prints, and how it ended if it failed."""
    ended = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    if ended.returncode:
        yield f"{what}: ended with {ended.returncode}: {ended.stderr[-2000:]}"
    for line in ended.stdout.splitlines():
        yield f"{what}: {line}"


def databases(name):
    """A Redis Cluster with as many databases as the server allows. Yields what is wrong."""
    count = 16 if name.startswith("valkey-9") else 1
    options = {"cluster_databases": count} if count > 1 else {}
    with (
        Cluster(NODES, program=program(name), **options) as cluster,
        tempfile.TemporaryDirectory() as directory,
    ):
        path = configuration(cluster.nodes, directory, "  cluster: true\n")
        for language in ("PHP", "Java"):
            for node in cluster.nodes:
                node.command("FLUSHALL")
            words = [*client(language, "databases"), path, str(count)]
            yield from run(f"{language}, databases of a cluster", words, "")


def check(name):
    """(number of commands, findings) of one server."""
    with contextlib.ExitStack() as stack:
        words = program(name)
        nodes = [stack.enter_context(RedisNode(program=words)) for _ in range(NODES + 1)]
        one = nodes.pop()
        path = configuration(nodes, stack.enter_context(tempfile.TemporaryDirectory()))
        names = known(one)
        calls, found = list(lines(names)), []
        for language in ("PHP", "Java"):
            found += every(language, nodes, path, calls)
            if name.startswith("redis-stack"):
                found += compared(language, nodes, path, one)
    found += databases(name)
    return len(names), found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=PROGRAMS, metavar="NAME")
    failed = 0
    for name in parser.parse_args().names:
        count, found = check(name)
        print(f"{name}: {count} commands, {len(found)} wrong.", *found, sep="\n  ")
        failed += len(found)
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
