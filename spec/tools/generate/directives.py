"""The directives of a server pool, from spec/directives.json: for C, for Java, and for two pages.

C gets macros: the members of oh_server_pool, the rows of the table in core/config, and for
core/topology what the image of a pool holds. In Java the enum Directive gets its constants. The
pages are docs/configuration.md and, by users_schema.py, docs/onehop.schema.json.

Called by spec/generate.py.
"""

import json
import re
import textwrap
from pathlib import Path

SPEC = Path(__file__).resolve().parents[2]
PAGE = json.loads((SPEC / "directives.json").read_text())
CONSTANTS = json.loads((SPEC / "constants.json").read_text())
LIMITS = {row["name"]: row["value"] for row in CONSTANTS["limits"]}
TYPES, ROWS = PAGE["types"], PAGE["directives"]
SEQUENCES = [row for row in ROWS if row["type"] == "sequence"]
VALUES = [row for row in ROWS if row["type"] != "sequence"]
NUMBER_MAX, TEXT_MAX = "number_max", "text_bytes_max"
TEXTS = ("text", "path", "name", "listen")


def quoted(text):
    return json.dumps(text, ensure_ascii=True)


def bounds(row):
    """The smallest and the largest value, each a number or the name of a constant."""
    most = {"number": NUMBER_MAX, "text": TEXT_MAX, "path": TEXT_MAX}.get(row["type"], 0)
    return row.get("least", 0), row.get("most", most)


def complaint(kind):
    """The error for a value that is not one of the words of its type."""
    if kind in ("hash", "distribution"):
        return f"is not a valid {kind}"
    *first, last = [f'"{word}"' for word in TYPES[kind]["words"]]
    return f"is not {', '.join(first)} or {last}"


# ---- C ----

MEMBERS = {
    "number": ("uint32_t", NUMBER_MAX),
    "boolean": ("bool", 1),
    "engine": ("bool", 1),
    "hash": ("oh_hash", "OH_ALL_HASHES_COUNT - 1"),
    "distribution": ("oh_distribution", "OH_DISTRIBUTIONS_COUNT - 1"),
    "read_from": ("oh_read_from", "OH_READ_FROMS_COUNT - 1"),
    "tls_verify": ("oh_tls_verify", "OH_TLS_VERIFIES_COUNT - 1"),
} | dict.fromkeys(TEXTS, ("oh_text", None))
ENUMERATORS = {"hash": "OH_HASH_", "distribution": "OH_", "read_from": "OH_READ_"}


def c_constant(value):
    return f"OH_{value.upper()}" if isinstance(value, str) else json.dumps(value)


def field(row):
    return row.get("field", row["name"] + ("_ms" if row.get("unit") == "ms" else ""))


def macro(name, about, lines):
    """A macro of several lines, which all but the last one end with a backslash."""
    return f"/* {about} */\n#define {name} \\\n" + " \\\n".join(f"  {x}" for x in lines) + "\n"


def x_macro(name, about, rows):
    return macro(f"{name}(X)", about, [f"X({', '.join(map(str, row))})" for row in rows])


def members_macro(name, about, trait):
    """X(member) of each directive with that trait."""
    members = [f"X({field(row)})" for row in VALUES if row.get(trait)]
    return macro(f"{name}(X)", f"X(member): {about}", textwrap.wrap(" ".join(members), 94))


def wrapped(names):
    return "\n".join(f"  {row}" for row in textwrap.wrap(", ".join(names), 98))


def c_members(row):
    kind = "uint8_t" if row["type"] == "tag" else MEMBERS[row["type"]][0]
    note = f" /* {row['note']} */" if "note" in row else ""
    yield f"{kind} {field(row)}{'[2]' if row['type'] == 'tag' else ''};{note}"
    if row.get("optional"):
        yield f"bool has_{row['name']};"


def c_row(row):
    least, most = bounds(row)
    cells = {
        ".name": quoted(row["name"]),
        ".type": f"OH_TYPE_{row['type'].upper()}",
        ".item": quoted(row["item"]) if "item" in row else None,
        ".place": f"offsetof(oh_server_pool, {field(row)})" if row in VALUES else None,
        ".has": f"offsetof(oh_server_pool, has_{row['name']})" if row.get("optional") else None,
        ".least": least and c_constant(least),
        ".most": most and c_constant(most),
        ".is_own": "true" if row["of"] == "OneHop" else None,
        ".is_hidden": "true" if row.get("hidden") else None,
        ".is_secret": "true" if row.get("secret") else None,
    }
    cells = ", ".join(f"{name} = {cell}" for name, cell in cells.items() if cell)
    return f"[{c_number(row)}] = {{{cells}}},"


