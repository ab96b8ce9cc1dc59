"""Chapter wire: where replies end."""

from .limits import LIMITS


class Broken(Exception):
    """The stream of replies is wrong from this byte on."""


class Framing:
    """One connection after `commands` commands were written; reads the replies byte by byte."""

    def __init__(self, commands, is_subscribed=False):
        self.commands, self.answered, self.inside, self.error = commands, 0, False, None
        self.is_subscribed, self.messages = is_subscribed, 0
        self.reader = self.replies()
        next(self.reader)

    def read(self, data):
        for byte in data:
            if self.error is None:
                try:
                    self.reader.send(bytes([byte]))
                except Broken as error:
                    self.error = str(error)

    @property
    def owed(self):
        return self.commands - self.answered

    @property
    def is_clean(self):
        return not (self.owed or self.inside or self.error or self.is_subscribed)

    def replies(self):
        while True:
            self.inside = False
            first = yield
            if not self.owed and first != b">" and not self.is_subscribed:
                raise Broken("a reply that was not asked for")
            self.inside = True
            last = yield from self.value(first, 0)
            is_answer = last != b">" and self.owed > 0
            self.answered += is_answer
            self.messages += not is_answer

    def value(self, first, depth):
        """Reads one value and returns its type; for an attribute the type of the value after it."""
        if first in (b"+", b"-", b":", b"_", b"#", b",", b"("):
            yield from self.line()
            return first
        if first not in (b"$", b"!", b"=", b"*", b"~", b"%", b">", b"|"):
            raise Broken("a byte that cannot begin a reply")
        length = yield from self.length(first)
        if first in (b"$", b"!", b"="):
            yield from self.bulk(length)
            return first
        if length > 0 and depth == LIMITS["wire_depth_max"]:
            raise Broken("a reply nested too deep")
        for _ in range(length * (2 if first in (b"%", b"|") else 1)):
            yield from self.element(depth + 1)
        return (yield from self.element(depth)) if first == b"|" else first

    def element(self, depth):
        first = yield
        return (yield from self.value(first, depth))

    def line(self):
        length = 0
        while (byte := (yield)) != b"\r":
            length += 1
            if byte == b"\n" or length > LIMITS["wire_line_bytes_max"]:
                raise Broken("a line without CR LF, or beyond the limit")
        yield from self.expect(b"\n")

    def length(self, first):
        """Decimal digits without leading zeros; `-1` where a null is allowed."""
        most = LIMITS["wire_bulk_bytes_max" if first in (b"$", b"!", b"=") else "wire_elements_max"]
        text = b""
        while (byte := (yield)) != b"\r":
            text += byte
            is_null = first in (b"$", b"*") and b"-1".startswith(text)
            is_number = (
                text.isdigit() and (text == b"0" or not text.startswith(b"0")) and int(text) <= most
            )
            if not is_null and not is_number:
                raise Broken("a length that is not a number, or beyond the limit")
        if text in (b"", b"-"):
            raise Broken("a length that is not a number")
        yield from self.expect(b"\n")
        return int(text)

    def bulk(self, length):
        if length >= 0:
            for _ in range(length):
                yield
            yield from self.expect(b"\r\n")

    def expect(self, wanted):
        for byte in wanted:
            if (yield) != bytes([byte]):
                raise Broken("CR LF is missing")
