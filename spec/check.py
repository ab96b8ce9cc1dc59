#!/usr/bin/python3
"""Checks that the specification is consistent; needs no implementation.

Every JSON page matches its schema, has the number of tests that it states, and numbers them without
gaps. Every case of a configuration has a head that is valid. Every link of the prose leads to a
file. The generated files are up to date, and each constant is used in the languages that have it.
Prints one line per finding and a closing line; exit code 1 if there was a finding.

Implements spec/README.md, "Checks".
"""

import json
import re
import sys
from pathlib import Path

import generate  # It also finds the modules of tools/generate.
import jsonschema
import yaml

SPEC = Path(__file__).resolve().parent
sys.path.append(str(SPEC / "tools/reference"))
import config_cases  # noqa: E402 (the path above finds it)
import directives  # noqa: E402
import foreign_vectors  # noqa: E402
import moving_model  # noqa: E402
import moving_vectors  # noqa: E402

PAGES = ("constants", "directives", "errors", "messages")


def schema_findings(path, page, schema):
    """`schema` as pages name it: a file from the root of the repository, #, and a place in it."""
    file, _, place = schema.partition("#")
    whole = json.loads((SPEC.parent / file).read_text())
    validator = jsonschema.Draft202012Validator({**whole, "$ref": f"#{place}"} if place else whole)
    return [
        f"{path.relative_to(SPEC)}: {'/'.join(map(str, error.absolute_path))}: "
        f"{error.message[:200]}"
        for error in validator.iter_errors(page)
    ]


def vector_findings(path):
    page = json.loads(path.read_text())
    findings = schema_findings(path, page, page["schema"])
    if findings:
        return findings
    tests = [test for group in page["testGroups"] for test in group["tests"]]
    if [test["tcId"] for test in tests] != list(range(1, page["numberOfTests"] + 1)):
        findings.append(f"{path.relative_to(SPEC)}: tcId does not run from 1 to numberOfTests")
    flags = {flag for test in tests for flag in test.get("flags", [])}
    if not flags <= set(page["notes"]):
        findings.append(f"{path.relative_to(SPEC)}: a flag without a note")
    return findings


def scenario_findings(path):
    page = json.loads(path.read_text())
    findings = schema_findings(path, page, page["schema"])
    if not findings and page["numberOfScenarios"] != len(page["scenarios"]):
        findings.append(
            f"{path.relative_to(SPEC)}: numberOfScenarios is not {len(page['scenarios'])}"
        )
    return findings


def case_findings(kind):
    """Every head obeys the schema, and no name is listed twice."""
    path = SPEC / f"config/cases/{kind}.txt"
    found = list(config_cases.read(kind))
    heads = {name: head for name, head, _ in found}
    twice = {name for name in heads if [other for other, _, _ in found].count(name) > 1}
    return [f"config/cases/{kind}.txt: {name} is listed twice" for name in sorted(twice)] + (
        schema_findings(path, heads, "spec/schema/pages.json#/$defs/config_cases")
    )


EDITED_BYTES_MAX = 100_000  # Larger texts test sizes, and PyYAML takes a minute for each.

# Errors that an editor must find, too: the schema refuses texts that have them.
SEEN_BY_EDITORS = re.compile(
    'is unknown|"(listen|servers)" is missing|is not a (number|valid hash|sequence|scalar)$|'
    'is not a (number|valid hash): |is not "(true|ketama|redis|master)"|has no value|'
    "not a mapping of (directives|server pools)"
)


def users_schema_findings():
    """The schema for editors accepts every good case, and refuses the bad ones that it can see."""
    schema = json.loads(generate.USERS_SCHEMA.read_text())
    validator = jsonschema.Draft7Validator(schema)
    findings = []
    for kind in ("good", "bad"):
        for name, case, text in config_cases.read(kind):
            if len(text) > EDITED_BYTES_MAX:
                continue
            try:
                # Reads every value as a text, as OneHop does.
                value = yaml.load(text, Loader=yaml.BaseLoader)
            except (yaml.YAMLError, UnicodeDecodeError, ValueError):
                continue
            is_valid = validator.is_valid(value)
            is_seen = (
                "environment" not in case
                and kind == "bad"
                and SEEN_BY_EDITORS.search(case["reason"] or "")
            )
            if is_valid if is_seen else kind == "good" and not is_valid:
                findings.append(f"docs/onehop.schema.json: wrong about config/cases/{kind}/{name}")
    return findings


