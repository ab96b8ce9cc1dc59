"""Chapter config: the directives of spec/directives.json, and what the value of each may be."""

import json

from .config_servers import digits, is_port
from .config_text import shown
from .limits import LIMITS, SPEC


def number(text, row, _before):
    if not digits(text):
        raise ValueError("is not a number")
    number = int(text.lstrip("0")[:11] or "0")
    if number > LIMITS["number_max"]:
        raise ValueError(f"is larger than {LIMITS['number_max']}")
    least, most = row.get("least", 0), LIMITS.get(row.get("most"), LIMITS["number_max"])
    if not least <= number <= most:
        raise ValueError(f"is not {least} to {most}" if "most" in row else "is 0")
    return number


def word(text, row, _before):
    if text not in words(row):
        *first, last = [f'"{each}"' for each in words(row)]
        raise ValueError(
            f"is not a valid {row['type']}"
            if row["type"] in ("hash", "distribution")
            else f"is not {', '.join(first)} or {last}"
        )
    return text == "true" if row["type"] == "boolean" else text


def hash_tag(text, _row, _before):
    if len(text.encode()) != 2:
        raise ValueError("is not two bytes")
    return text


def free_text(text, row, _before):
    for limit in ("text_bytes_max", row.get("most", "text_bytes_max")):
        if len(text.encode()) > LIMITS[limit]:
            raise ValueError(f"is longer than {LIMITS[limit]} bytes")
    return text


def path(text, row, before):
    if not text.startswith("/"):
        raise ValueError("is not an absolute path")
    return free_text(text, row, before)


def name(text, row, before):
    if not all("!" <= letter <= "~" for letter in text):
        raise ValueError("has a blank, or a byte that is not printable ASCII")
    return free_text(text, row, before)


def mode_is_valid(text):
    sign = text[:1] if text[:1] in ("+", "-") else ""
    rest = text[len(sign) :]
    octal = rest[: len(rest) - len(rest.lstrip("01234567"))].lstrip("0")
    return not octal or (sign != "-" and len(octal) <= 3)


def listen(text, _row, listening):
    if text.startswith("/"):
        path, space, mode = text.rpartition(" ")
        if len((path if space else text).encode()) > LIMITS["unix_path_bytes_max"]:
            raise ValueError(f"has a path longer than {LIMITS['unix_path_bytes_max']} bytes")
        if space and not mode_is_valid(mode):
            raise ValueError("has an invalid mode")
    else:
        host, _, port = text.rpartition(":")
        if not host:
            raise ValueError('is not "host:port" or "/path mode"')
        if not is_port(port):
            raise ValueError("has an invalid port")
    for other, pool in listening:
        if other == text:
            raise ValueError(f'is the same as in server pool "{shown(pool)}"')
    return text


PAGE = json.loads((SPEC / "directives.json").read_text())
ROWS = {row["name"]: row for row in PAGE["directives"]}
READERS = {
    "number": number,
    "text": free_text,
    "path": path,
    "name": name,
    "listen": listen,
    "tag": hash_tag,
} | {kind: word for kind, of in PAGE["types"].items() if "words" in of}


def read_value(text, row, listening):
    """What the text of a value means, or ValueError."""
    return READERS[row["type"]](text, row, listening)


def default(row):
    """The value of an absent directive; None if it has none."""
    return LIMITS.get(row.get("default"), row.get("default"))


def words(row):
    return PAGE["types"][row["type"]].get("words")
