"""Messages of failures come from spec/messages.json: finds other literals, and unused messages.

    conformance/checks/messages.py [--self]

A call that makes a failure or refuses something takes a generated message. Every message is used in
each language that the page names. It reads the sources as text, so it is quick. `--self` tests the
check itself. Reasons of configuration errors are not checked here: spec/config's vectors pin them.
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

C_USE, JAVA_USE = r"\bOH_(?:SAY|WHAT|ADVICE|REASON)_(\w+)", r"\b[A-Z]\w*"


def sources(language):
    if language == "php":
        paths = [path for tree in ("core", "engine", "php") for path in C.glob(f"{tree}/**/*.[ch]")]
        return [path for path in paths if "generated" not in path.parts]
    paths = [
        path for module in ("core", "jedis") for path in JAVA.glob(f"{module}/src/main/**/*.java")
    ]
    return [path for path in paths if path.name != "Message.java"]


C, JAVA = ROOT / "php-ext/src", ROOT / "java"


def literals(path, text, call):
    """Finds sentences: literals with a blank between two words."""
    for found in call.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        for literal in LITERAL.findall(found[0]):
            if re.search(r"[a-z] [a-z]", literal):
                yield f'{path.relative_to(ROOT)}:{line}: "{literal}" is not in spec/messages.json'


def unused(language, texts, pattern, page=PAGE):
    used = {name for text in texts for name in re.findall(pattern, text)}
    for row in [*page["failures"], *page["reasons"]]:
        if language in row["in"] and row["id"].upper() not in used:
            yield f"spec/messages.json: {row['id']} is used nowhere in {language}"


def findings():
    for language, call, use in (("php", C_CALL, C_USE), ("java", JAVA_CALL, JAVA_USE)):
        texts = {path: path.read_text() for path in sources(language)}
        for path, text in texts.items():
            yield from literals(path, text, call)
        yield from unused(language, texts.values(), use)


def main():
    found = list(findings())
    print("\n".join(found) if found else f"{len(PAGE['failures'])} messages, each from one page.")
    return 1 if found else 0


def test_itself():
    def found(text, call):
        return len(list(literals(ROOT / "x", text, call)))

    assert found('oh_failure_set(failure, OH_SAY_X, "ms");', C_CALL) == 0
    assert found('oh_failure_set(failure, 1, "try again");', C_CALL) == 1
    assert found('oh_refuse_method(call,\n    "a; b c");', C_CALL) == 1
    assert found('oh_log("not a failure");', C_CALL) == 0
    assert found("throw new NodeDown(Failure.of(Message.X));", JAVA_CALL) == 0
    assert found('throw new NodeDown("it is " + "not there");', JAVA_CALL) == 2

    page = {"failures": [{"id": "x", "in": ["php", "java"]}], "reasons": []}
    assert not list(unused("php", ["f(OH_SAY_X);"], C_USE, page))
    assert list(unused("php", ["f(OH_SAY_X_MORE);"], C_USE, page))
    assert not list(unused("java", ["Message.X"], JAVA_USE, page))
    assert list(unused("java", ["Message.X_MORE"], JAVA_USE, page))
    print("The check of messages finds what it is for.")


if __name__ == "__main__":
    sys.exit(test_itself() if sys.argv[1:] == ["--self"] else main())
