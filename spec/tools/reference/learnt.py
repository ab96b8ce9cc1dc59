"""Reads a node's description of a command that the table does not hold: the reference for clients.

In: the first words of a command, and the reply to COMMAND INFO about the first one (lists, texts,
numbers, None; an error is {"error": text}). Out: a row like those of commands.json, or why there is
none. It sends nothing. Spec: route.md, "Commands that only the nodes know".
"""

import table

NAME_BYTES_MAX = 64
SPECS_MAX = 8
WORD_BYTES_MAX = 15
OF_CONNECTION = {"pubsub", "@connection", "@transaction", "@pubsub"}
MERGES = {
    "agg_sum": "sum",
    "agg_min": "min",
    "agg_max": "max",
    "agg_logical_and": "and",
    "all_succeeded": "all_ok",
    "one_succeeded": "one_ok",
}


class Unreadable(Exception):
    """The reply does not describe one command, or names a key that is not a word of it."""


class OnlyTheNode(Exception):
    """Only the node understands where the keys are."""


# ---- The form of the reply ----


def is_name(word):
    return 0 < len(word) <= NAME_BYTES_MAX and all(" " < c < "|" for c in word)


def texts(value):
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise Unreadable
    return value


def told(value):
    """A description after its fields were checked. An older server gives fewer fields."""
    if not isinstance(value, list) or len(value) < 6 or not isinstance(value[0], str):
        raise Unreadable
    if not all(isinstance(number, int) for number in value[3:6]):
        raise Unreadable
    texts(value[2])
    texts(value[6] if len(value) > 6 else [])
    texts(value[7] if len(value) > 7 else [])
    name = value[0].lower()
    if not all(is_name(part) for part in name.split("|", 1)) or len(name) > NAME_BYTES_MAX:
        raise Unreadable
    return [name, *value[1:]]


def pairs(flat):
    """In RESP2 a map is a flat list."""
    return dict(zip(flat[::2], flat[1::2])) if isinstance(flat, list) else {}


# ---- Keys ----


def number(value, least, most):
    if not isinstance(value, int) or not least <= value <= most:
        raise OnlyTheNode
    return value


def spec(flat):
    """A key specification as commands.json spells it."""
    whole = pairs(flat)
    flags = whole.get("flags", [])
    begin, find = pairs(whole.get("begin_search")), pairs(whole.get("find_keys"))
    inside, reach = pairs(begin.get("spec")), pairs(find.get("spec"))
    if "incomplete" in flags:
        raise OnlyTheNode
    found = {"kind": "channel" if "not_key" in flags else "key"}
    if begin.get("type") == "index":
        found["index"] = number(inside.get("index"), 1, 255)
    elif begin.get("type") == "keyword":
        found["keyword"] = inside["keyword"].upper()
        found["from"] = number(inside.get("startfrom"), 1, 255)
        if not 0 < len(found["keyword"]) <= WORD_BYTES_MAX:
            raise OnlyTheNode
    else:
        raise OnlyTheNode
    found["step"] = number(reach.get("keystep"), 1, 255)
    if find["type"] == "range":
        found["last"] = number(reach.get("lastkey"), -128, 127)
        found |= {"limit": reach["limit"]} if number(reach.get("limit"), 0, 255) > 1 else {}
    elif find["type"] == "keynum":
        found["keynum"] = number(reach.get("keynumidx"), 0, 255)
        found["first"] = number(reach.get("firstkey"), 0, 255)
    else:
        raise OnlyTheNode
    return found


def span(first, last, step):
    """What servers before redis 7 say; `last` counts from the command's name."""
    if first == 0:
        return []
    reach = number(last if last < 0 else last - first, -128 if last < 0 else 0, 127)
    index, step = number(first, 1, 255), number(step, 1, 255)
    return [{"kind": "key", "index": index, "last": reach, "step": step}]


def keys(description):
    """The key specifications; raises OnlyTheNode where they are not enough."""
    if len(description) < 9:
        found = span(*description[3:6])
    else:
        if not isinstance(description[8], list) or len(description[8]) > SPECS_MAX:
            raise OnlyTheNode
        found = [spec(flat) for flat in description[8]]
    is_explained = any("keyword" in one or "keynum" in one for one in found)
    if "movablekeys" in description[2] and not is_explained:
        raise OnlyTheNode
    return found


# ---- The row ----


def row(description):
    flags, categories, tips = (
        description[2],
        description[6] if len(description) > 6 else [],
        description[7] if len(description) > 7 else [],
    )
    policies = dict(tip.split(":", 1) for tip in reversed(tips) if ":" in tip)
    found = {"access": "read" if "readonly" in flags else "write"}
    try:
        found["keys"] = keys(description)
    except OnlyTheNode:
        found["keys"], found["asks_keys"] = [], True
    if not categories and not {"readonly", "write"} & set(flags):
        found["unshared"] = True
    has_keys = found["keys"] or found.get("asks_keys")
    if OF_CONNECTION & {*flags, *categories}:
        return found | {"spread": "refused", "reason": "learnt_connection"}
    if {"blocking", "@blocking"} & {*flags, *categories}:
        return found | {"spread": "refused", "reason": "learnt_blocking"}
    if has_keys:
        return found | {"spread": "one_node"}
    if {"request_policy:all_nodes", "request_policy:all_shards"} & set(tips):
        merge = MERGES.get(policies.get("response_policy"), "per_node")
        return found | {"spread": "all_nodes", "merge": merge}
    return found | {"spread": "refused", "reason": "learnt_without_key"}


def learn(words, reply):
    """What the command of these words is; with two words, a subcommand. Raises Unreadable."""
    if isinstance(reply, dict):
        return {"error": reply["error"]}
    if not isinstance(reply, list) or len(reply) != 1:
        raise Unreadable
    if reply[0] is None:
        return {"unknown": True}
    description = told(reply[0])
    name = description[0]
    if name != words[0].lower() and name in table.COMMANDS:
        return {"renamed": name}
    children = description[9] if len(description) > 9 else []
    if len(words) > 1:
        for child in map(told, children):
            if child[0] == f"{name}|{words[1].lower()}":
                return row(child)
        return {"unknown": True}
    if children:
        return {"container": True, "spread": "refused", "reason": "learnt_without_key"}
    return row(description)


def is_refused(name):
    """True for commands of search indexes: a node describes only its own index."""
    return name.lower().startswith("ft.") and not name.lower().startswith("ft.sug")


# ---- Keys that the node finds ----


def positions(words, reply):
    """Where the keys of the reply to COMMAND GETKEYS are among the words."""
    if not isinstance(reply, list) or len(reply) > len(words):
        raise Unreadable
    found, at = [], 0
    for key in texts(reply):
        order = [*range(at + 1, len(words)), *range(1, at + 1)]
        place = next((place for place in order if words[place] == key), None)
        if place is None:
            raise Unreadable
        found.append(place)
        at = place
    return found


def denied(error):
    """The command that the node does not know, as its error says; None for other errors."""
    beginning = "ERR unknown command "
    if not error.startswith(beginning) or len(error) <= len(beginning) + 1:
        return None
    quote, rest = error[len(beginning)], error[len(beginning) + 1 :]
    name = rest.partition(quote)[0] if quote in rest else ""
    return name.lower() if is_name(name) else None
