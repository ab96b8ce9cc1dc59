"""What a node with engine ssdb is sent and how its answers are read: the reference, from ssdb.json.

Words and replies are text whose characters are bytes (latin-1). Spec: route.md, "SSDB".
"""

import fractions
import json
import pathlib
import re

PAGE = json.loads((pathlib.Path(__file__).resolve().parents[2] / "route/ssdb.json").read_text())
INT64 = 2**63
LENGTHS = ("key", "name", "field", "member")  # A wrong length is reported before anything else.
NUMBER = r"-?\d+(\.\d+)?([eE][+-]?\d+)?"


class Refused(Exception):
    """Nothing is sent. The text says why."""


# ---- Matching ----


def whole(low, high):
    def matches(word):
        return (
            re.fullmatch(r"-?(0|[1-9]\d*)", word, re.ASCII) is not None and low <= int(word) <= high
        )

    return matches


def number(word):
    return fractions.Fraction(word) if re.fullmatch(NUMBER, word, re.ASCII) else None


def is_score(word):
    found = number(word)
    return found is not None and found.denominator == 1 and -INT64 <= found < INT64


def is_bound(word):
    return word in ("-inf", "+inf") or number(word.removeprefix("(")) is not None


def short(word):
    return 1 <= len(word) <= 255


TYPES = {
    "key": short,
    "name": short,
    "field": short,
    "member": short,
    "value": lambda word: True,
    "any": lambda word: word.upper() not in ("MATCH", "COUNT", "TYPE"),
    "int": whole(-INT64, INT64 - 1),
    "score": is_score,
    "start": whole(0, INT64 - 1),
    "count": whole(1, 2**31 - 1),
    "ttl": whole(1, 2**31 - 1),
    "offset": whole(0, 2**30),
    "limit": whole(-1, 2**31 - 1),
    "bit": lambda word: word in ("0", "1"),
    "low": is_bound,
    "high": is_bound,
    "bottom": is_bound,
    "top": is_bound,
}
LOW, BOUNDS = ("low", "bottom"), ("low", "high", "bottom", "top")


def pieces(form):
    """Fixed and repeated pieces.

    "HSET name (field value)..." -> (["HSET", "name"], ["field", "value"])
    """
    fixed, _, tail = (
        form.partition("(")
        if "(" in form
        else form.rpartition(" ")
        if form.endswith("...")
        else (form, "", "")
    )
    return fixed.split(), tail.replace(")", "").replace("...", "").split()


