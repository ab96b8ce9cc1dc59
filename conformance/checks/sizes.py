"""Size budgets: a file has at most 600 lines, a function or method at most 70.

A file of more than 400 lines is named as a warning: perhaps it has two stories. Prints every file and
function beyond its budget and exits with 1, or one line with the number of files.
"""

import re
import sys

from sources import code, files, name

FUNCTION_LINES_MAX = 70
FILE_LINES_WARNED = 400
FILE_LINES_MAX = 600
PATTERNS = (
    "php-ext/**/*.c",
    "php-ext/**/*.h",
    "bench/**/*.c",
    "java/*/src/main/java/**/*.java",
    "bench/**/*.java",
    "conformance/**/*.java",
)

# Where a function ends: C at the margin, Java one level in. Its beginning is the last opening line of the same depth.
DEPTH = {".c": "", ".h": "", ".java": "    "}
NOT_FUNCTIONS = re.compile(
    r"\s*(typedef\b|(struct|union)\b[^(]*$|(\w+ )*(class|interface|record|enum)\b|.*=\s*\{?$)"
)


def main():
    sources = files(*PATTERNS)
    for path in sources:
        if FILE_LINES_WARNED < line_count(path) <= FILE_LINES_MAX:
            print(f"warning: {name(path)}: {line_count(path)} lines, more than {FILE_LINES_WARNED}")
    violations = [violation for path in sources for violation in beyond_budget(path)]
    for violation in violations:
        print(violation)
    if violations:
        sys.exit(1)
    if not sources:
        sys.exit("there is nothing to check: the sources have moved")
    print(f"{len(sources)} files keep their size budgets.")


def line_count(path):
    return code(path).count("\n")


def beyond_budget(path):
    lines = code(path).split("\n")
    if line_count(path) > FILE_LINES_MAX:
        yield f"{name(path)}: {line_count(path)} lines, at most {FILE_LINES_MAX}"
    for first, last in functions(lines, DEPTH[path.suffix]):
        if last - first + 1 > FUNCTION_LINES_MAX:
            yield f"{name(path)}:{first}: a function of {last - first + 1} lines, at most {FUNCTION_LINES_MAX}"


def functions(lines, depth):
    """(first, last) line of each block that opens and closes at this depth and is no type or table."""
    first = None
    for number, line in enumerate(lines, start=1):
        at_depth = line.startswith(depth) and line[len(depth) : len(depth) + 1].strip() != ""
        if not at_depth:
            continue
        if re.match(r"\}", line[len(depth) :]) and first:
            yield first, number
            first = None
        elif line.rstrip().endswith("{"):
            first = None if NOT_FUNCTIONS.match(line) else number


if __name__ == "__main__":
    main()