def link_findings(path):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text())
    return [
        f"{path.relative_to(SPEC)}: {link} leads nowhere"
        for link in links
        if not (path.parent / link).exists()
    ]


def sources(page):
    """The sources of each language, without tests and without files made from that page."""
    root, notice = SPEC.parent, generate.notice(page)
    paths = {
        "C": [
            p
            for room in ("core", "engine", "php")
            for p in (root / "php-ext/src" / room).rglob("*.[ch]")
        ],
        "Java": [p for p in (root / "java").rglob("*.java") if "/src/main/" in str(p)],
    }
    texts = {language: [p.read_text() for p in found] for language, found in paths.items()}
    return {
        language: "\n".join(text for text in found if notice not in text.partition("\n")[0])
        for language, found in texts.items()
    }


def unused_constants():
    page = json.loads((SPEC / "constants.json").read_text())
    text = sources("constants.json")
    findings = []
    for section, java in (
        ("limits", "Limits"),
        ("timings", "Timings"),
        ("words", "Words"),
        ("texts", "Words"),
    ):
        prefix = "OH_WORDS_" if section == "words" else "OH_"
        for row in page[section]:
            names = {"C": prefix + row["name"].upper(), "Java": f"{java}.{row['name'].upper()}"}
            findings += [
                f"constants.json: {row['name']}: {language} does not use {name}"
                for language, name in names.items()
                if row.get("only", language) == language
                and not re.search(rf"\b{re.escape(name)}\b", text[language])
            ]
    return findings


def unused_directives():
    """C and Java use each directive that has an effect; the changelog names those of OneHop."""
    text = sources("directives.json")
    changes = (SPEC.parent / "CHANGELOG.md").read_text()
    for row in directives.ROWS:
        uses = {"C": f"pool->{directives.field(row)}", "Java": f"Directive.{row['name'].upper()}"}
        if row["about"] != "nothing" and row in directives.VALUES:
            for language, use in uses.items():
                pattern = re.escape(use).replace(r"\->", r"(->|\.)")
                if not re.search(rf"\b{pattern}\b", text[language]):
                    yield f"directives.json: {row['name']}: {language} does not use {use}"
        if row["of"] == "OneHop" and f"`{row['name']}" not in changes:
            yield f"directives.json: {row['name']}: CHANGELOG.md does not name it"


def stale_vectors():
    return [
        f"{made.PAGE.relative_to(SPEC)}: run tools/generate/{made.__name__}.py"
        for made in (foreign_vectors, moving_vectors)
        if made.PAGE.read_text() != made.page()
    ]


def checks():
    for path in sorted(SPEC.glob("schema/*.json")):

        def valid_schema(path=path):
            jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))
            return []

        yield f"{path.relative_to(SPEC)} is a schema", valid_schema
    for name in PAGES:
        path = SPEC / f"{name}.json"
        yield (
            f"{path.name} is valid",
            lambda p=path: schema_findings(
                p, json.loads(p.read_text()), f"spec/schema/pages.json#/$defs/{p.stem}"
            ),
        )
    for path in sorted(SPEC.glob("*/vectors/*.json")):
        yield f"{path.relative_to(SPEC)} is valid", lambda p=path: vector_findings(p)
    for path in sorted(SPEC.glob("*/scenarios/*.json")):
        yield f"{path.relative_to(SPEC)} is valid", lambda p=path: scenario_findings(p)
    for kind in ("good", "bad"):
        yield f"config/cases/{kind}.txt is valid", lambda k=kind: case_findings(k)
    for path in sorted(SPEC.rglob("*.md")):
        yield f"links of {path.relative_to(SPEC)}", lambda p=path: link_findings(p)
    yield "the vectors of moving and of other clients are those of the reference", stale_vectors
    yield "moving keeps its promise", lambda: list(moving_model.findings())
    yield "constants are used", unused_constants
    yield "directives are used", lambda: list(unused_directives())
    yield "the schema for editors agrees with the cases", users_schema_findings
    yield "generated files are up to date", lambda: [f"stale: {path}" for path in generate.stale()]


def main():
    passed = failed = 0
    for title, check in checks():
        try:
            findings = check()
        except (OSError, ValueError, KeyError, jsonschema.SchemaError) as error:
            findings = [f"{title}: {type(error).__name__}: {error}"]
        for finding in findings:
            print(finding)
        passed, failed = passed + (not findings), failed + bool(findings)
    print(f"spec: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
