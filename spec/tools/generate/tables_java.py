"""The tables of route as Java: the commands that java/core's Command reads, and the fields of INFO.

In: commands.json, info.json. Out: the text of CommandTable.java, one line for each command, and of
InfoFields.java. Called by spec/generate.py.
"""

import json

from tables_c import advice

COMMANDS, INFO = "command/CommandTable.java", "command/InfoFields.java"

# The compiler allows 64 KB of bytecode in one method.
ROWS_IN_METHOD = 60
MS_PER_UNIT = {"seconds": 1000, "milliseconds": 1}


def quoted(text):
    return json.dumps(text, ensure_ascii=True)


def begin(spec):
    if "index" in spec:
        return f"at({spec['index']})"
    if "keyword" in spec:
        return f"after({quoted(spec['keyword'])}, {spec['from']})"
    skip = " ".join(f"{word} {count}" for word, count in spec["skip"].items())
    return f"afterEach({quoted(spec['option'])}, {spec['from']}, skip({quoted(skip)}))"


def reach(spec):
    if "keynum" in spec:
        return f"counted({spec['keynum']}, {spec['first']}, {spec['step']})"
    return f"to({spec['last']}, {spec['step']}, {spec.get('limit', 1)})"


def waits(blocking):
    unit = MS_PER_UNIT[blocking["unit"]]
    if "timeout" in blocking:
        return f".waits({blocking['timeout']}, {unit})"
    option, until = quoted(blocking["option"]), quoted(blocking["until"])
    return f".waits({option}, {blocking['from']}, {until}, {unit})"


def calls(entry):
    """The facts about a command, one call each. Only refused commands need their reason."""
    if "merge" in entry:
        yield f".merge(MergeRule.{entry['merge'].upper()}, {entry.get('merge_width', 1)})"
    if entry["access"] == "write":
        yield ".write()"
    for flag in ("retryable", "brings", "container", "ssdb"):
        if entry.get(flag):
            yield f".{flag}()"
    if "state" in entry:
        yield f".state({quoted(entry['state'])})"
    if "without_keys" in entry:
        spread = f"Spread.{entry['without_keys'].upper()}"
        reason = entry.get("without_keys_reason")
        yield f".withoutKeys({spread}, {quoted(advice(reason)) if reason else 'null'})"
    if "whole_with" in entry:
        yield f".wholeWith({', '.join(map(quoted, entry['whole_with']))})"
    if "blocking" in entry:
        yield waits(entry["blocking"])
    for spec in (
        () if any("unknown" in spec for spec in entry.get("keys", [])) else entry.get("keys", [])
    ):
        keys = "keysUnlessEmpty" if spec.get("unless_empty") else "keys"
        yield f".{keys}(Kind.{spec['kind'].upper()}, {begin(spec)}, {reach(spec)})"
    if entry.get("spread") == "refused":
        yield f".reason({quoted(advice(entry['reason']))})"


def row(name, entry):
    spread = entry.get("spread", "none").upper()
    return f"row({quoted(name)}, Spread.{spread})" + "".join(calls(entry))


def commands_java(commands, notice):
    entries = sorted(commands.items())
    methods = [entries[at : at + ROWS_IN_METHOD] for at in range(0, len(entries), ROWS_IN_METHOD)]
    names = ", ".join(f"rows{number}()" for number in range(1, len(methods) + 1))
    text = [
        f"// {notice}\npackage io.onehop.core.command;\n\n"
        "import static io.onehop.core.command.KeySpec.Begin.after;\n"
        "import static io.onehop.core.command.KeySpec.Begin.afterEach;\n"
        "import static io.onehop.core.command.KeySpec.Begin.at;\n"
        "import static io.onehop.core.command.KeySpec.Reach.counted;\n"
        "import static io.onehop.core.command.KeySpec.Reach.to;\n"
        "import static io.onehop.core.command.TableRow.row;\n"
        "import static io.onehop.core.command.TableRow.skip;\n\n"
        "import io.onehop.core.command.Command.MergeRule;\n"
        "import io.onehop.core.command.Command.Spread;\n"
        "import io.onehop.core.command.KeyPositions.Kind;\n\n"
        "import java.util.List;\n\n"
        "/** Every command that OneHop knows, a container before its subcommands. */\n"
        "final class CommandTable {\n\n"
        "    private CommandTable() {}\n\n"
        "    static List<Command> commands() {\n"
        f"        return TableRow.commands({names});\n    }}\n"
    ]
    for number, part in enumerate(methods, start=1):
        rows = ",\n            ".join(row(name, entry) for name, entry in part)
        text.append(
            f"\n    private static TableRow[] rows{number}() {{\n        return new TableRow[] {{\n"
            f"            {rows}\n        }};\n    }}\n"
        )
    return "".join(text) + "}\n"


def info_java(page, notice):
    """info.json as Java: one row per field."""
    rows = ",\n".join(
        f"            new Field({quoted(row['section'])}, {quoted(row['name'])},"
        f" Rule.{row['rule'].upper()})"
        for row in page["fields"]
    )
    return (
        f"// {notice}\npackage io.onehop.core.command;\n\n"
        "import io.onehop.core.command.Info.Field;\n"
        "import io.onehop.core.command.Info.Rule;\n\nimport java.util.List;\n\n"
        "/** The fields of INFO that a fleet has, in their order. */\nfinal class InfoFields {\n"
        f"    static final List<Field> ALL = List.of(\n{rows});\n\n"
        "    private InfoFields() {}\n}\n"
    )
