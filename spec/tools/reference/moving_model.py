#!/usr/bin/python3
"""One key moves while clients use it: every order of all steps, checked against moving.md, "The
promise".

Two nodes with one key, two clients with a few operations each, and a tool that only brings the key.
An operation is a generator: it yields rounds of requests and is sent their replies. A step of the
world is one request at one node. MIGRATE has three steps: from the first to the last the old node
stands still. The value may also be evicted at its owner at any time, where `evicts` is set.

A finished world is wrong if no order of the operations that respects real time explains all
replies. A copy that arrives late counts as one more operation, a SETNX that nobody has called.

    moving_model.py     tries all rules, which must be right; then all but one, which must be wrong
"""

import functools
import sys

OLD, NEW = 0, 1
DOWN, BUSY = "down", "busy"
RULES = dict.fromkeys(
    (
        "brings_first",  # Otherwise: SET at the owner and UNLINK at the old owner, in one round.
        "deletes_after_bringing",  # Otherwise: DEL at both in one round.
        "asks_again",
        "exists_after",  # Otherwise EXISTS comes before the command at the old owner.
        "drops_old",  # UNLINK after BUSYKEY.
        "knows_itself",  # INFO before that UNLINK.
        "never_replaces",
        "looks",  # EXISTS at the owner before going on without the old one.
        "flushes_twice",
        "scans_old_first",
    ),
    True,
)


def apply(command, value):
    """(reply, new value) of a command on what one node has."""
    name, *words = command
    if name == "get":
        return value, value
    if name == "exists":
        return value is not None, value
    if name == "set":
        return "OK", words[0]
    if name == "bad":  # A SET that the node refuses.
        return "error", value
    if name == "append":
        return (value or "") + words[0], (value or "") + words[0]
    if name == "restore":
        return (BUSY, value) if value is not None else ("OK", words[0])
    return value is not None, None  # del


def bring(rules, by_hand):
    if not by_hand:
        (reply,) = yield ((OLD, ("migrate",)),)
        if reply == BUSY:
            yield from drop(rules)
        elif reply == DOWN and rules["looks"]:
            (has,) = yield ((NEW, ("exists",)),)
            return bool(has)
        return reply != "IOERR"
    (value,) = yield ((OLD, ("get",)),)
    if value is not None:
        (reply,) = yield ((NEW, ("restore", value)),)
        if reply == BUSY:
            yield from drop(rules)
        else:
            yield ((OLD, ("del",)),)
    return True


def drop(rules):
    if rules["knows_itself"]:
        (is_one,) = yield ((OLD, ("is one",)),)
        if is_one:
            return
    if rules["drops_old"]:
        yield ((OLD, ("del",)),)


def operation(name, value, rules, by_hand):
    """Yields rounds; returns the reply. None: it has failed, NOT_SENT."""
    if name == "get":
        (reply,) = yield ((NEW, ("get",)),)
        if reply is None:
            order = (("get",), ("exists",)) if rules["exists_after"] else (("exists",), ("get",))
            replies = []
            for command in order:
                replies += yield ((OLD, command),)
            if DOWN in replies:
                return "failed"
            reply, has = replies if rules["exists_after"] else reversed(replies)
            if reply is None and not has and rules["asks_again"]:
                (reply,) = yield ((NEW, ("get",)),)
        return reply
    if name == "scan":
        found = []
        for node in (OLD, NEW) if rules["scans_old_first"] else (NEW, OLD):
            found += yield ((node, ("get",)),)
        return next((it for it in found if it is not None), None)
    if name == "flush":
        for _ in range(2 if rules["flushes_twice"] else 1):
            yield ((OLD, ("del",)), (NEW, ("del",)))
        return "OK"
    if (name in ("set", "bad") and not rules["brings_first"]) or (
        name == "del" and not rules["deletes_after_bringing"]
    ):
        replies = yield ((NEW, (name, value)), (OLD, ("del",)))
        return any(replies) if name == "del" else replies[0]
    if not (yield from bring(rules, by_hand)):
        return "failed"
    if name == "move":
        return "OK"
    (reply,) = yield ((NEW, (name, value)),)
    return reply


@functools.cache
def following(name, value, rules, by_hand, replies):
    """(`round`, its requests) or (`reply`, the reply) after the rounds with these replies."""
    steps = operation(name, value, dict(rules), by_hand)
    try:
        wanted = next(steps)
        for reply in replies:
            wanted = steps.send(list(reply))
    except StopIteration as end:
        return "reply", end.value
    return "round", wanted


