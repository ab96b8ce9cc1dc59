#!/usr/bin/python3
"""Writes what a running server says about its commands to spec/route/captured.json.

It is the raw material of commands.json.

    capture.py --server 127.0.0.1:6379            replaces what this version said before
    capture.py --start redis-server               the same, from a server started for this purpose
    capture.py --start "DIR/run valkey-server"    (DIR: see trixie_root.sh)

In: COMMAND and COMMAND DOCS. Out: one line per command and container subcommand, sorted. Servers
that say the same of a command share its line. Lists are sorted too if the server's order means
nothing, so that the same server always gives the same bytes. This program judges nothing:
overlay.json corrects what the server says wrongly or not at all, with the reason.

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

PAGE = pathlib.Path(__file__).resolve().parents[2] / "route/captured.json"
ABOUT = (
    "What servers say of their commands, by spec/tools/capture/capture.py. A row without `servers` "
    "is what all of them say."
)
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


def page_with(page, server):
    """The page after this server was asked, and the server's name on the page."""
    name, version = identity(server)
    name += "-" + ".".join(version.split(".")[:2])
    found = {other: told_by(page, other) for other in page["servers"]} | {name: commands(server)}
    versions = dict(sorted({**page["servers"], name: version}.items()))
    rows = [
        row
        for command in sorted(set().union(*found.values()))
        for row in rows_of(command, {other: found[other].get(command) for other in versions})
    ]
    return {"about": ABOUT, "servers": versions, "commands": rows}, name


def told_by(page, server):
    """{command: what this server says of it}"""
    return {
        row["name"]: {field: row[field] for field in row if field not in ("name", "servers")}
        for row in page["commands"]
        if server in row.get("servers", [server])
    }


def rows_of(command, told):
    """One row for all servers that say the same. `told` is {server: what it says, or None}."""
    alike = []
    for server, words in told.items():
        row = next((row for row in alike if row[1] == words), None)
        if row:
            row[0].append(server)
        elif words:
            alike.append(([server], words))
    for servers, words in alike:
        by = {} if len(servers) == len(told) else {"servers": servers}
        yield {"name": command, **by, **words}


def text(page):
    rows = ",\n".join(f"  {json.dumps(row)}" for row in page["commands"])
    head = f'"about": {json.dumps(page["about"])},\n"servers": {json.dumps(page["servers"])},\n'
    return f'{{\n{head}"commands": [\n{rows}\n]\n}}\n'


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
    old = json.loads(PAGE.read_text())
    if options.start:
        with Started(shlex.split(options.start)) as server:
            page, name = page_with(old, server)
    else:
        host, port = options.server.rsplit(":", 1)
        page, name = page_with(old, Server(host, int(port)))
    if options.check:
        if PAGE.read_text() != text(page):
            raise SystemExit(
                f"{name} says something else than {PAGE.name}: capture it again, and see the diff."
            )
        print(f"{name}: the same.")
        return
    PAGE.write_text(text(page))
    print(f"{name}: {len(told_by(page, name))} commands.")


if __name__ == "__main__":
    main()
