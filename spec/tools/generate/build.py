#!/usr/bin/python3
"""Makes commands.json: what every command of every captured server means to OneHop.

    build.py            writes commands.json and prints what it found
    build.py --check    writes nothing; fails if commands.json is stale or a rule has no effect

In: captured.json (the servers' own descriptions), overlay.json (our decisions, each with its
reason). Out: one line per command and container subcommand. If servers disagree, the newest one
counts (NEWEST_FIRST). A command without a decision is an error here, never a guess in a client. On
the way every file of spec/route is checked against its schema. Spec: route.md, "Where the table
comes from" and "The table".
"""

import argparse
import collections
import fnmatch
import json
import pathlib

import jsonschema

ROUTE = pathlib.Path(__file__).resolve().parents[2] / "route"
NEWEST_FIRST = ("valkey-9.1", "redis-8.0", "valkey-8.1", "redis-stack-7.4", "redis-7.0")
MERGES = {  # The servers' response policies in our words; None means that none is named.
    "agg_sum": "sum",
    "agg_min": "min",
    "agg_max": "max",
    "agg_logical_and": "and",
    "all_succeeded": "all_ok",
    "one_succeeded": "one_ok",
    None: None,
    "special": None,
}
ORDER = (
    "container",
    "access",
    "spread",
    "merge",
    "merge_width",
    "keys",
    "without_keys",
    "without_keys_reason",
    "whole_with",
    "brings",
    "blocking",
    "state",
    "retryable",
    "reason",
    "arity",
    "group",
    "since",
    "servers",
)
# Pages with a definition of their name in the schema.
PAGES = ("captured", "overlay", "commands", "examples", "phpredis", "phpredis_calls", "express")
PAGES += ("info", "ssdb")


class Undecided(Exception):
    """A decision that a person must make. The text says which one and where."""


def load(name):
    return json.loads((ROUTE / name).read_text())


def captured():
    """{server: {command: row}}, newest first. A captured server without a rank is an error."""
    page = load("captured.json")
    if set(page["servers"]) != set(NEWEST_FIRST):
        raise Undecided(f"NEWEST_FIRST names {NEWEST_FIRST}, captured are {(*page['servers'],)}.")
    return {
        server: {
            row["name"]: row for row in page["commands"] if server in row.get("servers", [server])
        }
        for server in NEWEST_FIRST
    }


# ---- Descriptions of the servers ----


def access(told):
    """read, write or none: by its flags; without such flags (EVAL, WATCH) by those of its keys."""
    if "write" in told.get("flags", []):
        return "write"
    if "readonly" in told.get("flags", []):
        return "read"
    flags = {flag for spec in told.get("keys", []) for flag in spec["flags"]} - {"not_key"}
    if flags & {"RW", "OW", "RM"}:
        return "write"
    return "read" if "RO" in flags else "none"


def spread(told):
    """Where a command goes, by its request policy; None if it has neither policy nor keys."""
    request = told.get("request")
    if told.get("keys"):
        return "split" if request == "multi_shard" else "one_node"
    return "all_nodes" if request in ("all_shards", "all_nodes") else None


def merge(told, where):
    if where not in ("split", "all_nodes"):
        return None
    found = MERGES[told.get("response")]
    return "in_order" if found is None and where == "split" and "response" not in told else found


def from_server(told):
    """The first version of an entry: all that one server's description says."""
    where = spread(told)
    entry = {
        "container": told.get("container"),
        "access": access(told),
        "spread": where,
        "merge": merge(told, where),
        "keys": told.get("keys", []),
        "arity": told["arity"],
        "group": told.get("module", told.get("group")),
        "since": told.get("since"),
    }
    entry["retryable"] = entry["access"] == "read" and "readonly" in told.get("flags", [])
    return entry


def first_words(servers):
    """{command: entry}: the newest server's description, and a list of all servers that have it."""
    entries = {}
    for server, commands in servers.items():
        for name, told in commands.items():
            entry = entries.setdefault(name, {**from_server(told), "servers": []})
            entry["servers"].append(server)
    for entry in entries.values():
        entry["servers"].sort()
    return entries


def positions(specs):
    """Key specifications without flags: servers may differ in flags, never in positions."""
    return [{name: value for name, value in spec.items() if name != "flags"} for spec in specs]


def disagreements(servers, overlaid):
    """Commands whose keys differ between servers, unless overlay.json decides."""
    for name in sorted(set().union(*servers.values()) - overlaid):
        told = {
            server: positions(commands[name].get("keys", []))
            for server, commands in servers.items()
            if name in commands
        }
        if any(specs != next(iter(told.values())) for specs in told.values()):
            raise Undecided(f"{name}: servers disagree on its keys: {told}.")


# ---- Our decisions ----


def wanted(rule):
    """What a rule sets, and what follows from it.

    Keys imply one node, one node needs no merge, and a refused command is never retried.
    """
    fields = dict(rule["set"])
    if "keys" in fields:
        fields.setdefault("spread", "one_node")
    if fields.get("spread") in ("refused", "any_node", "one_node", "bound"):
        fields.setdefault("merge", None)
    if fields.get("spread") == "refused":
        fields.setdefault("retryable", False)
    return fields


def add(rule, entries):
    """Adds a command that no captured server has."""
    for name in rule["names"]:
        if name in entries:
            raise Undecided(f"{name} is captured now, so the rule that adds it is stale.")
        entries[name] = {"spread": "one_node", "retryable": False, "servers": []}


