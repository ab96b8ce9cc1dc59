"""What becomes of a key that moves: the reference for both languages.

In: the words of a command (text); a reply. Out: whether the command asks or brings, and which keys;
whether the reply is nothing; the steps that bring one key. It sends nothing: `bring` is given the
replies. Spec: moving.md.
"""

import re

import table

DOUBTS = (0, -1, -2)
EMPTY = ("", "none")


class Refused(Exception):
    """A pattern that may match keys that move: nobody knows which keys these are."""


class Failed(Exception):
    """A node has failed in a step. The caller's command fails, NOT_SENT."""

    def __init__(self, node, cannot_migrate=False):
        super().__init__(node)
        self.cannot_migrate = cannot_migrate


class Nameless(Exception):
    """A node names no run_id. The caller's command fails, NOT_SENT."""


class Answered(Exception):
    """The answer to the caller's command, which is not sent."""


def kind(words, moves, is_alone=True):
    """(`asks`, `brings` or None, the positions of the keys concerned).

    `moves(key)` says if a key moves. `is_alone` is False in a transaction, and on a connection that
    watches.
    """
    _, entry = table.find(words)
    found = table.keys(entry, words)
    if any(what == "pattern" and moves(words[at]) for at, what in found):
        raise Refused
    keys = [at for at, what in found if what == "key"]
    concerned = [at for at in keys if moves(words[at])]
    if not concerned:
        return None, []
    is_one = len(keys) == 1 or (entry["spread"] == "split" and not table.is_whole(entry, words))
    reads = entry["access"] == "read" and not entry.get("brings") and not is_blocking(entry, words)
    return ("asks" if reads and is_one and is_alone else "brings"), concerned


def is_blocking(entry, words):
    place = entry.get("blocking")
    if not place or "option" not in place:
        return bool(place)
    upper = [word.upper() for word in words]
    end = upper.index(place["until"]) if place["until"] in upper else len(upper)
    return place["option"] in upper[place["from"] : end]


def is_nothing(reply):
    """A reply as check_vectors reads it: None, numbers, texts, lists, and {"error": text}."""
    if reply is None or isinstance(reply, dict):
        return True
    if isinstance(reply, list):
        return all(map(is_nothing, reply))
    if isinstance(reply, (bool, float)):
        return not reply
    if isinstance(reply, int):
        return reply in DOUBTS
    return reply in EMPTY


def error(reply):
    return reply["error"] if isinstance(reply, dict) else ""


def bring(key, node, *, migrates=True, auth=()):
    """Yields rounds, each a list of (`old` or `new`, words), and is sent their replies.

    A reply may be a Lost. `node` has host, port, database and timeout of MIGRATE. Returns whether O
    has just shown that it cannot migrate.
    """
    cannot = False
    if migrates:
        target = [node["host"], str(node["port"]), key, str(node["database"])]
        reply = yield from one(("old", ["MIGRATE", *target, str(node["timeout"]), *auth]), key)
        if reply in (True, "OK", "NOKEY"):
            return False
        if "BUSYKEY" in error(reply):
            yield from drop(key)
            return False
        cannot = True
    replies = yield [("old", ["DUMP", key]), ("old", ["PTTL", key])]
    lost = next((reply for reply in replies if isinstance(reply, Lost)), None)
    if lost:
        if cannot or not lost.is_unsent:
            raise Failed("old", cannot)
        yield from look(key)
        return False
    for reply in replies:
        if error(reply):
            raise Answered(reply)
    value, ttl = replies
    if value is None or ttl == -2:
        return cannot
    reply = yield from one(("new", ["RESTORE", key, str(0 if ttl == -1 else max(ttl, 1)), value]))
    if error(reply).startswith("BUSYKEY"):
        yield from drop(key)
    elif error(reply):
        raise Answered(reply)
    else:
        yield from unlink(key)
    return cannot


class Lost:
    def __init__(self, is_unsent):
        self.is_unsent = is_unsent


def one(command, key=None):
    """A round of one command. With `key`: if O is down from the beginning, N may have the key."""
    (reply,) = yield [command]
    if isinstance(reply, Lost):
        if key is None or not reply.is_unsent:
            raise Failed(command[0], cannot_migrate=command[1][0] == "MIGRATE")
        yield from look(key)
        return True
    return reply


def look(key):
    reply = yield from one(("new", ["EXISTS", key]))
    if error(reply):
        raise Answered(reply)
    if reply != 1:
        raise Failed("old")


def drop(key):
    """Both nodes have the key. O's value is old, unless O and N are one server, or may be one."""
    replies = yield [("old", ["INFO", "server"]), ("new", ["INFO", "server"])]
    for name, reply in zip(("old", "new"), replies):
        if isinstance(reply, Lost):
            raise Failed(name)
        if error(reply):
            raise Answered(reply)
    ids = [re.search(r"^run_id:(\S+)", reply, re.MULTILINE) for reply in replies]
    if not all(ids):
        raise Nameless("old" if not ids[0] else "new")
    if ids[0][1] != ids[1][1]:
        yield from unlink(key)


def unlink(key):
    reply = yield from one(("old", ["UNLINK", key]))
    if error(reply):
        raise Answered(reply)