def c_number(row):
    return f"OH_CONFIG_{row['name'].upper()}"


def c_default(row):
    """The member that is not zero in a pool without directives, and its value."""
    value = row.get("default", 0)
    if row["type"] in ENUMERATORS:
        return field(row), ENUMERATORS[row["type"]] + value.upper()
    return field(row), c_constant(value)


def is_zero(row):
    value = row.get("default")
    return not value or value == TYPES[row["type"]].get("words", [None])[0]


def is_shared(row):
    """True if the image of a pool has this directive: it has an effect, and is no secret."""
    return row["about"] != "nothing" and not row.get("secret")


def shared_values():
    """The values of an image that are numbers: name, member, type, and largest value."""
    for row in filter(is_shared, VALUES):
        kind, most = MEMBERS.get(row["type"], (None, None))
        if row["type"] == "number":
            most = c_constant(bounds(row)[1])
        if most is not None:
            yield row["name"], field(row), kind, most
        if row.get("optional"):
            yield f"has_{row['name']}", f"has_{row['name']}", "bool", 1


def c_enums():
    first, *others = map(c_number, VALUES)
    numbers = [
        *map(c_number, SEQUENCES),
        "OH_CONFIG_SEQUENCES_COUNT",
        f"{first} = OH_CONFIG_SEQUENCES_COUNT",
        *others,
        "OH_CONFIG_DIRECTIVES_COUNT",
    ]
    types = wrapped(f"OH_TYPE_{kind.upper()}" for kind in TYPES)
    return (
        "/* The numbers of the directives. Those that are sequences come first. */\n"
        f"enum {{\n{wrapped(numbers)}\n}};\n\n/* What a value may be. */\n"
        f"typedef enum oh_directive_type {{\n{types}\n}} oh_directive_type;\n"
    )


def c_choices():
    words = {
        kind: ", ".join(map(quoted, of["words"])) for kind, of in TYPES.items() if "words" in of
    }
    longest = max(len(TYPES[kind]["words"]) for kind in words)
    names = "".join(f"#define OH_NAMES_OF_{kind.upper()} {words[kind]}\n" for kind in words)
    rows = [
        f"[OH_TYPE_{kind.upper()}] = {{{quoted(complaint(kind))}, {{OH_NAMES_OF_{kind.upper()}}}}},"
        for kind in words
    ]
    return (
        f"/* The words of a type, in the order of its enum. */\n{names}"
        f"#define OH_WORDS_OF_TYPE_MAX {longest}\n\n"
        + macro("OH_CHOICES", "What an error says of another word, and the words.", rows)
    )


# Terms of rules that are facts about a pool, not values of its directives.
POOL_FACTS = {
    "OneHop pool": ("ONEHOP", "reader->is_own_pool"),
    "distribution of another client": ("FOREIGN", "oh_foreign_of(pool->distribution) != NULL"),
    "distribution with another hash": ("STRANGE_HASH", "has_strange_hash(pool)"),
    "distribution without hash_tag": ("UNTAGGED", "has_no_tags(pool)"),
    "distribution without weights": ("STRANGE_WEIGHTS", "has_strange_weights(pool)"),
    "distribution without long names": ("LONG_NAME", "has_long_name(pool)"),
    "distribution with too many points": ("MANY_POINTS", "has_many_points(reader, pool)"),
    "distribution without all slots": ("SLOTLESS", "lacks_slots(reader, pool)"),
    "old ring with another hash": ("OLD_STRANGE_HASH", "has_strange_old_hash(pool)"),
    "old ring without hash_tag": ("OLD_UNTAGGED", "is_so(old, has_no_tags)"),
    "old ring without weights": ("OLD_STRANGE_WEIGHTS", "is_so(old, has_strange_weights)"),
    "old ring without long names": ("OLD_LONG_NAME", "is_so(old, has_long_name)"),
    "old ring with too many points": ("OLD_MANY_POINTS", "has_many_old_points(reader, old)"),
    "old ring without all slots": ("OLD_SLOTLESS", "lacks_old_slots(reader, old)"),
    "old ring with a name at another address": ("TWO_ADDRESSES", "has_two_addresses(reader)"),
    "old ring with too many servers": ("MANY_SERVERS", "has_many_servers(reader)"),
    "server with a weight": ("WEIGHTED", "has_server(pool, is_weighted)"),
    "server on a unix socket": ("UNIX", "has_server(pool, is_unix)"),
    "server without a name": ("UNNAMED", "has_server(pool, is_unnamed)"),
}