class World:
    """The rules and chances of a search; a state of it is a tuple.

    (values of both nodes, the MIGRATE under way, copies that are late, is the old node down,
    clients, history). A client is (operations to come, operation under way); the latter is (name,
    value, replies of earlier rounds, replies of this round with PENDING).
    """

    PENDING = "pending"

    def __init__(self, rules=(), *, by_hand=False, late=False, evicts=False, one=False):
        self.rules = tuple((RULES | dict(rules)).items())
        self.by_hand, self.late, self.evicts, self.one = by_hand, late, evicts, one

    def successors(self, state):
        values, migrate, air, down, clients, history = state
        if down:
            yield values, migrate, air, False, clients, history
        if self.evicts and values[NEW] is not None and not self.is_evicted(history):
            yield (values[OLD], None), migrate, air, down, clients, (*history, ("evict",))
        for copy in set(air):
            left = list(air)
            left.remove(copy)
            value = copy if values[NEW] is None else values[NEW]
            yield (values[OLD], value), migrate, tuple(left), down, clients, history
        if migrate:
            yield from self.migrating(state)
        for number, (to_come, current) in enumerate(clients):
            if current is None:
                if to_come:
                    name = to_come[0]
                    value = f"{name[0]}{number}{len(to_come)}"
                    begun = (name, value, (), ())
                    yield (
                        *state[:4],
                        put(clients, number, (to_come[1:], begun)),
                        (*history, ("call", number, name, value)),
                    )
                continue
            yield from self.going_on(state, number, to_come, current)

    @staticmethod
    def is_evicted(history):
        return ("evict",) in history

    def going_on(self, state, number, to_come, current):
        values, migrate, _, down, clients, history = state
        name, value, before, replies = current
        what, wanted = following(name, value, self.rules, self.by_hand, before)
        if what == "reply":
            ended = (*history, ("reply", number, name, value, wanted))
            yield (*state[:4], put(clients, number, (to_come, None)), ended)
            return
        replies = replies or (self.PENDING,) * len(wanted)
        if self.PENDING not in replies:
            gone_on = (name, value, (*before, replies), ())
            yield (*state[:4], put(clients, number, (to_come, gone_on)), history)
            return
        for at, (node, command) in enumerate(wanted):
            if replies[at] != self.PENDING or (node == OLD and migrate):
                continue

            def with_reply(reply, values=values, migrate=migrate, history=history, at=at):
                now = (name, value, before, put(replies, at, reply))
                changed = put(clients, number, (to_come, now))
                return values, migrate, state[2], down, changed, history

            if node == OLD and down:
                yield with_reply(DOWN)
            elif command == ("is one",):
                yield with_reply(self.one)
            elif command == ("migrate",):
                if self.one or values[OLD] is not None:
                    yield with_reply(self.PENDING, migrate=(number, at, values[OLD], None))
                else:
                    yield with_reply("NOKEY")
            else:
                at_node = NEW if self.one else node
                reply, changed = apply(command, values[at_node])
                if command[0] == "get" and self.by_hand and node == OLD and reply is not None:
                    history = (*history, ("copy", number, name, value, reply))
                yield with_reply(reply, put(values, at_node, changed), history=history)

    def migrating(self, state):
        values, (number, at, copy, reply), air, down, clients, history = state
        to_come, (name, value, before, replies) = clients[number]

        def ended(reply, values=values, air=air, history=history):
            now = (name, value, before, put(replies, at, reply))
            changed = put(clients, number, (to_come, now))
            return values, None, air, down, changed, history

        late = (*history, ("copy", number, name, value, copy))
        if self.one:  # The server waits for itself, until the timeout.
            yield ended("IOERR", history=late, air=(*air, copy))
            return
        if reply is None:
            reply, changed = apply(("restore", copy), values[NEW])
            if reply == BUSY and not dict(self.rules)["never_replaces"]:
                reply, changed = "OK", copy
            yield ((values[OLD], changed), (number, at, copy, reply), air, down, clients, history)
            if self.late:
                yield ended("IOERR", air=(*air, copy), history=late)
        else:
            yield ended(reply, (None, values[NEW]) if reply == "OK" else values)
            if self.late:
                yield ended("IOERR", history=late)


def put(items, at, item):
    return (*items[:at], item, *items[at + 1 :])


def intervals(history, with_copies):
    """[(begin, end, name, value, reply)]; a copy that may arrive late has no end."""
    begun, found = {}, []
    for at, event in enumerate(history):
        if event[0] == "call":
            begun[event[3]] = at
        elif event[0] == "reply":
            _, _, name, value, reply = event
            if name != "move" and reply != "failed":
                # FLUSHDB may take effect twice: once in each of its rounds.
                times = 2 if name == "flush" else 1
                found += [(begun[value], at, name, value, reply)] * times
        elif event[0] == "evict":
            found.append((at, at, "evict", None, None))
        elif with_copies:
            found.append((at, len(history), "copy", event[4], None))
    return found


def explains(history, start, with_copies):
    """True if the operations can be put in an order that respects real time and explains them."""
    operations = intervals(history, with_copies)

    @functools.cache
    def search(left, value):
        if all(operations[it][2] == "copy" for it in left):
            return True
        first_end = min(operations[it][1] for it in left)
        for it in left:
            begin, _, name, word, reply = operations[it]
            if begin > first_end:
                continue
            if name == "evict":
                changed = None
            elif name == "copy":
                changed = word if value is None else value
            else:
                command = {"scan": ("get",), "flush": ("del",)}.get(name, (name, word))
                told, changed = apply(command, value)
                if name != "flush" and told != reply:
                    continue
            if search(left - {it}, changed):
                return True
        return False

    return search(frozenset(range(len(operations))), start)


