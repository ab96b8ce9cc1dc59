#!/usr/bin/python3
"""Checks ssdb.json, and with recorded replies proves that what it lets through means on SSDB what it means on Redis.

    check_ssdb.py                           the page with itself and with commands.json
    check_ssdb.py --recorded FILE           and with a file of commands sent to both servers (cases: cmd, verdict)

Each recorded command that a form lets through unchanged must have had the same reply and effect on both servers,
unless the form says how it differs. The matcher here is the reference: a command that matches no form is refused.
Spec: route.md, "SSDB".
"""
import argparse
import json
import re

import table

PAGE = json.loads((table.pathlib.Path(__file__).resolve().parent / "ssdb.json").read_text())
INT64 = 2 ** 63


def whole(low, high):
    def matches(word):
        return re.fullmatch(r"-?(0|[1-9]\d*)", word) is not None and low <= int(word) <= high
    return matches


def bound(infinity):
    return lambda word: re.fullmatch(rf"\{infinity}inf|\(?-?\d+(\.\d+)?", word) is not None


def short(word):
    return 1 <= len(word.encode("latin-1", "replace")) <= 255


TYPES = {
    "key": short, "name": short, "field": short, "member": short, "value": lambda word: True,
    "any": lambda word: word.upper() not in ("MATCH", "COUNT", "TYPE"),
    "int": whole(-INT64, INT64 - 1), "score": whole(-INT64, INT64 - 1), "start": whole(0, INT64 - 1),
    "count": whole(1, 2 ** 31 - 1), "ttl": whole(1, 2 ** 31 - 1), "offset": whole(0, 2 ** 30),
    "limit": whole(-1, 2 ** 31 - 1), "bit": lambda word: word in ("0", "1"),
    "low": lambda word: bound("-")(word) or bound("+")(word),
    "high": lambda word: bound("-")(word) or bound("+")(word),
}


def pieces(form):
    """[(types, repeated)]: "MSET (key value)..." -> [(["MSET"], False), (["key", "value"], True)]."""
    for group, word, dots in re.findall(r"(?:\(([^)]*)\)|([^\s(.]+))(\.\.\.)?", form):
        yield (group or word).split(), bool(dots)


def kinds(form):
    """The types a form uses."""
    return {kind for group, _ in pieces(form["form"]) for kind in group if not kind.isupper()}


def fits(kind, word):
    return word.upper() == kind if kind.isupper() else TYPES[kind](word)


def matches(form, words):
    at = 0
    for group, repeated in pieces(form):
        rounds = (len(words) - at) // len(group) if repeated else 1
        if rounds < 1:
            return False
        for _ in range(rounds):
            if at + len(group) > len(words) or not all(map(fits, group, words[at:at + len(group)])):
                return False
            at += len(group)
    return at == len(words)


def find(words):
    """The form a command matches, None when it is refused."""
    forms = PAGE["commands"].get(words[0].lower(), [])
    return next((form for form in forms if matches(form["form"], words)), None)


def page_faults():
    for name, forms in PAGE["commands"].items():
        if name not in table.COMMANDS:
            yield f"{name}: commands.json has no such command."
        for form in forms:
            used = kinds(form)
            if not form["form"].startswith(name.upper()) or used - set(TYPES) or used - set(PAGE["types"]):
                yield f"{form['form']}: not a form of {name}, or of unknown types."
            if "reply" in form and form["reply"] not in PAGE["replies"]:
                yield f"{form['form']}: no reply {form['reply']}."
    for name in PAGE["own"]:
        if name in table.COMMANDS:
            yield f"{name}: SSDB's own, and in commands.json too."
    for name in PAGE["refusals"]:
        if name not in table.COMMANDS:
            yield f"{name}: refused, but commands.json has no such command."


def said(word):
    """A recorded word; long ones are recorded shortened, as k...(255)."""
    cut = re.fullmatch(r"(.*)\.\.\.\((\d+)\)", str(word), re.DOTALL)
    return cut[1].ljust(int(cut[2]), "k") if cut else str(word)


def recorded_faults(cases):
    """(sentences, commands let through, commands let through unchanged and found the same)."""
    wrong, through, same = [], 0, 0
    for case in cases:
        words = [said(word) for word in case["cmd"]]
        form = find(words) if words else None
        if form is None or form.get("raw"):
            continue
        through += 1
        if "send" in form or "send_each" in form:
            continue
        wrongtype = "WRONGTYPE" in str(case.get("redis"))  # PAGE["differs"] says so for all.
        if case["verdict"] in ("same", "order", "both-error") or wrongtype:
            same += 1
        elif "differs" not in form and not {"low", "high"} & kinds(form):
            wrong.append(f"{' '.join(words)[:100]}: let through, but {case['verdict']}: redis {case.get('redis')}, "
                         f"ssdb {case.get('ssdb')}, setup {case.get('setup')}.")
    return wrong, through, same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recorded", metavar="FILE")
    options = parser.parse_args()
    wrong, told = list(page_faults()), ""
    if options.recorded:
        with open(options.recorded) as file:
            cases = json.load(file)["cases"]
        found, through, same = recorded_faults(cases)
        wrong += found
        told = f" {len(cases)} recorded commands: {through} let through, {same} of them unchanged and the same."
    forms = sum(map(len, PAGE["commands"].values()))
    print(f"{forms} forms of {len(PAGE['commands'])} commands, {len(PAGE['own'])} of SSDB's own;{told} "
          f"{len(wrong)} wrong.")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