def c_fact(term):
    """For a term that is more than a directive: its constant, and an expression of C."""
    if term in POOL_FACTS:
        return POOL_FACTS[term]
    name, value = term.split(": ")
    row = next(row for row in VALUES if row["name"] == name)
    expression = f"pool->{field(row)}"
    if row["type"] in ENUMERATORS:
        expression += f" == {ENUMERATORS[row['type']]}{value.upper()}"
    elif row["type"] == "number":
        expression += f" == {value}"
    elif TYPES[row["type"]]["words"][row["type"] == "engine"] != value:
        raise ValueError(f"{term}: name the value for which {field(row)} is true")
    return re.sub(r"\W+", "_", term).upper(), expression


def is_fact(term):
    return ": " in term or term in POOL_FACTS


def c_rule(rule):
    cells = {".has": [], ".lacks": [], ".is": [], ".is_not": []}
    for term in rule["if"]:
        positive = term.removeprefix("!")
        if is_fact(positive):
            cell = f"IS({c_fact(positive)[0]})"
            cells[".is" if positive == term else ".is_not"].append(cell)
        else:
            cells[".has" if positive == term else ".lacks"].append(f"HAS({positive.upper()})")
    terms = [f"{name} = {' | '.join(all_)}" for name, all_ in cells.items() if all_]
    misses = [".misses = true"] if rule.get("misses") else []
    named = re.search(r'"(\w+)', rule["reason"])[1]
    terms += [*misses, f".named = OH_CONFIG_{named.upper()}"]
    return f"{{{', '.join(terms)}, .reason = {quoted(rule['reason'])}}},"


def facts():
    terms = (term.removeprefix("!") for rule in PAGE["rules"] for term in rule["if"])
    return [c_fact(term) for term in dict.fromkeys(filter(is_fact, terms))]


def header(notice):
    members = [m for row in VALUES if "." not in field(row) for m in c_members(row)]
    shared_texts = [row for row in filter(is_shared, VALUES) if row["type"] in TEXTS]
    parts = (
        c_enums(),
        macro("OH_DIRECTIVE_MEMBERS", "Members of oh_server_pool that are in no struct.", members),
        macro("OH_DIRECTIVES", "The rows of the table of directives.", map(c_row, ROWS)),
        c_choices(),
        x_macro(
            "OH_DEFAULTS",
            "X(member, value): what a pool has before its first directive.",
            [c_default(row) for row in VALUES if not is_zero(row)],
        ),
        x_macro("OH_POOL_FACTS", "X(NAME, expression): what may be so of a pool.", facts()),
        macro("OH_POOL_RULES", "Errors of a whole pool, in order.", map(c_rule, PAGE["rules"])),
        members_macro("OH_SECRETS", "the secrets.", "secret"),
        members_macro("OH_FOR_SENTINELS", "what also holds for Sentinels.", "for_sentinels"),
        members_macro("OH_OF_CONNECTIONS", "by what connections differ.", "of_connections"),
        x_macro(
            "OH_SHARED_TEXTS",
            "X(NAME, member): the texts of an image.",
            [(row["name"].upper(), field(row)) for row in shared_texts],
        ),
        x_macro(
            "OH_SHARED_VALUES",
            "X(name, member, type, most): the numbers, flags and enums of an image.",
            shared_values(),
        ),
    )
    guard = "OH_GENERATED_DIRECTIVES_H"
    return f"/* {notice} */\n#ifndef {guard}\n#define {guard}\n\n" + "\n".join(parts) + "\n#endif\n"


# ---- Java ----

