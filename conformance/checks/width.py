"""Text is at most 100 columns wide and free of some marks of translated English.

Checks every tracked text file. Not checked are generated files, the data of the specification, the
expected output of phpt tests and, for width, tables of markdown. Exceptions are these kinds only,
never single files. Prints every finding and exits with 1, or prints one line with the number of
files.
"""

import re
import subprocess
import sys
import unicodedata

from sources import ROOT

COLUMNS_MAX = 100

# Data and generated files, by path.
LEFT_OUT = re.compile(
    r"(^|/)generated/|_arginfo\.h$"  # Generated C.
    r"|^spec/.*\.json$|^spec/config/cases/"  # Vectors, recordings and other pages of data.
    r"|-dashboard\.json$"  # As Grafana exports them.
    r"|^docs/.*\.schema\.json$"  # For editors, generated.
    r"|^bench/results/"  # As the benchmarks write them.
    r"|\.lock$|(^|/)LICENSE$"  # Text of others.
)
GENERATED = re.compile(r"\W{0,4}\s*(Generated|Written) by ")  # At the beginning of a file.

# Words for which plain English has a simpler one. The groups keep this file from finding itself.
MARKS = re.compile(
    r"\b(who(?:ever)|a(?:new)|in (?:vain)|by its own (?:wish)|like(?:wise)|what is (?:said) of"
    r"|has to (?:do) with)\b",
    re.IGNORECASE,
)


def main():
    checked, findings = 0, []
    for name in tracked():
        text = text_of(name)
        if text is not None and not GENERATED.match(text):
            checked += 1
            findings += findings_in(name, text)
    for finding in findings:
        print(finding)
    if findings:
        sys.exit(f"{len(findings)} lines are too wide or have words to avoid.")
    print(f"{checked} files have at most {COLUMNS_MAX} columns and none of the words to avoid.")


def tracked():
    run = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    names = run.stdout.decode().split("\0")
    return [name for name in names if name and not LEFT_OUT.search(name)]


def text_of(name):
    """The text of a tracked file; None if it is binary, a link, or deleted."""
    path = ROOT / name
    if path.is_symlink() or not path.is_file():
        return None
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return None


def findings_in(name, text):
    section, is_page = "", name.endswith(".md")
    for number, line in enumerate(text.split("\n"), start=1):
        if name.endswith(".phpt") and re.fullmatch(r"--[A-Z_]+--", line):
            section = line
        if section.startswith("--EXPECT"):
            continue
        if len(line) > COLUMNS_MAX and not (is_page and line.lstrip().startswith("|")):
            columns = width(line)
            if columns > COLUMNS_MAX:
                yield f"{name}:{number}: {columns} columns, at most {COLUMNS_MAX}"
        for mark in MARKS.findall(line):
            yield f'{name}:{number}: "{mark}" has a plainer word'


def width(line):
    """Columns of a line: a combining character takes none."""
    return sum(not unicodedata.combining(character) for character in line)


if __name__ == "__main__":
    main()
