"""Size budgets: a file has at most 600 lines, a function or method at most 70.

A file of more than 400 lines gets a warning: perhaps it tells two stories. Prints every file and
function over budget and exits with 1, or prints one line with the number of files.
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

# Where a function ends: in C at the margin, in Java one level in. It begins at the last opening
# line of the same depth.
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
        sys.exit("found no sources: have they moved?")
    print(f"{len(sources)} files keep their size budgets.")


def line_count(path):
    return code(path).count("\n")


def beyond_budget(path):
    lines = code(path).split("\n")
    if line_count(path) > FILE_LINES_MAX:
        yield f"{name(path)}: {line_count(path)} lines, at most {FILE_LINES_MAX}"
    for first, last in functions(lines, DEPTH[path.suffix]):
        if last - first + 1 > FUNCTION_LINES_MAX:
            size = last - first + 1
            yield f"{name(path)}:{first}: a function of {size} lines, at most {FUNCTION_LINES_MAX}"


def functions(lines, depth):
    """(first, last) line of each block at this depth that is not a type or a table."""
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
