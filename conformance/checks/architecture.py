"""docs/architecture.md is up to date: its tables list every room of `imports.py`, in its order.

Prints what differs and exits with 1, or prints one line.
"""

import re
import sys

from imports import JAVA, C
from sources import ROOT

PAGE = ROOT / "docs/architecture.md"
ROOM = re.compile(r"^\| `(\w+/\w+)` \|", re.MULTILINE)
PACKAGES = re.compile(r"((?:    (?:core|jedis|spring|test|cli).*\n)+)")


def main():
    page, wrong = PAGE.read_text(), []
    rooms = ROOM.findall(page)
    for language, shown, listed in (("C", rooms, C), ("Java", packages(page), JAVA)):
        wrong += (
            [f"the rooms of {language} are {', '.join(listed)}"] if shown != list(listed) else []
        )
    for line in wrong:
        print(f"docs/architecture.md: {line}")
    if wrong:
        sys.exit(1)
    print(f"docs/architecture.md is up to date: {len(C) + len(JAVA)} rooms.")


def packages(page):
    """Java's rooms, from lines indented by four spaces. `.pool` continues the last full name."""
    found, inside = [], ""
    for word in re.findall(r"jedis: failures|[\w.]+", PACKAGES.search(page).group(1)):
        inside = word.rpartition(".")[0] if not word.startswith(".") else inside
        found.append(inside + word if word.startswith(".") else word)
    return found


if __name__ == "__main__":
    main()
