#!/usr/bin/python3
"""Proves the keys of commands.json with a server: COMMAND GETKEYS for every example it knows.

    check_getkeys.py --start redis-server            a server started for this purpose
    check_getkeys.py --server 127.0.0.1:6379

Three must agree on each example: the marks in examples.json (a person), table.keys (commands.json)
and the server. For a server, channels and SORT's key patterns are not keys: on these the first two
must agree, and the server must not name them. If a server is known to name other keys,
examples.json says which and why ("differs"), and this is checked, too. It is an error if a command
has no example. If a command has keys and the server knows it, it is an error not to ask the server.
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
# A server's answer for a command without keys, by version.
NO_KEYS = ("The command has no key arguments", "Invalid arguments specified for command")


def server_keys(server, words):
    """The keys as the server sees them; [] if it says that there are none; or its error."""
    reply = server.reply_to("COMMAND", "GETKEYS", *words)
    if isinstance(reply, Refused):
        if str(reply).startswith(tuple(f"ERR {text}" for text in NO_KEYS)):
            return []
        return [str(reply)]
    return reply


def known(server):
    names = set()
    for reply in server.ask("COMMAND"):
        names.update(command[0].lower() for command in [reply, *reply[9]])
    return names


def faults(server, examples, differs, here):
    """(commands that the server was asked about, number of their examples, findings)."""
    asked, compared, wrong = set(), 0, []
    for name, text in ((name, text) for name, texts in examples.items() for text in texts):
        words, marked = table.read_example(text)
        found, entry = table.find(words)
        if found != name:
            wrong.append(f"{text}: is an example of {name}, but the table says {found}.")
            continue
        if table.keys(entry, words) != marked:
            wrong.append(
                f"{text}: the table finds {table.keys(entry, words)}, but the marks say {marked}."
            )
        # Redis 7.0 accepts no command of one word here; such commands have no keys. In a
        # command that is refused, the server may take a name for a key (FT.SEARCH).
        is_placed = entry["spread"] != "refused"
        if name in here and len(words) > 1 and is_placed:
            asked.add(name)
            compared += 1
            ours = [words[place] for place, kind in marked if kind == "key"]
            expected = differs[text]["answers"] if text in differs else [ours]
            theirs = server_keys(server, words)
            if sorted(theirs) not in map(sorted, expected):
                wrong.append(
                    f"{text}: keys {ours}, expected of the server {expected}, it says {theirs}."
                )
    return asked, compared, wrong


def uncovered(examples, asked, here):
    for name, entry in table.COMMANDS.items():
        if "spread" in entry and name not in examples:
            yield f"{name}: no example."
        is_asked = name in asked or entry.get("spread") == "refused"
        if entry.get("keys") and name in here and not is_asked:
            yield f"{name}: has keys and is known to the server, but the server was not asked."


def check(server):
    page = json.loads((ROUTE / "examples.json").read_text())
    examples, differs, here = page["examples"], page["differs"], known(server)
    asked, compared, wrong = faults(server, examples, differs, here)
    wrong += uncovered(examples, asked, here)
    total = sum(map(len, examples.values()))
    print(
        f"{total} examples of {len(examples)} commands; the server was asked about {compared} of "
        f"{len(asked)} commands ({len(differs)} known to differ); {len(wrong)} wrong."
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