MOVE = ("move",)
TRIPLES = (  # Operations of both clients, and of the tool.
    (("get",), ("append", "get"), MOVE),
    (("set", "get"), ("get",), MOVE),
    (("del", "get"), ("append",), ()),
    (("set", "del"), ("get",), ()),
    (("bad", "get"), (), MOVE),
    (("flush", "get"), ("append",), ()),
    (("scan",), ("set",), MOVE),
    (("append", "get"), ("append",), ()),
)
BOTH = (  # The old owner has a value from before, the owner a newer one.
    (("append", "get"), ("get",), ()),
    (("del", "get"), ("get",), ()),
    (("set", "del", "get"), (), ()),
)


def first_wrong(
    world, calls=TRIPLES, start=("old", None), now="old", down=False, with_copies=False
):
    """(states seen, the first history that nothing explains, or None)."""
    count = 0
    for each in calls:
        clients = tuple((to_come, None) for to_come in each)
        state = (start, None, (), down, clients, ())
        stack, seen, judged = [state], {state}, set()
        while stack:
            state = stack.pop()
            if state[5] not in judged and not any(a or b for a, b in state[4]) and not state[2]:
                judged.add(state[5])
                if not explains(state[5], now, with_copies):
                    return count + len(seen), state[5]
            for after in world.successors(state):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        count += len(seen)
    return count, None


def without(rule):
    return {rule: False}


FAILING = ((("get",), ("append",), ()), (("set", "get"), (), ()))
LATE = ((("del", "get"), ("append",), ()), (("set", "del", "get"), (), ()))
ONE = ((("append", "get"), (), MOVE),)
# The tool was killed between RESTORE and UNLINK: both have the value.
KILLED = ((("get",), ("append",), MOVE), (("del", "get"), (), MOVE), (("set", "get"), (), MOVE))
OF_KILLED = {"calls": KILLED, "start": ("old", "old")}
OF_BOTH = {"calls": BOTH, "start": ("older", "newer"), "now": "newer"}
OF_ONE = {"calls": ONE, "start": (None, "old")}
CASES = (  # title, world, options of the search, whether all histories can be explained
    ("the rules", World(), {}, True),
    ("the owner evicts a value", World(evicts=True), {"calls": TRIPLES[1:3]}, True),
    ("both have the key, from the time when hosts differed", World(), OF_BOTH, True),
    ("the tool was killed, and started again", World(), OF_KILLED, True),
    ("the old owner is down for a while", World(), {"calls": FAILING, "down": True}, True),
    ("two addresses of one server", World(by_hand=True, one=True), OF_ONE, True),
    ("a late MIGRATE, if its copy may arrive late", World(late=True),
     {"calls": LATE, "with_copies": True}, True),
    ("a late MIGRATE", World(late=True), {"calls": LATE}, False),
    ("by hand, if a copy may arrive late", World(by_hand=True),
     {"calls": LATE, "with_copies": True}, True),
    ("by hand", World(by_hand=True), {"calls": LATE}, False),
    ("SET and UNLINK in one round", World(without("brings_first")), {"calls": TRIPLES[4:5]}, False),
    ("the same, and the owner evicts", World(without("brings_first"), evicts=True),
     {"calls": TRIPLES[1:2]}, False),
    ("DEL at both in one round", World(without("deletes_after_bringing")),
     {"calls": TRIPLES[2:3]}, False),
    ("without asking the owner again", World(without("asks_again")), {"calls": TRIPLES[:1]}, False),
    ("EXISTS before the command", World(without("exists_after")), {"calls": TRIPLES[:1]}, False),
    ("without UNLINK after BUSYKEY", World(without("drops_old")), OF_BOTH, False),
    ("without INFO before it", World(without("knows_itself"), by_hand=True, one=True), OF_ONE,
     False),
    ("with REPLACE", World(without("never_replaces")), OF_BOTH, False),
    ("without EXISTS when the old owner is down", World(without("looks")),
     {"calls": FAILING, "down": True}, False),
    ("flushed once", World(without("flushes_twice")), {"calls": TRIPLES[5:6]}, False),
    ("SCAN of the owner first", World(without("scans_old_first")), {"calls": TRIPLES[6:7]}, False),
)  # fmt: skip


def findings():
    """What spec/check.py prints: the cases that are not as they must be."""
    for title, world, options, is_right in CASES:
        _, wrong = first_wrong(world, **options)
        if (wrong is None) != is_right:
            found = f"wrong: {wrong}" if wrong else "nothing is wrong"
            yield f"moving_model: {title}: {found}"


def main():
    is_good = True
    for title, world, options, is_right in CASES:
        count, wrong = first_wrong(world, **options)
        is_good &= (wrong is None) == is_right
        print(f"{title}: {count:,} states, {'WRONG' if wrong else 'all explained'}", flush=True)
        for event in () if wrong is None else wrong:
            print("   ", *event)
    return not is_good


if __name__ == "__main__":
    sys.exit(main())
