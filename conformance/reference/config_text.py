"""Chapter config: what a text may consist of, and how errors show it."""

import re

from .limits import LIMITS


class Rejected(Exception):
    """A configuration with errors: the first of them as [line, reason], and how many more."""

    def __init__(self, errors, more=0):
        self.errors, self.more = errors, more
        self.line, self.reason = errors[0]


def allowed(code):
    return (
        code in (9, 10, 13)
        or 0x20 <= code <= 0x7E
        or (0xA0 <= code <= 0xD7FF and code not in (0x2028, 0x2029))
        or (0xE000 <= code <= 0xFFFD and code != 0xFEFF)
        or 0x10000 <= code <= 0x10FFFF
    )


def shown(name):
    data = name.encode()
    cut = data[: LIMITS["shown_bytes_max"]]
    text = "".join(chr(b) if 0x20 <= b <= 0x7E and b not in b'"\\' else f"\\x{b:02x}" for b in cut)
    return text + ("..." if len(data) > len(cut) else "")


def about(value):
    """The end of a reason: the value, unless it may contain a password, as URLs do."""
    is_url = any(part in value for part in ("@", "?", "=", "auth"))
    return "" if is_url else f': "{shown(value)}"'


def distance(a, b):
    """The distance of two words, by optimal string alignment."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = a[i - 1] != b[j - 1]
            steps = [rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + cost]
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                steps.append(rows[i - 2][j - 2] + 1)
            row.append(min(steps))
        rows.append(row)
    return rows[-1][-1]


# Words of other clients and servers, with ours.
OTHERS = {
    **dict.fromkeys(("host", "hosts", "port", "nodes", "seeds"), "servers"),
    **dict.fromkeys(("password", "auth"), "redis_auth"),
    "user": "username",
    "db": "database",
    **dict.fromkeys(("read_timeout", "connect_timeout"), "timeout"),
    **dict.fromkeys(("valkey", "keydb", "dragonfly", "kvrocks"), "redis"),
    **dict.fromkeys(("yes", "on"), "true"),
    **dict.fromkeys(("no", "off"), "false"),
}


def suggestion(word, words):
    """The end of a reason: the word of the list that was probably meant."""
    word = word.encode()
    if len(word) > LIMITS["shown_bytes_max"]:
        return ""
    other = OTHERS.get(word.lower().decode())
    if other in words:
        return f' (did you mean "{other}"?)'
    steps, nearest = min((distance(word.lower(), other.encode()), other) for other in words)
    return f' (did you mean "{nearest}"?)' if steps <= (1 if len(word) < 5 else 2) else ""


def checked_text(data):
    """Section 2: the text without its byte order mark, or the first offence in it."""
    if len(data) > LIMITS["config_bytes_max"]:
        raise Rejected([(1, f"the file is larger than {LIMITS['config_bytes_max']} bytes")])
    broken = None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        text, broken = data[: error.start].decode(), "the text is not valid UTF-8"
    text = text.removeprefix("\ufeff")
    line, indenting, previous = 1, True, ""
    for character in text:
        if not allowed(ord(character)):
            raise Rejected([(line, f"character U+{ord(character):04X} is not allowed")])
        if character == "\t" and indenting:
            raise Rejected([(line, "a TAB stands where only spaces may indent")])
        indenting = character in "\r\n" or (indenting and character == " ")
        line += character == "\r" or (character == "\n" and previous != "\r")
        previous = character
    if broken:
        raise Rejected([(line, broken)])
    return text


VARIABLE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]{0,254})\}|\$\{")


def expanded(text, environment):
    """Section 8: the text with its variables replaced, or ValueError."""
    result, at = "", 0

    def checked(value):
        if len(value.encode()) > LIMITS["text_bytes_max"]:
            raise ValueError(f"is longer than {LIMITS['text_bytes_max']} bytes")
        return value

    for found in VARIABLE.finditer(text):
        result += text[at : found.start()]
        at, name = found.end(), found[1]
        if found[0] == "$${":
            result += "${"
        elif name is None:
            raise ValueError('has a "${" without a name and "}"; "$${" writes "${"')
        else:
            needs = f'needs the environment variable "{shown(name)}", which'
            value = environment.get(name, "")
            if not value:
                raise ValueError(f"{needs} is not set")
            if not all(c >= " " and c != "\ufffd" and allowed(ord(c)) for c in value):
                raise ValueError(f"{needs} has a character that is not allowed")
            result = checked(result + value)
    return checked(result + text[at:]) if VARIABLE.search(text) else text


def has_variables(text, is_own):
    return is_own and any(found[1] for found in VARIABLE.finditer(text))