JAVA_ENUMS = {
    "hash": "Hash",
    "distribution": "Distribution",
    "read_from": "ReadFrom",
    "tls_verify": "TlsVerify",
}
JAVA_HEAD = """package io.onehop.core.topology;

import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.base.Limits;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Every directive of a server pool: its name, the type of its value, and its default. */
public enum Directive implements DirectiveValue {
"""
JAVA_RULES = """;

    /** The errors of a whole pool: what must be so, and the reason. A "?" misses something. */
    public static final List<String> RULES = List.of(
"""
JAVA_TAIL = """);

    private final Row row;

    Directive(Row row) {
        this.row = row;
    }

    @Override
    public Row row() {
        return row;
    }

    /** The directive of that name, or {@code null}. */
    public static @Nullable Directive named(String label) {
        return Stream.of(values())
                .filter(each -> each.label().equals(label))
                .findAny()
                .orElse(null);
    }

    /** Those with that trait. */
    public static List<Directive> with(Trait trait) {
        return Stream.of(values()).filter(each -> each.is(trait)).toList();
    }
}
"""


def java_constant(value):
    return f"Limits.{value.upper()}" if isinstance(value, str) else json.dumps(value)


def java_default(row):
    value = row.get("default")
    if value is not None and row["type"] in JAVA_ENUMS:
        return f"{JAVA_ENUMS[row['type']]}.{value.upper()}"
    return quoted(value) if row["type"] == "engine" else java_constant(value)


def java_traits(row):
    yield from ["OWN"] if row["of"] == "OneHop" else []
    yield from [f"OF_{row['about'].upper()}"] if row["about"] in ("nodes", "sentinels") else []
    yield from (trait.upper() for trait in ("for_sentinels", "hidden", "secret") if row.get(trait))


def java_row(row):
    least, most = bounds(row)
    cells = [
        quoted(row["name"]),
        f"Type.{row['type'].upper()}",
        quoted(row["item"]) if "item" in row else "null",
        java_constant(least),
        java_constant(most),
        java_default(row),
        f"Set.of({', '.join(f'Trait.{trait}' for trait in java_traits(row))})",
    ]
    return f"    {row['name'].upper()}(new Row({', '.join(cells)}))"


def java_rule(rule):
    misses = "? " if rule.get("misses") else ""
    return f"            {quoted(misses + ', '.join(rule['if']) + ' => ' + rule['reason'])}"


def java(notice):
    rows, rules = map(java_row, ROWS), map(java_rule, PAGE["rules"])
    body = ",\n".join(rows) + JAVA_RULES + ",\n".join(rules)
    return f"// {notice}\n{JAVA_HEAD}{body}{JAVA_TAIL}"


# ---- docs/configuration.md ----

TABLES = {"nutcracker": "nutcracker's directives", "OneHop": "OneHop's own directives"}


def marks(owner):
    return (
        f"<!-- {TABLES[owner]}: spec/generate.py writes this from spec/directives.json -->\n\n",
        f"\n<!-- end of {TABLES[owner]} -->",
    )


def shown_default(row):
    if "shown" in row:
        return row["shown"]
    value = row.get("default")
    if value is None:
        return "none"
    if "words" in TYPES[row["type"]]:
        return f"`{str(value).lower()}`"
    return f"{LIMITS.get(value, value)}{' ms' if row.get('unit') == 'ms' else ''}"


def table(owner):
    """Directives without effect on OneHop share a row."""
    rows = [row for row in ROWS if row["of"].startswith(owner)]
    idle = [f"`{row['name']}`" for row in rows if row["about"] == "nothing"]
    lines = ["| directive | default | meaning |", "|---|---|---|"] + [
        f"| `{row['name']}` | {shown_default(row)} | {row['help']} |"
        for row in rows
        if row["about"] != "nothing"
    ]
    if idle:
        lines.append(f"| {', '.join(idle)} | | checked as nutcracker checks them, then ignored |")
    return "\n".join(lines) + "\n"


def page(text):
    """docs/configuration.md with new tables between their marks."""
    for owner in TABLES:
        begin, end = marks(owner)
        text = text.split(begin)[0] + begin + table(owner) + end + text.split(end)[1]
    return text


def meaning(row):
    """The help of a directive as a sentence without Markdown, and without links in parentheses."""
    text = re.sub(r" \((\[[^]]*\]\([^)]*\)(, )?)+\)", "", row["help"])
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).rstrip(".:") + "."
    if not text.startswith("`"):  # A word of the file is not capitalised.
        text = text[:1].upper() + text[1:]
    return text.replace("`", "")
