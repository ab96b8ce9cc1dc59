"""docs/architecture.md is up to date: the functions that it quotes and the rooms that it lists.

A quotation is a comment that names a file and a function, followed by a block of code that must
equal that function exactly. The tables of rooms must list every room of `imports.py` in its order.
Prints what differs and exits with 1, or prints one line. `architecture.py --write` updates the
quotations.
"""

import re
import sys

from imports import JAVA, C
from sources import ROOT, code

PAGE = ROOT / "docs/architecture.md"
QUOTATION = re.compile(r"<!-- from (\S+): (\w+) -->\n```(c|java)\n(.*?)```\n", re.DOTALL)
ROOM = re.compile(r"^\| `(\w+/\w+)` \|", re.MULTILINE)
PACKAGES = re.compile(r"((?:    (?:core|jedis).*\n)+)")


def main(arguments):
    page = PAGE.read_text()
    if arguments == ["--write"]:
        page = QUOTATION.sub(quoted_again, page)
        PAGE.write_text(page)
    quotations = QUOTATION.findall(page)
    wrong = [
        f"{path}: {function} differs from its quotation; run "
        "conformance/checks/architecture.py --write"
        for path, function, _, text in quotations
        if function_text(path, function) != text
    ]
    rooms = ROOM.findall(page)
    for language, shown, listed in (("C", rooms, C), ("Java", packages(page), JAVA)):
        wrong += (
            [f"the rooms of {language} are {', '.join(listed)}"] if shown != list(listed) else []
        )
    if {language for _, _, language, _ in quotations} != {"c", "java"}:
        wrong.append("the page does not quote functions of both C and Java")
    for line in wrong:
        print(f"docs/architecture.md: {line}")
    if wrong:
        sys.exit(1)
    print(
        f"docs/architecture.md is up to date: {len(quotations)} quotations, "
        f"{len(C) + len(JAVA)} rooms."
    )


def packages(page):
    """Java's rooms, from lines indented by four spaces. `.pool` continues the last full name."""
    found, inside = [], ""
    for word in re.findall(r"jedis: failures|[\w.]+", PACKAGES.search(page).group(1)):
        inside = word.rpartition(".")[0] if not word.startswith(".") else inside
        found.append(inside + word if word.startswith(".") else word)
    return found


def quoted_again(match):
    path, function, language, _ = match.groups()
    return f"<!-- from {path}: {function} -->\n```{language}\n{function_text(path, function)}```\n"


def function_text(path, function):
    """The first function of this name without its comment, from its type to its closing brace."""
    text, bare = (ROOT / path).read_text(), code(ROOT / path)
    match = re.search(
        rf"^( *)(?=[a-zA-Z@])[^\n;]*\b{function}\([^;{{]*\{{.*?^\1\}}\n",
        bare,
        re.MULTILINE | re.DOTALL,
    )
    if not match:
        sys.exit(f"docs/architecture.md: {path} has no function {function}")
    indent = match.group(1)
    lines = text[match.start() : match.end()].split("\n")
    return "\n".join(line.removeprefix(indent) for line in lines)


if __name__ == "__main__":
    main(sys.argv[1:])