def apply(rules, entries):
    """Applies the rules in order. A rule is stale if one of its names or patterns has no effect."""
    for rule in rules:
        if rule.get("add"):
            add(rule, entries)
        fields = wanted(rule)
        for pattern in rule["names"]:
            found = [entries[name] for name in fnmatch.filter(entries, pattern)]
            changed = [
                entry
                for entry in found
                if any(entry.get(field) != value for field, value in fields.items())
            ]
            if not changed:
                raise Undecided(f"A rule has no effect on {pattern}: {rule['reason']}")
            for entry in changed:
                entry.update(fields)
                entry["reason"] = (
                    f"{entry['reason']} {rule['reason']}" if "reason" in entry else rule["reason"]
                )


def settle(name, entry):
    """Checks the invariants of a finished entry."""
    where = entry["spread"]
    if entry["container"] and where is None:
        return
    if where is None:
        raise Undecided(f"{name}: no key, no policy, no rule in overlay.json.")
    if (where in ("split", "all_nodes")) != bool(entry.get("merge")) and entry.get(
        "merge"
    ) != "first_not_nil":
        raise Undecided(f"{name}: spread {where} with merge {entry.get('merge')}.")
    if where == "split" and len(entry["keys"]) != 1:
        raise Undecided(f"{name}: only a command with one key specification can be split.")
    if where == "one_node" and not entry["keys"]:
        raise Undecided(f"{name}: goes to the node of its key and has none.")
    if any("unknown" in spec for spec in entry["keys"]) and where != "refused":
        raise Undecided(f"{name}: the server does not know where its keys are.")
    if "brings" in entry and entry["access"] != "read":
        raise Undecided(f"{name}: a command that does not only read brings its keys anyway.")
    if "whole_with" in entry and where not in ("split", "all_nodes"):
        raise Undecided(f"{name}: spread {where} with whole_with.")
    if where == "refused" and not entry["reason"].endswith("."):
        raise Undecided(f"{name}: a refusal must be a sentence for the user.")


def blocking_agrees(name, entry, servers):
    """Compares our timeout position with the syntax that the servers document."""
    documented = [
        commands[name]["arguments"]
        for commands in servers.values()
        if "arguments" in commands.get(name, {})
    ]
    place = entry.get("blocking")
    if documented and not place:
        raise Undecided(f"{name} blocks, but no rule says where its timeout is.")
    for arguments in documented:
        kinds = {"seconds": "double", "milliseconds": "integer"}
        if "option" in place:
            right = any(
                a.get("token") == place["option"] and a["type"] == kinds[place["unit"]]
                for a in arguments
            )
        else:
            argument = arguments[place["timeout"] - (place["timeout"] > 0)]
            right = argument["name"] == "timeout" and argument["type"] == kinds[place["unit"]]
        if not right:
            raise Undecided(f"{name}: the timeout is not at {place} of {arguments}.")


def short(entry):
    """An entry as it is written: fields in a fixed order, without empty ones."""
    for spec in entry["keys"]:
        spec["flags"] = [
            flag for flag in spec.get("flags", []) if flag not in ("not_key", "incomplete")
        ]
        spec.setdefault("kind", "key")
    ordered = {field: entry.get(field) for field in ORDER}
    keep_empty = ("servers",)
    return {
        field: value
        for field, value in ordered.items()
        if field in keep_empty or value not in (None, [], False)
    }


def table():
    servers, rules = captured(), load("overlay.json")["rules"]
    entries = first_words(servers)
    decided = {name for rule in rules if "keys" in rule["set"] for name in rule["names"]}
    disagreements(servers, decided)
    apply(rules, entries)
    for name, entry in entries.items():
        entry.setdefault("container", None)
        settle(name, entry)
        blocking_agrees(name, entry, servers)
    return {name: short(entry) for name, entry in sorted(entries.items())}


# ---- Writing and checking ----


def text(entries):
    lines = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
    about = (
        "Generated by spec/tools/generate/build.py from captured.json and overlay.json: "
        "change those, not this. Read: route.md."
    )
    return f'{{\n"about": "{about}",\n"commands": {{\n' + ",\n".join(lines) + "\n}\n}\n"


def validate():
    pages = {f"{name}.json": name for name in PAGES}
    whole = load("../schema/route.json")
    for name, schema in pages.items():
        validator = jsonschema.Draft202012Validator({**whole, "$ref": f"#/$defs/{schema}"})
        for fault in validator.iter_errors(load(name)):
            raise Undecided(
                f"{name}, {'/'.join(map(str, fault.absolute_path))}: {fault.message[:300]}"
            )


def summary(entries):
    counts = collections.Counter(entry.get("spread", "(container)") for entry in entries.values())
    return (
        f"{len(entries)} commands: "
        + ", ".join(f"{count} {where}" for where, count in sorted(counts.items()))
        + "."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if commands.json is stale"
    )
    options = parser.parse_args()
    path = ROUTE / "commands.json"
    try:
        entries = table()
        if not options.check:
            path.write_text(text(entries))
        elif not path.exists() or path.read_text() != text(entries):
            raise Undecided(
                "commands.json is stale: run spec/tools/generate/build.py and check the difference."
            )
        validate()
    except Undecided as undecided:
        raise SystemExit(str(undecided)) from undecided
    print(summary(entries))


if __name__ == "__main__":
    main()
