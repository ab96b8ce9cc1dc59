"""Size budgets: a file has at most 600 lines, a function or method at most 60.

The budgets hold for tests and tools, too. A file of more than 400 lines gets a warning: perhaps it
tells two stories. In a phpt of more than 100 lines, expected output is far from the code that
prints it, so there every value has a name: "replies: [1,2]", as lab_show() prints it. Prints every
file and function over budget and exits with 1, or prints one line with the number of files.
"""

import ast
import re
import sys

from sources import code, files, name

FUNCTION_LINES_MAX = 60
FILE_LINES_WARNED = 400
FILE_LINES_MAX = 600
PHPT_LINES_NAMED = 100
PATTERNS = (
    "php-ext/**/*.c",
    "php-ext/**/*.h",
    "php-ext/**/*.php",
    "php-ext/**/*.inc",
    "php-ext/**/*.phpt",
    "bench/**/*.c",
    "bench/**/*.php",
    "java/*/src/**/*.java",
    "bench/**/*.java",
    "conformance/**/*.java",
    "**/*.py",
)

# The indentation at which functions may begin. A function ends at a brace with the same one.
DEPTHS = {".java": ("    ", "        "), ".php": ("", "    "), ".inc": ("", "    "), ".phpt": ("",)}
NOT_FUNCTIONS = re.compile(
    r"\s*(typedef\b|(struct|union)\b[^(]*$|(\w+ )*(class|interface|record|enum)\b|.*=\s*\{?$)"
)
PHP_FUNCTION = re.compile(r".*\bfunction &?\w+\(|\)")
# A line of an expectation that is only a value: of var_dump, print_r or json_encode.
VALUE = re.compile(
    r"\s*("
    r"(bool|int|float|string|array|object)\(|NULL|Array$|[(){}]$|string \"|\[[^]]*\]=?=>|\[.*\] =>"
    r"|[\[{\"]|-?\d+(\.\d+)?$|(true|false|null)\b[^:]*$)"
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
    return path.read_text().count("\n")


def beyond_budget(path):
    if line_count(path) > FILE_LINES_MAX:
        yield f"{name(path)}: {line_count(path)} lines, at most {FILE_LINES_MAX}"
    if path.suffix == ".phpt":
        yield from unnamed_values(path)
    for first, last in functions(path):
        if last - first + 1 > FUNCTION_LINES_MAX:
            size = last - first + 1
            yield f"{name(path)}:{first}: a function of {size} lines, at most {FUNCTION_LINES_MAX}"


def unnamed_values(path):
    lines = path.read_text().split("\n")
    if len(lines) > PHPT_LINES_NAMED:
        begin = next(n for n, line in enumerate(lines) if line.startswith("--EXPECT"))
        for number, line in enumerate(lines[begin:], start=begin + 1):
            if VALUE.match(line):
                yield f"{name(path)}:{number}: a value without a name in a long test"


def functions(path):
    """(first, last) line of each function."""
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield node.lineno, node.end_lineno
        return
    lines = code(path).split("\n")
    is_php = path.suffix in (".php", ".inc", ".phpt")
    for depth in DEPTHS.get(path.suffix, ("",)):
        yield from blocks(lines, depth, is_php_function if is_php else is_function)


def is_function(opening):
    return not NOT_FUNCTIONS.match(opening)


def is_php_function(opening):
    return PHP_FUNCTION.match(opening.strip())


def blocks(lines, depth, is_function):
    """(first, last) line of each function at this depth."""
    first = opening = None
    for number, line in enumerate(lines, start=1):
        at_depth = line.startswith(depth) and line[len(depth) : len(depth) + 1].strip() != ""
        if not at_depth:
            continue
        if re.match(r"\}", line[len(depth) :]) and first:
            yield first, number
            first = None
        elif line.rstrip().endswith("{"):
            opening = line if line.strip() != "{" else opening
            first = number if is_function(opening or "") else None
        else:
            opening = line  # PHP may have the brace on a line of its own.


if __name__ == "__main__":
    main()
