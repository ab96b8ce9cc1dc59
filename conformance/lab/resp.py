"""A blocking RESP2 connection for the lab's own use: fill a node, query it, configure it.

It is deliberately independent of phpredis, Jedis and OneHop, so that the lab's findings are a
second opinion. Arguments may be str, bytes or int. Replies are bytes, int, None or lists; error
replies are `ReplyError`.
"""

import socket


class ReplyError(Exception):
    """An error reply. A pipeline returns it in place of the reply; a single command raises it."""


class Connection:
    def __init__(self, address, *, seconds=30.0, password=None):
        """`address` is a (host, port) pair or the path of a unix socket."""
        if isinstance(address, str):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(seconds)
            self.socket.connect(address)
        else:
            self.socket = socket.create_connection(address, timeout=seconds)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        if password is not None:
            self.command("AUTH", password)

    def command(self, *arguments):
        """Sends one command and returns its reply, or raises the ReplyError."""
        (reply,) = self.pipeline([arguments])
        if isinstance(reply, ReplyError):
            raise reply
        return reply

    def pipeline(self, commands, window=1000):
        """Sends many commands, a window at a time, and returns their replies in order."""
        replies = []
        for start in range(0, len(commands), window):
            part = commands[start : start + window]
            self.socket.sendall(b"".join(map(encode, part)))
            replies += [self._read_reply() for _ in part]
        return replies

    def close(self):
        self.stream.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read_reply(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        kind, text = line[:1], line[1:-2]
        if kind == b"+":
            return text
        if kind == b"-":
            return ReplyError(text.decode(errors="replace"))
        if kind == b":":
            return int(text)
        if kind == b"$":
            return None if text == b"-1" else self._read_bytes(int(text))
        if kind == b"*":
            return None if text == b"-1" else [self._read_reply() for _ in range(int(text))]
        raise ConnectionError(f"not a RESP2 reply: {line!r}")

    def _read_bytes(self, length):
        data = self.stream.read(length + 2)
        if len(data) != length + 2:
            raise ConnectionError("the server closed the connection inside a reply")
        return data[:-2]


def connect(address, *, namespace=None, **options):
    """A Connection opened inside a network namespace, or here; it may be used anywhere."""
    if namespace is None:
        return Connection(address, **options)
    with namespace.entered():
        return Connection(address, **options)


def encode(arguments):
    """One command as a RESP array of bulk strings."""
    parts = [value if isinstance(value, bytes) else str(value).encode() for value in arguments]
    return b"*%d\r\n" % len(parts) + b"".join(
        b"$%d\r\n%s\r\n" % (len(part), part) for part in parts
    )
