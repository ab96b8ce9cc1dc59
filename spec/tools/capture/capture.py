#!/usr/bin/python3
"""Writes what a running server says about its commands to a file of spec/route.

It is the raw material of commands.json.

    capture.py --server 127.0.0.1:6379            writes captured/<server>-<major.minor>.json
    capture.py --start redis-server               the same, from a server started for this purpose
    capture.py --start "DIR/run valkey-server"    (DIR: see trixie_root.sh)

In: COMMAND and COMMAND DOCS. Out: one line per command and container subcommand, sorted. Lists are
sorted too if the server's order means nothing, so that the same server always gives the same bytes.
This program judges nothing: overlay.json corrects what the server says wrongly or not at all, with
the reason.

Use a server as its package installs it: default user, no renamed commands, no modules but its own.
Spec: route.md, "Where the table comes from".
"""

import argparse
import json
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
from resp import Server, Started

ROUTE = pathlib.Path(__file__).resolve().parents[2] / "route"
POLICIES = ("request_policy", "response_policy")


def pairs(flat):
    """In RESP2 a map is a flat list."""
    return dict(zip(flat[::2], flat[1::2]))


def key_spec(flat):
    """A key specification in route.md's short form: where to begin, how to find keys, flags."""
    spec = pairs(flat)
    begin, find = pairs(spec["begin_search"]), pairs(spec["find_keys"])
    short = {}
    if begin["type"] == "index":
        short["index"] = pairs(begin["spec"])["index"]
    elif begin["type"] == "keyword":
        words = pairs(begin["spec"])
        short.update(keyword=words["keyword"], **{"from": words["startfrom"]})
    else:
        short["unknown"] = True
    if find["type"] == "range":
        span = pairs(find["spec"])
        short.update(last=span["lastkey"], step=span["keystep"])
        if span["limit"] > 1:
            short["limit"] = span["limit"]
    elif find["type"] == "keynum":
        counted = pairs(find["spec"])
        short.update(
            keynum=counted["keynumidx"], first=counted["firstkey"], step=counted["keystep"]
        )
    short["flags"] = spec["flags"]
    return short


def arguments(documented):
    """The first line of a blocking command's syntax, which shows where the timeout is."""
    lines = []
    for flat in documented:
        argument = pairs(flat)
        line = {"name": argument["name"], "type": argument["type"]}
        line.update({name: argument[name] for name in ("token", "flags") if name in argument})
        lines.append(line)
    return lines


def entry(reply, documents):
    """A command as COMMAND and COMMAND DOCS describe it, without empty fields."""
    flags, acl, tips, specs, children = reply[2], reply[6], reply[7], reply[8], reply[9]
    policies = dict(tip.split(":", 1) for tip in tips if tip.startswith(POLICIES))
    document = documents.get(reply[0].lower(), {})
    found = {
        "arity": reply[1],
        "flags": sorted(flags),
        "keys": [key_spec(spec) for spec in specs],
        "request": policies.get("request_policy"),
        "response": policies.get("response_policy"),
        "tips": sorted(tip for tip in tips if not tip.startswith(POLICIES)),
        "container": bool(children),
        "group": document.get("group"),
        "since": document.get("since"),
        "deprecated": document.get("deprecated_since"),
        "module": document.get("module"),
        "acl": sorted(acl),
        "arguments": arguments(document.get("arguments", [])) if "blocking" in flags else None,
    }
    return {name: value for name, value in found.items() if value not in (None, [], False)}


def documents_by_name(flat):
    """COMMAND DOCS, with subcommands next to their containers and names in lower case."""
    found = {}
    for name, document in pairs(flat).items():
        document = pairs(document)
        found[name.lower()] = document
        for child, inner in pairs(document.get("subcommands", [])).items():
            found[child.lower()] = pairs(inner)
    return found


def commands(server):
    documents = documents_by_name(server.ask("COMMAND", "DOCS"))
    found = {}
    for reply in server.ask("COMMAND"):
        for command in [reply, *reply[9]]:
            found[command[0].lower()] = entry(command, documents)
    return dict(sorted(found.items()))


def identity(server):
    """(name, full version). valkey also reports redis_version: the version that it can replace.

    redis-stack is a redis with modules, of which search is one.
    """
    lines = dict(
        line.split(":", 1) for line in server.ask("INFO", "server").splitlines() if ":" in line
    )
    if "valkey_version" in lines:
        return "valkey", lines["valkey_version"]
    is_stack = any(pairs(module)["name"] == "search" for module in server.ask("MODULE", "LIST"))
    return "redis-stack" if is_stack else "redis", lines["redis_version"]


def text(server):
    name, version = identity(server)
    lines = [
        f"  {json.dumps(command)}: {json.dumps(told)}" for command, told in commands(server).items()
    ]
    head = f'{{\n"server": "{name}",\n"version": "{version}",\n"commands": {{\n'
    return f"{name}-{'.'.join(version.split('.')[:2])}", head + ",\n".join(lines) + "\n}\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--server", metavar="HOST:PORT")
    source.add_argument(
        "--start",
        metavar="PROGRAM",
        help="a server to start on a free loopback port and to stop afterwards",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if the file on disk differs"
    )
    options = parser.parse_args()
    if options.start:
        with Started(shlex.split(options.start)) as server:
            name, found = text(server)
    else:
        host, port = options.server.rsplit(":", 1)
        name, found = text(Server(host, int(port)))
    path = ROUTE / "captured" / f"{name}.json"
    if options.check:
        if not path.exists() or path.read_text() != found:
            raise SystemExit(
                f"{path.name} differs from what this server says: capture it again, see the diff."
            )
        print(f"{path.name}: the same.")
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text(found)
    print(f"{path.name}: {len(json.loads(found)['commands'])} commands.")


if __name__ == "__main__":
    main()
