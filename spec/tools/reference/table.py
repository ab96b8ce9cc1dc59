"""Reads commands.json: which entry a command has, where its keys are, how it is split over nodes.

The reference for both languages: small, slow and literal, to be read beside route.md. In: the words
of a command as they are sent (text). Out: an entry, positions of keys, parts for several nodes. It
sends nothing and knows no node. Spec: route.md, "Finding the entry", "Finding the keys",
"Splitting".
"""

import json
import pathlib

COMMANDS = json.loads(
    (pathlib.Path(__file__).resolve().parents[2] / "route/commands.json").read_text()
)["commands"]
MARKS = ("key", "channel", "pattern")


class Malformed(Exception):
    """The words contradict the key specification: a count is not a number, or keys are missing."""


def find(words, commands=COMMANDS):
    """(name, entry) of a command; (None, None) if the table does not have it."""
    name = words[0].lower()
    entry = commands.get(name)
    if entry and entry.get("container") and len(words) > 1:
        name = f"{name}|{words[1].lower()}"
        entry = commands.get(name)
    if entry is None or "spread" not in entry:
        return None, None
    return name, entry


# ---- Where the keys are ----


def starts(spec, words):
    """Every position where keys begin by this specification."""
    if "index" in spec:
        return [spec["index"]]
    if "keyword" in spec:
        # As in the server: the first such word counts, but the last word is never checked.
        tail = [word.upper() for word in words[spec["from"] : -1]]
        return [spec["from"] + tail.index(spec["keyword"]) + 1] if spec["keyword"] in tail else []
    found, at = [], spec["from"]
    while at < len(words):
        word = words[at].upper()
        if word == spec["option"]:
            found.append(at + 1)
            at = last(spec, words, at + 1)
        else:
            at += spec["skip"].get(word, 0)
        at += 1
    return found


def last(spec, words, first):
    """The position of the last key of a range that begins at first."""
    if spec["last"] >= 0:
        return first + spec["last"]
    return first + (len(words) - first) // spec.get("limit", 1) + spec["last"]


def span(spec, words, begin):
    """(first, last) of the keys that begin here by this specification; None if there are none."""
    if "keynum" not in spec:
        if begin == len(words) and spec["last"] == -1:
            return None
        first = begin
        end = last(spec, words, begin)
    else:
        place = begin + spec["keynum"]
        if place >= len(words) or not words[place].isdigit():
            raise Malformed(f"Word {place} is not a number of keys.")
        first = begin + spec["first"]
        if int(words[place]) == 0:
            return None
        end = first + (int(words[place]) - 1) * spec["step"]
    if end < first or end >= len(words):
        raise Malformed("The keys would reach beyond the end of the command.")
    return first, end


def is_key(spec, word):
    """MIGRATE's empty key argument is not a key; SORT's patterns without * read no other key."""
    if spec["kind"] == "pattern":
        return "*" in word
    return not (spec.get("unless_empty") and word == "")


def keys(entry, words):
    """[(position, kind)] of all keys, channels and key patterns, in the order of the command."""
    found = []
    for spec in entry.get("keys", []):
        for begin in starts(spec, words):
            reach = span(spec, words, begin)
            places = range(reach[0], reach[1] + 1, spec["step"]) if reach else ()
            found += [(at, spec["kind"]) for at in places if is_key(spec, words[at])]
    return sorted(found)


# ---- Parts for several nodes ----


def is_whole(entry, words):
    """True if a word after the keys asks for all of them on one node (MSETEX with NX)."""
    if "whole_with" not in entry:
        return False
    _, _, beyond = shape(entry["keys"][0], words)
    return any(word.upper() in entry["whole_with"] for word in words[beyond:])


def shape(spec, words):
    """(first, count, beyond): where keys begin, how many there are, and where later words begin."""
    (begin,) = starts(spec, words)
    first, end = span(spec, words, begin)
    count = (end - first) // spec["step"] + 1
    beyond = first + count * spec["step"] * spec.get("limit", 1)
    if beyond > len(words) or ("keynum" not in spec and beyond != len(words) + 1 + spec["last"]):
        raise Malformed("Keys and what belongs to them do not come out even.")
    return first, count, beyond


def parts(entry, words, node_of):
    """{node: (words, places)} of a split command, nodes in the order of their first key.

    `places` are the numbers of the node's keys, from 0. The only key specification has one of three
    shapes: keys with values after each (MGET, MSET), counted keys, and keys followed by a parallel
    list (XREAD). Words before and after the keys go to every node.
    """
    (spec,) = entry["keys"]
    first, count, beyond = shape(spec, words)
    step, limit = spec["step"], spec.get("limit", 1)
    found = {}
    for number in range(count):
        _, places = found.setdefault(node_of(words[first + number * step]), ([], []))
        places.append(number)
    for part, places in found.values():
        part += words[:first]
        if "keynum" in spec:
            part[spec["index"] + spec["keynum"]] = str(len(places))
        for lane in range(limit):
            base = first + lane * count * step
            part += [
                word
                for number in places
                for word in words[base + number * step : base + (number + 1) * step]
            ]
        part += words[beyond:]
    return found


# ---- Examples ----


def read_example(text):
    """(words, marked places) of a line of examples.json.

    "MSET key=k1 v" -> (["MSET", "k1", "v"], [(1, "key")])
    """
    words, marked = [], []
    for at, word in enumerate(text.split(" ")):
        kind, found, rest = word.partition("=")
        if found and kind in MARKS:
            marked.append((at, kind))
            word = rest
        words.append("" if word == '""' else word)
    return words, marked
