"""How the replies of several nodes become one: the reference for both languages.

There is one small function per rule. In: the name of a rule, the replies in node order, and for a
split command the positions of each node's keys. Replies are RESP as JSON has it: numbers, strings,
null, lists; an error reply is a Refused. Out: the merged reply. A rule never makes a reply out of
fewer nodes than were asked: an error among the replies is raised, except by the rule made for it
(one_ok). Spec: route.md, "Merging".
"""

import json
import pathlib
import re

from resp import Refused

FIELDS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "route/info.json").read_text())


def elementwise(combine, replies):
    """Sums of numbers, or of lists of numbers element by element (WAITAOF, SCRIPT EXISTS)."""
    if isinstance(replies[0], list):
        return [combine(column) for column in zip(*replies)]
    return combine(replies)


def in_order(replies, places, width=1):
    """Puts each node's elements back to the positions of their keys in the caller's command."""
    found = [None] * (width * sum(len(where) for where in places))
    for reply, where in zip(replies, places):
        for number, place in enumerate(where):
            found[width * place : width * (place + 1)] = reply[
                width * number : width * (number + 1)
            ]
    return found


def streams(replies, order):
    """[[stream, entries], ...] in the caller's order of streams; nil if no stream had anything."""
    found = {name: entries for reply in replies if reply for name, entries in reply}
    return [[name, found[name]] for name in dict.fromkeys(order) if name in found] or None


def equal(replies):
    if any(reply != replies[0] for reply in replies):
        raise Refused("The nodes answer differently: ask them one by one, by onEachNode.")
    return replies[0]


def union(replies):
    return list(dict.fromkeys(element for reply in replies for element in reply))


def concat(replies):
    """Joins lists, and also texts (CLIENT LIST)."""
    if isinstance(replies[0], str):
        return "".join(replies)
    return [element for reply in replies for element in reply]


def first_not_nil(replies):
    return next((reply for reply in replies if reply is not None), None)


def one_ok(replies):
    """One node did it; the others answered with an error because they had nothing to do."""
    for reply in replies:
        if not isinstance(reply, Refused):
            return reply
    raise replies[0]


# ---- INFO ----


def version(text):
    return [int(part) if part.isdigit() else 0 for part in text.split(".")]


def sum_of_parts(parts, names):
    """Merges db0:keys=1,expires=1,avg_ttl=5 or cmdstat_get:calls=2,usec=5,usec_per_call=2.50."""
    total = {
        name: sum(int(part.get(name, 0)) for part in parts)
        for name in names
        if name != "usec_per_call"
    }
    if "avg_ttl" in total:
        weighted = sum(int(part["avg_ttl"]) * int(part["expires"]) for part in parts)
        total["avg_ttl"] = weighted // total["expires"] if total["expires"] else 0
    if "usec_per_call" in names:
        hundredths = total["usec"] * 100 // total["calls"] if total["calls"] else 0
        total["usec_per_call"] = f"{hundredths // 100}.{hundredths % 100:02}"
    return total


def highest_of_parts(parts, names):
    """Merges latency_percentiles_usec_get:p50=1.003,p99=5.023 of several nodes."""
    return {name: max((part[name] for part in parts if name in part), key=float) for name in names}


def parts_merged(merge, values):
    """None if a value is not a list of parts."""
    try:
        parts = [dict(pair.split("=") for pair in value.split(",")) for value in values]
        names = list(dict.fromkeys(name for part in parts for name in part))
        total = merge(parts, names)
    except (ValueError, KeyError):
        return None
    return ",".join(f"{name}={total[name]}" for name in names)


PARTS = (
    (re.compile("db[0-9]+"), sum_of_parts),
    (re.compile("(cmdstat|errorstat)_.*"), sum_of_parts),
    (re.compile("latency_percentiles_usec_.*"), highest_of_parts),
)


def field(name, values, nodes):
    """The fleet's value of a field of INFO, or None to leave it out. Missing parts count as 0."""
    for pattern, merge in PARTS:
        if pattern.fullmatch(name):
            return parts_merged(merge, values)
    if name in FIELDS["sum"]["fields"]:
        return str(sum(int(value) for value in values))
    if len(values) < nodes:
        return None
    for rule, choose in (("min", min), ("max", max)):
        if name in FIELDS[rule]["fields"]:
            return str(choose(int(value) for value in values))
    if name in FIELDS["lowest_version"]["fields"]:
        return min(values, key=version)
    return values[0] if len(set(values)) == 1 else None


def info(replies):
    """One text in a server's form, with headers and fields in the order of first appearance."""
    sections = {}
    for reply in replies:
        section = ""
        for line in reply.splitlines():
            if line.startswith("#"):
                section = line
            elif ":" in line:
                name, value = line.split(":", 1)
                sections.setdefault(section, {}).setdefault(name, []).append(value)
    text = []
    for section, fields in sections.items():
        merged = {name: field(name, values, len(replies)) for name, values in fields.items()}
        lines = [f"{name}:{value}" for name, value in merged.items() if value is not None]
        text.append("\r\n".join([section, *lines]) + "\r\n")
    return "\r\n".join(text)


RULES = {
    "sum": lambda replies: elementwise(sum, replies),
    "min": lambda replies: elementwise(min, replies),
    "max": lambda replies: elementwise(max, replies),
    "and": lambda replies: elementwise(lambda bits: int(all(bits)), replies),
    "all_ok": lambda replies: replies[0],
    "equal": equal,
    "union": union,
    "concat": concat,
    "first_not_nil": first_not_nil,
    "info": info,
}


def merged(rule, replies, nodes=None, places=None, order=None, width=1):
    """Merges the nodes' replies. scan and subscription are conversations, see route.md."""
    if rule == "one_ok":
        return one_ok(replies)
    for reply in replies:
        if isinstance(reply, Refused):
            raise reply
    if rule == "per_node":
        return dict(zip(nodes, replies))
    if rule == "in_order":
        return in_order(replies, places, width)
    if rule == "streams":
        return streams(replies, order)
    return RULES[rule](replies)


# ---- Failures ----


def outcome(nodes):
    """What a call becomes: REPLY, PartialBatch, or the place of the node whose failure it throws.

    In: for each node REPLY or the outcome of its failure. Spec: route.md, "Outcomes".
    """
    failed = [place for place, node in enumerate(nodes) if node != "REPLY"]
    if not failed:
        return "REPLY"
    if len(failed) < len(nodes):
        return "PartialBatch"
    return next((place for place in failed if nodes[place] != "NOT_SENT"), failed[0])
