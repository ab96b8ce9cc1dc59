"""spec/terms.md names every room and type of C and of Java, and nothing that does not exist.

The page says what a name is and which names derive from another one. Prints what is missing and
exits with 1, or prints one line. `terms.py --self` tests the check itself.
"""

import re
import subprocess
import sys

from imports import MODULES
from sources import ROOT

PAGE = ROOT / "spec/terms.md"
C_ROOT = "php-ext/src"
C_TREES = ("core", "engine", "php")
JAVA_TREES = tuple(f"java/{module}/src/main/java/io/onehop" for module in MODULES)
TYPE = re.compile(r"^typedef (?:struct|enum|union) oh_(\w+)|^\} oh_(\w+);|\(\*oh_(\w+)\)", re.M)
QUOTED = re.compile(r"`([^`]+)`")
NO_CLASSES = {"package-info", "module-info"}


def main():
    rooms_and_nouns = {"C": c_names(), "Java": java_names()}
    wrong = compared(PAGE.read_text(), rooms_and_nouns, all_text())
    for line in wrong:
        print(f"spec/terms.md: {line}")
    if wrong:
        sys.exit(1)
    counts = [f"{len(nouns)} nouns of {tree}" for tree, (_, nouns) in rooms_and_nouns.items()]
    print(f"spec/terms.md names {' and '.join(counts)}.")


def compared(page, trees, text):
    """What the page lacks, and what it names that does not exist."""
    listed_rooms, columns = listed(page)
    wrong, all_rooms, all_nouns = [], set(), set()
    for tree, (rooms, nouns) in trees.items():
        wrong += [f"no heading names {tree}'s room {room}" for room in sorted(rooms - listed_rooms)]
        wrong += [
            f"no row of {tree} names {noun} ({where})"
            for noun, where in nouns.items()
            if not is_named(noun, columns[tree], tree)
        ]
        all_rooms |= rooms
        all_nouns |= set(nouns)
    wrong += [f"there is no room {room}" for room in sorted(listed_rooms - all_rooms)]
    for name in sorted((columns["C"] | columns["Java"]) - all_nouns):
        if not re.search(rf"\b(oh_)?{re.escape(name)}", text):
            wrong.append(f"neither tree has {name}")
    return wrong


def listed(page):
    """The rooms of the headings, and the nouns in the columns of C and of Java."""
    rooms, c, java = set(), set(), set()
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if line.startswith("## "):
            rooms |= set(QUOTED.findall(line))
        elif len(cells) == 7:
            c |= {re.sub(r"^oh_|\.[ch]$", "", name) for name in QUOTED.findall(cells[2])}
            java |= set(QUOTED.findall(cells[3]))
    return rooms, {"C": c, "Java": java}


def is_named(noun, known, tree):
    """The noun itself, or one that it begins with, is known."""
    if noun in known or noun.endswith("_internal"):
        return True
    parts = noun.split("_") if tree == "C" else re.findall(r"[A-Z][^A-Z]*", noun)
    glue = "_" if tree == "C" else ""
    return any(glue.join(parts[:count]) in known for count in range(1, len(parts)))


def c_names():
    """The rooms of C; its files and types, each with where it is."""
    rooms, nouns = set(), {}
    for path in tracked(*(f"{C_ROOT}/{tree}" for tree in C_TREES)):
        rooms.add(path[len(C_ROOT) + 1 :].rpartition("/")[0])
        nouns.setdefault(path.rpartition("/")[2].rpartition(".")[0], path)
        if path.endswith(".h"):
            for found in TYPE.findall((ROOT / path).read_text()):
                nouns.setdefault("".join(found), path)
    return rooms, nouns


def java_names():
    """The packages of Java; its top-level classes, each with where it is."""
    rooms, nouns = set(), {}
    for path in tracked(*JAVA_TREES):
        rooms.add(path.split("/io/onehop/")[1].rpartition("/")[0].replace("/", "."))
        name = path.rpartition("/")[2].removesuffix(".java")
        if name not in NO_CLASSES:
            nouns.setdefault(name, path)
    return rooms, nouns


def tracked(*folders):
    run = subprocess.run(
        ["git", "ls-files", *folders], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [path for path in run.stdout.split() if path.endswith((".c", ".h", ".java"))]


def all_text():
    paths = tracked(*(f"{C_ROOT}/{tree}" for tree in C_TREES), *JAVA_TREES)
    return "\n".join((ROOT / path).read_text() for path in paths)


def test_itself():
    page = "## a: `core/a`, `core.a`\n| x | `oh_x` `y.c` | `X` | meaning | |\n"
    c = {"x": "x.h", "x_more": "x.h", "y": "y.c"}
    java = {"X": "X.java", "XMore": "XMore.java"}

    def faults(page=page, rooms=(), c=c, java=java, text=""):
        trees = {"C": ({"core/a", *rooms}, c), "Java": ({"core.a"}, java)}
        return len(compared(page, trees, text))

    assert faults() == 0
    assert faults(c=c | {"z": "z.h"}) == 1
    assert faults(java=java | {"Xylophone": "Xylophone.java"}) == 1
    assert faults(rooms=["core/b"]) == 1
    assert faults(page=page + "## b: `core/b`\n") == 1
    assert faults(page=page + "| q | `oh_q` | - | | |\n") == 1
    assert faults(page=page + "| q | `oh_q` | - | | |\n", text="int oh_q_of;") == 0
    print("The check of spec/terms.md finds what it is for.")


if __name__ == "__main__":
    test_itself() if sys.argv[1:] == ["--self"] else main()
