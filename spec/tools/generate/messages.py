"""The messages of failures, from spec/messages.json: for C, for Java, and for docs/failures.md.

In C a failure has up to three macros: its advice, what happened (a format of printf), and all that
oh_failure_set takes. So the compiler checks the arguments of each call. In Java a message is a
constant of the enum Message.
"""

import json
import re
from pathlib import Path

SPEC = Path(__file__).resolve().parents[2]
PAGE = json.loads((SPEC / "messages.json").read_text())
PLACEHOLDER = re.compile(r"\{(\w+)(?::([udls]))?\}")
CONVERSIONS = {None: "%s", "u": "%u", "d": "%lld", "l": "%llu", "s": "%.*s"}
BEGIN, END = "<!-- messages: spec/generate.py writes this -->", "<!-- end of messages -->"


def constant(name):
    """NodeDown -> NODE_DOWN"""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def c_format(text):
    """'All {count:u} ...' -> 'All %u ...'"""
    return PLACEHOLDER.sub(lambda hole: CONVERSIONS[hole[2]], text.replace("%", "%%"))


def java_format(text):
    return PLACEHOLDER.sub("%s", text.replace("%", "%%"))


def quoted(text):
    return json.dumps(text, ensure_ascii=True)


def rows_of(language):
    failures = [row for row in PAGE["failures"] if language in row["in"]]
    return failures, [row for row in PAGE["reasons"] if language in row["in"]]


# ---- C ----


def c_failure(row):
    name, lines = row["id"].upper(), []
    if "advice" in row:
        lines.append(f"#define OH_ADVICE_{name} {quoted(c_format(row['advice']))}")
    lines.append(f"#define OH_WHAT_{name} {quoted(c_format(row['what']))}")
    if "kind" in row and "advice" in row:
        kind = f"OH_ERROR_{constant(row['kind'])}"
        lines.append(f"#define OH_SAY_{name} {kind}, OH_ADVICE_{name}, OH_WHAT_{name}")
    return "\n".join(lines) + "\n"


def header(notice):
    failures, reasons = rows_of("php")
    return (
        f"/* {notice} */\n#ifndef OH_GENERATED_MESSAGES_H\n#define OH_GENERATED_MESSAGES_H\n\n"
        "/* Of each failure: what to do, what happened, and all that oh_failure_set takes. */\n\n"
        + "\n".join(map(c_failure, failures))
        + "\n/* Reasons, which complete the `what` of a failure. */\n\n"
        + "".join(
            f"#define OH_REASON_{row['id'].upper()} {quoted(c_format(row['what']))}\n"
            for row in reasons
        )
        + "\n#endif\n"
    )


# ---- Java ----


def java_constant(row):
    kind = f"ErrorKind.{constant(row['kind'])}" if "kind" in row else "null"
    advice = quoted(java_format(row["advice"])) if "advice" in row else "null"
    return f"    {row['id'].upper()}({kind}, {quoted(java_format(row['what']))}, {advice})"


JAVA_TAIL = """;

    private final @Nullable ErrorKind kind;
    private final String what;
    private final @Nullable String advice;

    Message(@Nullable ErrorKind kind, String what, @Nullable String advice) {
        this.kind = kind;
        this.what = what;
        this.advice = advice;
    }

    /** The kind of the failure; {@code null} for a reason, which completes another message. */
    public @Nullable ErrorKind kind() {
        return kind;
    }

    /** What happened. The arguments have the order of the placeholders in spec/messages.json. */
    public String what(Object... arguments) {
        return String.format(what, arguments);
    }

    /** What to do about it; {@code null} for a reason. */
    public @Nullable String advice(Object... arguments) {
        return advice == null ? null : String.format(advice, arguments);
    }
}
"""


def java(notice):
    failures, reasons = rows_of("java")
    return (
        f"// {notice}\npackage io.onehop.core.base;\n\nimport io.onehop.core.ErrorKind;\n\n"
        "import org.jspecify.annotations.Nullable;\n\n"
        "/** Every message of a failure, in the words that PHP uses, too. */\n"
        "public enum Message {\n"
        + ",\n".join(java_constant(row) for row in [*failures, *reasons])
        + JAVA_TAIL
    )


# ---- docs/failures.md ----


def shown(text):
    return PLACEHOLDER.sub(lambda hole: f"*{hole[1]}*", text).replace("|", "\\|")


def table(rows):
    languages = {("php", "java"): "", ("php",): "PHP", ("java",): "Java"}
    return [
        "| what happened | what to do | |",
        "|---|---|---|",
        *(
            f"| {shown(row['what'])} | {shown(row.get('advice', ''))} |"
            f" {languages[tuple(row['in'])]} |"
            for row in rows
        ),
        "",
    ]


def page(text):
    """docs/failures.md with new tables between its two marks."""
    kinds = list(dict.fromkeys(row["kind"] for row in PAGE["failures"] if "kind" in row))
    lines = [BEGIN, ""]
    for kind in kinds:
        rows = [row for row in PAGE["failures"] if row.get("kind") == kind]
        lines += [f"### {kind}", "", *table(rows)]
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return before + "\n".join(lines) + END + after
