#!/usr/bin/python3
"""Proves commands.json by asking a server where the keys are: COMMAND GETKEYS for every example it knows.

    check_getkeys.py --start redis-server            a server started here for the moment
    check_getkeys.py --server 127.0.0.1:6379

Three must agree on each example: the marks in examples.json (a person), table.keys (commands.json) and the server.
Channels and SORT's key patterns are no keys to a server; there the first two must agree, and the server must not name
them. Where a server is known to tell other keys, examples.json says what it says and why ("differs"), and that is
checked too. Also fails when a command has no example, or has keys and could not be put before a server that knows it.
Spec: route.md, "Finding the keys".
"""

import argparse
import json
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
import table
from resp import Refused, Server, Started

ROUTE = pathlib.Path(__file__).resolve().parents[2] / "route"
# What a server says of a command without keys, by version.
NO_KEYS = ("The command has no key arguments", "Invalid arguments specified for command")


def server_keys(server, words):
    """The keys as the server sees them; [] when it says the command has none."""
    reply = server.tell("COMMAND", "GETKEYS", *words)
    if isinstance(reply, Refused):
        if str(reply).startswith(tuple(f"ERR {text}" for text in NO_KEYS)):
            return []
        raise reply
    return reply


def known(server):
    names = set()
    for reply in server.ask("COMMAND"):
        names.update(command[0].lower() for command in [reply, *reply[9]])
    return names


def faults(server, examples, differs, here):
    """(commands whose examples were put before the server, number of those examples, sentences about what is wrong)."""
    asked, compared, wrong = set(), 0, []
    for name, text in ((name, text) for name, texts in examples.items() for text in texts):
        words, marked = table.read_example(text)
        found, entry = table.find(words)
        if found != name:
            wrong.append(f"{text}: is an example of {name}, the table says {found}.")
            continue
        if table.keys(entry, words) != marked:
            wrong.append(
                f"{text}: the table finds {table.keys(entry, words)}, marked are {marked}."
            )
        if (
            name in here and len(words) > 1
        ):  # Redis 7.0 takes no command of one word here; such have no keys.
            asked.add(name)
            compared += 1
            ours = [words[place] for place, kind in marked if kind == "key"]
            expected = differs[text]["server"] if text in differs else ours
            theirs = server_keys(server, words)
            if sorted(theirs) != sorted(expected):
                wrong.append(
                    f"{text}: keys {ours}, expected of the server {expected}, it says {theirs}."
                )
    return asked, compared, wrong


def uncovered(examples, asked, here):
    for name, entry in table.COMMANDS.items():
        if "spread" in entry and name not in examples:
            yield f"{name}: no example."
        if entry.get("keys") and name in here and name not in asked:
            yield f"{name}: has keys, the server knows it, and it was not asked."


def check(server):
    page = json.loads((ROUTE / "examples.json").read_text())
    examples, differs, here = page["examples"], page["differs"], known(server)
    asked, compared, wrong = faults(server, examples, differs, here)
    wrong += uncovered(examples, asked, here)
    total = sum(map(len, examples.values()))
    print(
        f"{total} examples of {len(examples)} commands; {compared} of {len(asked)} commands put before the server "
        f"({len(differs)} known to differ); {len(wrong)} wrong."
    )
    if wrong:
        raise SystemExit("\n".join(wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--server", metavar="HOST:PORT")
    source.add_argument("--start", metavar="PROGRAM")
    options = parser.parse_args()
    if options.start:
        with Started(shlex.split(options.start)) as server:
            check(server)
    else:
        host, port = options.server.rsplit(":", 1)
        check(Server(host, int(port)))


if __name__ == "__main__":
    main()
