"""commands.json and phpredis.json as rows of C.

They are for core/command/command.c and php/phpredis/method.c.

In: the two tables and signatures.json. Out: the text of two headers; one .c file includes each,
after its types. Lists that occur often (key specifications of a command, keys of a method) are
written once, and rows point to them. Reasons become the end of a message: no capital, no full stop.
Spec: route.md. Called by spec/generate.py.
"""

import json
import pathlib
import re

ROUTE = pathlib.Path(__file__).resolve().parents[2] / "route"
COMMANDS = "core/generated/commands.h"
METHODS = "php/generated/methods.h"
EXPRESS = "php/generated/express.h"


def load(name):
    return json.loads((ROUTE / name).read_text())


def quoted(text):
    return json.dumps(text, ensure_ascii=True) if text is not None else "NULL"


def constant(prefix, word):
    return f"OH_{prefix}_{word.replace(' ', '_').upper()}"


def advice(reason):
    """A sentence as the end of a message."""
    if reason is None or re.match("OneHop|[A-Z]{2}", reason):
        return reason and reason.removesuffix(".")
    return reason[0].lower() + reason[1:].removesuffix(".")


ZEROES = {
    0,
    "NULL",
    "false",
    "OH_BEGIN_INDEX",
    "OH_KEY_PLAIN",
    "OH_FORM_VALUE",
    "OH_SPREAD_NONE",
    "OH_MERGE_NONE",
    "OH_ACCESS_NONE",
    "OH_STATE_NONE",
}


def fields(**values):
    """{.a = 1, .b = 2}, without the fields that C sets to zero anyway."""
    return (
        "{"
        + ", ".join(f".{name} = {value}" for name, value in values.items() if value not in ZEROES)
        + "}"
    )


class Lists:
    """Sequences of rows, each written once, and where each begins in the common array."""

    def __init__(self):
        self.rows, self.places = [], {}

    def place(self, sequence):
        key = tuple(sequence)
        if key and key not in self.places:
            self.places[key] = len(self.rows)
            self.rows += key
        return self.places.get(key, 0)

    def text(self, declaration):
        rows = "".join(f"    /* {place} */ {row},\n" for place, row in enumerate(self.rows))
        return f"static const {declaration}[] = {{\n{rows}}};\n"


# ---- Commands ----


def key_spec(spec):
    begin = next(word for word in ("index", "keyword", "option") if word in spec)
    skip = "".join(f"{word} {count} " for word, count in spec.get("skip", {}).items())
    return fields(
        begin=constant("BEGIN", begin),
        word=quoted(spec[begin]) if begin != "index" else "NULL",
        from_=spec["index"] if begin == "index" else spec["from"],
        skip=quoted(skip) if skip else "NULL",
        is_counted=str("keynum" in spec).lower(),
        keynum=spec.get("keynum", 0),
        first=spec.get("first", 0),
        last=spec.get("last", 0),
        step=spec["step"],
        limit=spec.get("limit", 1),
        is_unless_empty=str(spec.get("unless_empty", False)).lower(),
        kind=constant("KEY", "plain" if spec["kind"] == "key" else spec["kind"]),
    ).replace(".from_", ".from")


def blocking(entry):
    place = entry.get("blocking")
    if not place:
        return "NULL"
    return fields(
        is_blocking="true",
        timeout=place.get("timeout", 0),
        option=quoted(place.get("option")),
        from_=place.get("from", 0),
        until=quoted(place.get("until")),
        is_milliseconds=str(place["unit"] == "milliseconds").lower(),
    ).replace(".from_", ".from")


def command_row(name, entry, lists):
    specs = [key_spec(spec) for spec in entry.get("keys", [])]
    keyless = entry.get("without_keys")
    return fields(
        name=quoted(name),
        spread=constant("SPREAD", entry.get("spread", "none")),
        without_keys=constant("SPREAD", keyless or "none"),
        merge=constant("MERGE", entry.get("merge", "none")),
        merge_width=entry.get("merge_width", 0),
        access=constant("ACCESS", entry["access"]),
        is_retryable=str(entry.get("retryable", False)).lower(),
        brings=str(entry.get("brings", False)).lower(),
        is_container=str(entry.get("container", False)).lower(),
        is_ssdb=str(entry.get("ssdb", False)).lower(),
        whole_with=quoted("".join(f"{word} " for word in entry.get("whole_with", [])) or None),
        state=constant("STATE", entry.get("state", "none")),
        blocking=blocking(entry),
        keys=f"&key_specs[{lists.place(specs)}]" if specs else "NULL",
        keys_count=len(specs),
        reason=quoted(advice(entry.get("reason")) if entry.get("spread") == "refused" else None),
        without_keys_reason=quoted(advice(entry.get("without_keys_reason"))),
    )


def commands_h(notice):
    lists = Lists()
    own = {name: entry | {"ssdb": True} for name, entry in load("ssdb.json")["own"].items()}
    commands = sorted((load("commands.json")["commands"] | own).items())
    rows = [command_row(name, entry, lists) for name, entry in commands]
    return (
        f"/* {notice} Included by core/command/command.c alone. */\n"
        + lists.text("oh_key_spec key_specs")
        + "\nstatic const oh_command commands[] = {\n"
        + "".join(f"    {row},\n" for row in rows)
        + "};\n"
    )


