"""How the replies of several nodes become one: the reference for both languages.

There is one small function per rule. In: the name of a rule, the replies in node order, and for a
split command the positions of each node's keys. Replies are RESP as JSON has it: numbers, strings,
null, lists; an error reply is a Refused. Out: the merged reply. A rule never makes a reply out of
fewer nodes than were asked: if there is an error among the replies, the rule raises it. The only
exception is one_ok, which is made for errors. Spec: route.md, "Merging".
"""

import json
import pathlib
import re

from resp import Refused

PAGE = pathlib.Path(__file__).resolve().parents[2] / "route/info.json"
FIELDS = json.loads(PAGE.read_text())["fields"]


def elementwise(combine, replies):
    """Combines numbers, or lists of numbers element by element (WAITAOF, SCRIPT EXISTS)."""
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
        raise Refused("The nodes answer differently: ask each node with onEachNode().")
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


def info(replies):
    """One text in a server's form. The text of a single node stays as it is."""
    if len(replies) == 1:
        return replies[0]
    nodes = [
        dict(line.split(":", 1) for line in reply.splitlines() if ":" in line) for reply in replies
    ]
    sections = {}
    for row in FIELDS:
        value = field(row["name"], row["rule"], nodes)
        if value is not None:
            sections.setdefault(row["section"], []).append(f"{row['name']}:{value}\r\n")
    return "\r\n".join(f"# {name}\r\n{''.join(lines)}" for name, lines in sections.items())


def field(name, rule, nodes):
    """The fleet's value of a field, or None to leave it out."""
    name = name.removesuffix("_human") if rule == "human" else name
    values = [node[name] for node in nodes if name in node]
    if not values or (len(values) < len(nodes) and rule != "keys"):
        return None
    if rule == "equal":
        return values[0] if len(set(values)) == 1 else None
    if rule == "lowest":
        return min(values, key=version)
    form = "keys=([0-9]{1,15}),.*" if rule == "keys" else "([0-9]{1,15})"
    found = [re.fullmatch(form, value) for value in values]
    if None in found:
        return None
    total = sum(int(match[1]) for match in found)
    return {"sum": str, "human": human, "keys": "keys={}".format}[rule](total)


def version(text):
    """The number at the beginning of each part. With fewer parts a version is lower."""
    return [int(re.match("[0-9]*", part)[0] or 0) for part in text.split(".")]


def human(count):
    """As redis writes used_memory_human."""
    if count < 1024:
        return f"{count}B"
    unit = next(unit for unit in range(1, 6) if count < 1024 ** (unit + 1) or unit == 5)
    return f"{count / 1024**unit:.2f}{'KMGTP'[unit - 1]}"


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
