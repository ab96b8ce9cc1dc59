#!/usr/bin/python3
"""Checks ssdb.json, and proves with recorded replies that SSDB and Redis do the same.

    check_ssdb.py                    checks the page, commands.json and vectors/ssdb.json
    check_ssdb.py --recorded FILE    and a file of commands sent to both servers (cmd, verdict)

A recorded command that a form sends unchanged must have had the same reply and effect on both
servers, unless the form says how they differ. Every form and every kind of refusal must have a
vector. The reference is ssdb.py. Spec: route.md, "SSDB".
"""

import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
import ssdb
import table
from ssdb import PAGE, TYPES

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "route/vectors/ssdb.json"


def kinds(form):
    """The types a form uses."""
    return {kind for group in ssdb.pieces(form["form"]) for kind in group if not kind.isupper()}


def page_faults():
    for name, forms in PAGE["commands"].items():
        if name not in table.COMMANDS:
            yield f"{name}: not in commands.json."
        for form in forms:
            used = kinds(form)
            if (
                not form["form"].startswith(name.upper())
                or used - set(TYPES)
                or used - set(PAGE["types"])
            ):
                yield f"{form['form']}: not a form of {name}, or of unknown types."
            if "reply" in form and form["reply"] not in PAGE["replies"]:
                yield f"{form['form']}: there is no reply {form['reply']}."
            if ("empty" in form) != bool(set(ssdb.BOUNDS) & used):
                yield f"{form['form']}: all forms with bounds must have empty, others must not."
            if any(
                len(kinds(form) & {kind}) != ssdb.pieces(form["form"])[0].count(kind)
                for send in form.get("send", [])
                for kind in ssdb.pieces(send)[0]
                if not kind.isupper() and kind in TYPES
            ):
                yield f"{form['form']}: it is unclear which of its words is sent."
    for name in PAGE["own"]:
        if name in table.COMMANDS:
            yield f"{name}: listed as SSDB's own, but in commands.json too."
    for name in PAGE["refusals"]:
        if name not in table.COMMANDS:
            yield f"{name}: refused, but not in commands.json."


def vector_faults(tests):
    for test in tests:
        told = f"{test['tcId']}, {test['comment']}"
        try:
            sends, form = ssdb.translate(test["words"], test.get("raw", False))
        except ssdb.Refused as refused:
            if test.get("refused") != str(refused):
                yield f"{told}: refused: {refused}"
            continue
        if sends != test.get("send"):
            yield f"{told}: sent is {sends}."
        elif ssdb.shaped(form, test["replies"]) != test.get("reply"):
            yield f"{told}: the reply is {ssdb.shaped(form, test['replies'])!r}."


def uncovered(tests):
    shown = {
        form["form"]
        for test in tests
        if "refused" not in test
        for form in [ssdb.find(test["words"], test.get("raw", False))]
        if form
    }
    for form in (
        form for forms in PAGE["commands"].values() for form in forms if form["form"] not in shown
    ):
        yield f"{form['form']}: has no vector."
    told = {test.get("refused") for test in tests}
    for name in (name for name, reason in PAGE["refusals"].items() if reason not in told):
        yield f"{name}: its refusal has no vector."


def said(word):
    """A recorded word. Long ones are recorded in short form, such as k...(255)."""
    cut = re.fullmatch(r"(.*)\.\.\.\((\d+)\)", str(word), re.DOTALL)
    return cut[1].ljust(int(cut[2]), "k") if cut else str(word)


def recorded_faults(cases):
    """(findings, number of commands sent, number sent unchanged with the same outcome)."""
    wrong, through, same = [], 0, 0
    for case in cases:
        words = [said(word) for word in case["cmd"]]
        form = ssdb.find(words) if words else None
        if form is None or form.get("raw"):
            continue
        through += 1
        if "send" in form or "send_each" in form:
            continue
        wrongtype = "WRONGTYPE" in str(case.get("redis"))  # PAGE["differs"] covers all of these.
        if case["verdict"] in ("same", "order", "both-error") or wrongtype:
            same += 1
        elif "differs" not in form and not set(ssdb.BOUNDS) & kinds(form):
            wrong.append(
                f"{' '.join(words)[:100]}: sent, but {case['verdict']}: redis {case.get('redis')}, "
                f"ssdb {case.get('ssdb')}, setup {case.get('setup')}."
            )
    return wrong, through, same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recorded", metavar="FILE")
    options = parser.parse_args()
    tests = [
        test for group in json.loads(VECTORS.read_text())["testGroups"] for test in group["tests"]
    ]
    wrong, told = [*page_faults(), *vector_faults(tests), *uncovered(tests)], ""
    if options.recorded:
        with open(options.recorded) as file:
            cases = json.load(file)["cases"]
        found, through, same = recorded_faults(cases)
        wrong += found
        told = f" {len(cases)} recorded: {through} sent, {same} unchanged with the same outcome;"
    forms = sum(map(len, PAGE["commands"].values()))
    print(
        f"{forms} forms of {len(PAGE['commands'])} commands, {len(PAGE['own'])} of SSDB's own, "
        f"{len(tests)} vectors;{told} {len(wrong)} wrong."
    )
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