# ---- Methods ----


def method_key(place):
    return fields(
        argument=place["argument"],
        form=constant("FORM", place.get("form", "value")),
        kind=constant("KEY", {"key": "plain"}.get(place.get("kind", "key"), place.get("kind"))),
        last=place.get("last", 0),
        count=place.get("count", 0),
        names=names(place),
        is_unprefixed=str(not place.get("prefix", True)).lower(),
    )


def names(place):
    return quoted(f" {' '.join(place['names'])} ") if "names" in place else "NULL"


def fault(place):
    return fields(
        is_=constant("FAULT", place["is"]),
        argument=place.get("argument", 0),
        names=names(place),
        needs_prefix=str(place.get("with_prefix", False)).lower(),
        reason=quoted(advice(place["reason"])),
    ).replace(".is_ ", ".is ")


def resolved(page, name, version):
    """The entry of a method in one version, aliases resolved; None if that version lacks it."""
    by_name = {known.lower(): entry for known, entry in page["methods"].items()}
    entry = by_name[name.lower()]
    if version not in entry.get("versions", [version]):
        return None
    entry = entry.get("in", {}).get(version, entry)
    return resolved(page, entry["alias"], version) if "alias" in entry else entry


def method_row(name, versions, version, entry, signature, keys, faults):
    here = [
        fault(place)
        for place in entry.get("faults", [])
        if version in place.get("versions", [version]) and place["is"] != "error_reply"
    ]
    places = [method_key(place) for place in entry.get("keys", [])]
    return fields(
        name=quoted(name.lower()),
        versions=versions,
        kind=constant("METHOD", entry["kind"]),
        command=quoted(entry.get("command")),
        subcommand=entry.get("subcommand", -1) + 1,
        keys=f"&method_keys[{keys.place(places)}]" if places else "NULL",
        keys_count=len(places),
        has_timeout=str("timeout" in entry).lower(),
        timeout=entry.get("timeout", {}).get("argument", 0),
        faults=f"&method_faults[{faults.place(here)}]" if here else "NULL",
        faults_count=len(here),
        has_promise=str("promise" in entry).lower(),
        reason=quoted(advice(entry["reason"]) if entry["kind"] == "refused" else None),
        signature=quoted(signature),
    )


def method_rows(page, signatures, keys, faults):
    for name in sorted(page["methods"], key=str.lower):
        found = {}
        for bit, version in enumerate(page["versions"]):
            entry = resolved(page, name, version)
            if entry:
                signature = (
                    signatures.get(name.lower()) if version == page["versions"][-1] else None
                )
                row = method_row(name, "@", version, entry, None, keys, faults)
                versions, _ = found.get(row, (0, None))
                found[row] = versions | 1 << bit, signature
        for row, (versions, signature) in found.items():
            older = page["methods"][name].get("older") if signature is not None else None
            yield row.replace(".versions = @", f".versions = {versions}").removesuffix("}") + (
                (f", .signature = {quoted(signature)}" if signature is not None else "")
                + (f", .older_signature = {quoted(older)}" if older else "")
                + "}"
            )


def methods_h(notice):
    page, keys, faults = load("phpredis.json"), Lists(), Lists()
    rows = list(method_rows(page, load("signatures.json")["methods"], keys, faults))
    versions = ", ".join(quoted(version) for version in page["versions"])
    return (
        f"/* {notice} Included by php/phpredis/method.c alone. */\n"
        f"static const char *const method_versions[] = {{{versions}}};\n\n"
        + keys.text("oh_method_key method_keys")
        + "\n"
        + faults.text("oh_fault method_faults")
        + "\nstatic const oh_method_row method_rows[] = {\n"
        + "".join(f"    {row},\n" for row in rows)
        + "};\n"
    )


# ---- The express lane ----


def express_rows(rows):
    """Each row with the bytes that every call of its form sends before its arguments."""
    for row in rows:
        name, letters = row["command"].upper(), row["arguments"]
        word = f"${len(name)}\\r\\n{name}\\r\\n"
        is_fixed = letters.islower()
        head = f"*{len(letters) + 1}\\r\\n{word}" if is_fixed else f"\\r\\n{word}"
        yield fields(
            method=quoted(row["method"].lower()),
            arguments=quoted(letters),
            arguments_count=len(letters),
            is_fixed=str(is_fixed).lower(),
            swaps_last=str(letters.endswith("x")).lower(),
            head=f'"{head}"',
            head_length=len(head) - head.count("\\"),
            reply=constant("EXPRESS", row["reply"]),
        )


def express_h(notice):
    page = load("express.json")
    rows, versions = page["rows"], ", ".join(map(quoted, page["versions"]))
    if rows != sorted(rows, key=lambda row: [r["method"] for r in rows].index(row["method"])):
        raise ValueError("express.json: the forms of a method must be next to each other")
    return (
        f"/* {notice} Included by php/express/express.c alone. */\n"
        "static const oh_express_row express_rows[] = {\n"
        + "".join(f"    {row},\n" for row in express_rows(rows))
        + "};\n"
        + f"static const char *const express_versions[] = {{{versions}}};\n"
    )
