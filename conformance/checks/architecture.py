"""docs/architecture.md tells the truth: the functions that it quotes, and the rooms that it lists.

A quotation is a comment that names a file and a function, and the block of code after it, which must
be that function to the letter. The tables of rooms must have every room of `imports.py`, in its
order. Prints what is not so and exits with 1, or one line. `architecture.py --write` quotes anew.
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
        page = QUOTATION.sub(quoted_anew, page)
        PAGE.write_text(page)
    quotations = QUOTATION.findall(page)
    wrong = [
        f"{path}: {function} is not as the page quotes it; conformance/checks/architecture.py --write"
        for path, function, _, text in quotations
        if function_text(path, function) != text
    ]
    rooms = ROOM.findall(page)
    for language, shown, listed in (("C", rooms, C), ("Java", packages(page), JAVA)):
        wrong += (
            [f"the rooms of {language} are {', '.join(listed)}"] if shown != list(listed) else []
        )
    if {language for _, _, language, _ in quotations} != {"c", "java"}:
        wrong.append("the page quotes no function of C, or none of Java")
    for line in wrong:
        print(f"docs/architecture.md: {line}")
    if wrong:
        sys.exit(1)
    print(
        f"docs/architecture.md quotes {len(quotations)} functions and lists {len(C) + len(JAVA)} rooms as they are."
    )


def packages(page):
    """Java's rooms, from the lines that begin with four spaces; `.pool` after `jedis.internal.failure` is one more of it."""
    found, inside = [], ""
    for word in re.findall(r"jedis: failures|[\w.]+", PACKAGES.search(page).group(1)):
        inside = word.rpartition(".")[0] if not word.startswith(".") else inside
        found.append(inside + word if word.startswith(".") else word)
    return found


def quoted_anew(match):
    path, function, language, _ = match.groups()
    return f"<!-- from {path}: {function} -->\n```{language}\n{function_text(path, function)}```\n"


def function_text(path, function):
    """The first function of this name with its comment left out, from its type to its closing brace, at the margin."""
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