def paired(form, words):
    """[(piece, word)], or None if there are too many or too few words, or wrong ones."""
    fixed, tail = pieces(form)
    rest = len(words) - len(fixed)
    if (rest % len(tail) or not rest) if tail else rest:
        return None
    pairs = list(zip(fixed + tail * (rest // len(tail) if tail else 0), words))
    return (
        pairs
        if all(not piece.isupper() or piece == word.upper() for piece, word in pairs)
        else None
    )


def fits(pairs):
    return all(piece.isupper() or TYPES[piece](word) for piece, word in pairs)


def find(words, is_raw=True):
    """The form that a command matches, or None."""
    for form in PAGE["commands"].get(words[0].lower(), []):
        pairs = paired(form["form"], words)
        if pairs and fits(pairs) and (is_raw or not form.get("raw")):
            return form
    return None


def reason(words):
    """Why a command that matches no form is refused."""
    name = words[0].lower()
    forms = [form["form"] for form in PAGE["commands"].get(name, [])]
    for pairs in filter(None, (paired(form, words) for form in forms)):
        for piece, word in pairs:
            if piece in LENGTHS and not TYPES[piece](word):
                return f"SSDB takes a {piece} of 1 to 255 bytes."
    if name in PAGE["refusals"]:
        return PAGE["refusals"][name]
    return f"SSDB can be sent {', or '.join(forms)}." if forms else "SSDB has no such command."


# ---- Translating ----


def bound(word, is_low):
    """The text sent for a bound: a number, "" for no bound, None if nothing can be inside."""
    infinite = {"-inf": -1, "+inf": 1}.get(word, 0)
    if not infinite:
        exact = number(word.removeprefix("("))
        rounded = (
            -(-exact.numerator // exact.denominator)
            if is_low
            else exact.numerator // exact.denominator
        )
        if word[0] == "(" and rounded == exact:
            rounded += 1 if is_low else -1
        if -INT64 <= rounded < INT64:
            return rounded
        infinite = 1 if rounded > 0 else -1
    return "" if infinite == (-1 if is_low else 1) else None


def sent(piece, word):
    if piece == "limit" and word == "-1":
        return "2000000000"
    if piece == "score":
        return str(int(number(word)))
    if piece in BOUNDS:
        found = bound(word, piece in LOW)
        return {"bottom": "-inf", "top": "+inf"}.get(piece, "") if found == "" else str(found)
    return word


def crossed(pairs):
    """True if no number can be between the bounds."""
    bounds = {piece in LOW: bound(word, piece in LOW) for piece, word in pairs if piece in BOUNDS}
    low, high = bounds.get(True, ""), bounds.get(False, "")
    return low is None or high is None or ("" not in (low, high) and low > high)


def translate(words, is_raw=False):
    """([commands to send], the form that reads their replies). Raises Refused."""
    if words[0].lower() in PAGE["own"] and "state" not in PAGE["own"][words[0].lower()]:
        return [words], {}
    form = find(words, is_raw)
    if form is None:
        raise Refused(PAGE["own"].get(words[0].lower(), {}).get("reason") or reason(words))
    pairs = paired(form["form"], words)
    if crossed(pairs):
        return [], form
    fixed, _tail = pieces(form["form"])
    values = [sent(piece, word) for piece, word in pairs]
    if "send_each" in form:
        return [
            [each.split(" ")[0], key] for key in values[len(fixed) :] for each in form["send_each"]
        ], form
    if "send" in form:
        name, *rest = pieces(form["send"][0])[0]
        return [
            [name, *(values[fixed.index(piece)] for piece in rest), *values[len(fixed) :]]
        ], form
    return [values], form


# ---- Replies ----


def replies(text):
    """The replies in a stream, each as its own text."""
    at, found = 0, []
    while at < len(text):
        end = after(text, at)
        found.append(text[at:end])
        at = end
    return found


def after(text, at):
    line = text.index("\r\n", at) + 2
    if text[at] == "$":
        return line if text[at + 1] == "-" else line + int(text[at + 1 : line]) + 2
    for _ in range(int(text[at + 1 : line]) if text[at] == "*" else 0):
        line = after(text, line)
    return line


def count(reply):
    """The number in ":3" or in a list of one; None for other replies. An empty list is 0."""
    found = re.fullmatch(r":(-?\d+)\r\n|\*1\r\n\$\d+\r\n(-?\d+)\r\n|\*0\r\n", reply)
    return int(found[1] or found[2] or 0) if found else None


def shaped(form, stream):
    """What the caller reads; None if the node's replies do not fit the form."""
    if form.get("reply") == "count_any":
        return counted(form, replies(stream))
    if not stream:
        return {"number": ":0\r\n", "list": "*0\r\n"}[form["empty"]]
    if stream[0] == "-" or "reply" not in form:
        return stream
    if form["reply"] == "number":
        return None if count(stream) is None or stream == "*0\r\n" else f":{count(stream)}\r\n"
    if form["reply"] == "ok_or_nil":
        return {":1\r\n": "+OK\r\n", ":0\r\n": "$-1\r\n"}.get(stream)
    return "*-1\r\n" if stream in ("*0\r\n", "$-1\r\n") else stream if stream[0] == "*" else None


def counted(form, found):
    errors = [reply for reply in found if reply[0] == "-"]
    if errors:
        return errors[0]
    counts, total = [each.split(" ")[0] != "DEL" for each in form["send_each"]], 0
    for at in range(0, len(found), len(counts)):
        numbers = [count(reply) for reply in found[at : at + len(counts)]]
        if None in numbers:
            return None
        total += any(number > 0 for number, says in zip(numbers, counts) if says)
    return f":{total}\r\n"
