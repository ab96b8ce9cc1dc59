"""The source files the checks look at, and their text with comments and strings blanked out.

Built files and files that say they are generated are left out: nobody reads those.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_SOURCES = {"build", "target", "generated", "include", "modules", ".libs"}

# Comments, text blocks, strings and characters of C and Java.
_NOT_CODE = re.compile(r"""/\*.*?\*/ | //[^\n]* | \"{3}(\\.|[^\\])*?\"{3} | "(\\.|[^"\\\n])*" | '(\\.|[^'\\\n])*'""",
                       re.DOTALL | re.VERBOSE)


def files(*patterns):
    """Source files below the root that match the patterns, in a stable order."""
    found = {path for pattern in patterns for path in ROOT.glob(pattern)}
    return sorted(path for path in found if path.is_file() and not is_built(path.relative_to(ROOT)))


def is_built(path):
    return bool(NOT_SOURCES & set(path.parts)) or path.name.endswith("_arginfo.h") \
        or path == pathlib.Path("php-ext/config.h")  # Written by ./configure; core/config.h is ours.


def code(path):
    """The text without comments and strings, lines kept in place."""
    return _NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), path.read_text())


def name(path):
    return str(path.relative_to(ROOT))
