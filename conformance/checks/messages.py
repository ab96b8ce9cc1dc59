"""Messages of failures come from spec/messages.json: finds literals beside them, and unused ones.

    conformance/checks/messages.py

A call that makes a failure or refuses something takes a generated message. Every message is used
in each language that the page names. Reads no code but text, so it is quick.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = json.loads((ROOT / "spec/messages.json").read_text())
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
C_CALL = re.compile(
    r"\b(?:oh_failure_set|oh_failure_throw_plain|oh_refuse\w*|oh_cluster_fail|give_up)"
    r'\((?:[^;"]|"(?:[^"\\]|\\.)*")*?\);'
)
JAVA_CALL = re.compile(
    r"new (?:NodeDown|DeadlineExceeded|CrossNode|PoolExhausted|ConfigInvalid|ProtocolViolation"
    r'|Unsupported|PartialBatch|WireException|ClusterException)\((?:[^;"]|"(?:[^"\\]|\\.)*")*?\);'
)


def sources(language):
    if language == "php":
        paths = [path for tree in ("core", "engine", "php") for path in C.glob(f"{tree}/**/*.[ch]")]
        return [path for path in paths if "generated" not in path.parts]
    paths = [
        path for module in ("core", "jedis") for path in JAVA.glob(f"{module}/src/main/**/*.java")
    ]
    return [path for path in paths if path.name != "Message.java"]


C, JAVA = ROOT / "php-ext", ROOT / "java"


def literals(path, text, call):
    """Sentences, that is: a literal with a blank between two words."""
    for found in call.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        for literal in LITERAL.findall(found[0]):
            if re.search(r"[a-z] [a-z]", literal):
                yield f'{path.relative_to(ROOT)}:{line}: "{literal}" is not in spec/messages.json'


def unused(language, texts, pattern):
    whole = "\n".join(texts)
    for row in [*PAGE["failures"], *PAGE["reasons"]]:
        name = row["id"].upper()
        if language in row["in"] and not re.search(pattern.replace("NAME", name), whole):
            yield f"spec/messages.json: {row['id']} is used nowhere in {language}"


def findings():
    for language, call, use in (
        ("php", C_CALL, r"\bOH_(SAY|WHAT|ADVICE|REASON)_NAME\b"),
        ("java", JAVA_CALL, r"\bNAME\b"),
    ):
        texts = {path: path.read_text() for path in sources(language)}
        for path, text in texts.items():
            yield from literals(path, text, call)
        yield from unused(language, texts.values(), use)


def main():
    found = list(findings())
    print("\n".join(found) if found else f"{len(PAGE['failures'])} messages, each from one page.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
