#!/usr/bin/python3
"""Checks vectors/ with the reference, and that none is missing.

    check_vectors.py

The reference: table.py, merge.py, cursor.py, notification.py, learnt.py.
In: vectors/*.json, commands.json. Out: one line of counts, or the findings. Every way to split and
every merge that commands.json uses must have a vector. The two conversations (scan, subscription)
are exempt; route.md describes them.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
import cursor
import learnt
import merge
import notification
import table
from resp import Refused

ROUTE = pathlib.Path(__file__).resolve().parents[2] / "route"
CONVERSATIONS = {"scan", "subscription"}


def groups(name):
    """(type, test) of every test."""
    page = json.loads((ROUTE / "vectors" / name).read_text())
    return [(group["type"], test) for group in page["testGroups"] for test in group["tests"]]


def load(name):
    return [test for _, test in groups(name)]


def split_faults(tests):
    for test in tests:
        words = test["send"].split(" ")
        _, entry = table.find(words)
        try:
            is_whole = table.is_whole(entry, words)
            parts = table.parts(entry, words, test["nodes"].__getitem__)
        except table.Malformed:
            if not test.get("malformed"):
                yield f"{test['send']}: malformed."
            continue
        if is_whole or test.get("whole"):
            if is_whole != test.get("whole", False):
                yield f"{test['send']}: whole: {is_whole}."
            continue
        found = [
            {"node": node, "send": " ".join(part), "places": places}
            for node, (part, places) in parts.items()
        ]
        if found != test.get("parts"):
            yield f"{test['send']}: {found}."


def merge_faults(tests):
    for test in tests:
        replies = [
            Refused(reply["error"]) if isinstance(reply, dict) else reply
            for reply in test["replies"]
        ]
        options = {
            name: test[name] for name in ("nodes", "places", "order", "width") if name in test
        }
        try:
            found, failed = merge.merged(test["merge"], replies, **options), False
        except Refused:
            found, failed = None, True
        if failed != test.get("fails", False) or (not failed and found != test["merged"]):
            yield f"{test['comment']}: {found!r}, fails: {failed}."


def outcome_faults(tests):
    for test in tests:
        found = merge.outcome(test["nodes"])
        if found != test["call"]:
            yield f"{test['comment']}: {found}."


def cursor_faults(page):
    for kind, test in page:
        fleet, failed = (test["fingerprint"], test["nodes"]), None
        try:
            if kind == "ReadTest":
                found = cursor.read(*fleet, test["cursor"], test.get("kept", ()))
                told = (test.get("node"), test.get("nodeCursor"))
            else:
                found = cursor.write(*fleet, test["node"], test["nodeCursor"])
                told = test.get("cursor")
        except (cursor.Foreign, cursor.Dropped):
            failed = "Unsupported"
        except cursor.TooLarge:
            failed = "ProtocolViolation"
        if failed != test.get("fails") or (not failed and found != told):
            yield f"{test['comment']}: fails: {failed}, cursor.json says {test}."


def notification_faults(page):
    for kind, test in page:
        judge = notification.is_channel if kind == "ChannelTest" else notification.may_match
        if judge(test["name"]) != test["everywhere"]:
            yield f"{test['comment']}: notifications.json says {test}."


def learnt_found(kind, test):
    """(the field of a test, what the reference finds)."""
    if kind == "LearntTest":
        return "command", learnt.learn(test["words"], test["answer"])
    if kind == "LearntKeysTest":
        return "positions", learnt.positions(test["words"], test["answer"])
    if kind == "DeniedTest":
        return "name", learnt.denied(test["error"])
    return "refused", learnt.is_refused(test["name"])


def learnt_faults(page):
    for kind, test in page:
        try:
            field, found = learnt_found(kind, test)
        except learnt.Unreadable:
            field, found = "unreadable", True
        if test.get(field, "absent") != found:
            yield f"{test['comment']}: {field}: {found}."


def uncovered(splits, merges):
    shown = {test["merge"] for test in merges} | CONVERSATIONS
    shapes = {shape(table.find(test["send"].split(" "))[1]) for test in splits}
    for name, entry in table.COMMANDS.items():
        if entry.get("merge") and entry["merge"] not in shown:
            yield f"{name}: merge {entry['merge']} has no vector."
        if entry.get("spread") == "split" and shape(entry) not in shapes:
            yield f"{name}: no vector splits keys of the shape {shape(entry)}."


def shape(entry):
    spec = entry["keys"][0]
    return spec["step"], spec.get("limit", 1), spec.get("last"), "keynum" in spec


def main():
    splits, merges, cursors = load("split.json"), load("merge.json"), groups("cursor.json")
    outcomes = load("outcomes.json")
    notifications, learnt_page = groups("notifications.json"), groups("learnt.json")
    wrong = [
        *split_faults(splits),
        *merge_faults(merges),
        *outcome_faults(outcomes),
        *cursor_faults(cursors),
        *notification_faults(notifications),
        *learnt_faults(learnt_page),
        *uncovered(splits, merges),
    ]
    print(
        f"{len(splits)} splits, {len(merges)} merges, {len(outcomes)} outcomes, "
        f"{len(cursors)} cursors, {len(learnt_page)} learnt, {len(wrong)} wrong."
    )
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
