"""A scripted node: it reads real commands, and answers what and when its script says.

A script is Python, or a function with one argument, a Talk. It runs once for each connection, in a
thread of its own. When the script ends, its connection is closed. A script also ends if it reads
and the client is gone. All public names of Talk are its words:

    for words in commands():                   command()
        if words[0] == "PING":                 value("late")
            reply("+PONG")                     wait("go on")
        else:                                  reply("*1", ":60")
            value("value of " + words[1])      reset()

A test tells a node a word, which `wait` waits for. A node tells a test a word by `tell`. The
test gives the node attributes of `test`, and may change them at any time. All connections of a node
share these attributes.

Text is UTF-8. Other bytes survive, too: if a node sends back what it got, they are unchanged.
"""

import contextlib
import os
import random
import re
import signal
import socket
import struct
import sys
import textwrap
import threading
import time
import traceback
import types

from .ports import free_port
from .process import LabError, Running

RESET = struct.pack("ii", 1, 0)
MODULES = {module.__name__: module for module in (os, random, re, signal, socket, time)}
PATIENCE_S = 60  # After that a script ends, even if its test has failed.


def encode(text):
    return text if isinstance(text, bytes) else str(text).encode(errors="surrogateescape")


def bulk(text):
    """A bulk string."""
    text = encode(text)
    return b"$%d\r\n%s\r\n" % (len(text), text)


def listed(words):
    """A list of bulk strings; bytes are elements of any type."""
    parts = [word if isinstance(word, bytes) else bulk(word) for word in words]
    return b"*%d\r\n%s" % (len(parts), b"".join(parts))


class Over(Exception):
    """The connection has ended."""


class Talk:
    """One connection, as the script sees it."""

    def __init__(self, node, connection, number):
        self.number, self.port, self.test = number, node.port, node.test
        self._node, self._socket = node, connection
        self._stream = connection.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()

    # ---- Reading ----

    def command(self):
        """The words of the next command. CLIENT SETNAME and SETINFO are answered here."""
        while True:
            words = self.any_command()
            if words[0] != "CLIENT" or not words[1].startswith("SET"):
                self._node.commands.append((self.number, words))
                return words
            self.reply("+OK")

    def commands(self):
        """All commands, until the client is gone."""
        while True:
            yield self.command()

    def any_command(self):
        """The next command, CLIENT SETNAME and SETINFO included."""
        count = int(self._line()[1:])
        return [self._word().decode(errors="surrogateescape") for _ in range(count)]

    def receive(self):
        """Bytes that have come; none if the client has ended."""
        return self._stream.read1(1 << 20)

    def peek(self):
        """Waits until more bytes have come, and does not read them."""
        self._stream.peek(1)

    def await_close(self):
        """Waits until the client is gone; returns how many bytes have come until then."""
        count = 0
        with contextlib.suppress(ConnectionError):  # A reset is an end, too.
            while data := self.receive():
                count += len(data)
        return count

    def _line(self):
        line = self._stream.readline()
        if not line.endswith(b"\r\n"):
            raise Over
        return line

    def _word(self):
        length = int(self._line()[1:])
        word = self._stream.read(length + 2)
        if len(word) < length + 2:
            raise Over
        return word[:-2]

    # ---- What the node does ----

    def send(self, *parts):
        """Sends bytes as they are. A client that is gone does not get them."""
        with contextlib.suppress(OSError):
            self.give(*parts)

    def give(self, *parts):
        """Like send(), but fails if the client is gone."""
        self._socket.sendall(b"".join(map(encode, parts)))

    def reply(self, *lines):
        """Sends lines."""
        self.send(*(encode(line) + b"\r\n" for line in lines))

    def value(self, text):
        """Sends a bulk string."""
        self.send(bulk(text))

    def handshake(self):
        """Answers the PING with which a connection of Java begins."""
        self.command()
        self.reply("+PONG")

    def serve(self):
        """Answers each command with a value that names its key."""
        for words in self.commands():
            self.value(f"value of {words[1] if len(words) > 1 else ''}")

    def drip(self, text, pause_ms):
        """Sends single bytes with a pause between them."""
        for byte in encode(text):
            self.send(bytes([byte]))
            time.sleep(pause_ms / 1000)

    def buffer(self, size):
        """Lets the kernel keep few bytes in both directions."""
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            self._socket.setsockopt(socket.SOL_SOCKET, option, size)

    def end(self):
        """Ends the node's half of the connection. On one host the client has that end at once."""
        with contextlib.suppress(OSError):  # The client has closed it.
            self._socket.shutdown(socket.SHUT_WR)

    def close(self):
        """Ends the script, and so the connection."""
        raise Over

    def reset(self):
        """Closes so that the client sees a reset."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        raise Over

    def refuse(self):
        """The node accepts no more connections."""
        self._node.refuse()

    # ---- Between the test, the script and other connections ----

    def wait(self, word):
        """Waits until the test has told this word."""
        self.until(lambda: word in self._node.heard)

    def tell(self, word):
        """Tells the test a word."""
        self._node.told.append(word)

    def first(self, what):
        """True only the first time that a connection of the node asks for `what`."""
        return self._node.first(what)

    def until(self, condition):
        """Waits until the condition holds."""
        for _ in range(PATIENCE_S * 1000):
            if condition():
                return
            time.sleep(0.001)
        raise LabError("the condition of a script never held")

    encode, bulk, listed = staticmethod(encode), staticmethod(bulk), staticmethod(listed)

    def words(self):
        """The names that a script knows."""
        own = {name: getattr(self, name) for name in dir(self) if not name.startswith("_")}
        return {**MODULES, **own}


class ScriptedNode(Running):
    """A node on a free port of this host. `values` become attributes of `test`.

    If it has a certificate and its key (two PEM files), it speaks TLS.
    """

    def __init__(self, script, values=None, test=None, certificate=None, key=None):
        self.port = free_port()
        self.commands = []  # (number of the connection, words), in the order in which they came.
        self.connections = 0
        self.heard, self.told = set(), []
        self.test = test or types.SimpleNamespace()
        vars(self.test).update(values or {})
        self._script = script if callable(script) else as_function(script, self.port)
        self._tls = tls_of(certificate, key)
        self._known, self._lock = set(), threading.Lock()
        self._open = set()
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=128)
        self._run(self._accept)

    def first(self, what):
        with self._lock:
            is_first = what not in self._known
            self._known.add(what)
            return is_first

    def refuse(self):
        with contextlib.suppress(OSError):  # It refuses them already.
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def stop(self):
        """Refuses connections and closes all that are open."""
        self.refuse()
        for connection in list(self._open):
            with contextlib.suppress(OSError):  # Its script has closed it.
                connection.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _run(function, *arguments):
        threading.Thread(target=function, args=arguments, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):  # The listener is closed.
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._run(self._talk, connection, self.connections)

    def _talk(self, connection, number):
        self._open.add(connection)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with Talk(self, connection, number) as talk:
                self._script(talk)
        except (Over, OSError):
            pass
        except Exception:
            traceback.print_exc(file=sys.stderr)
        finally:
            connection.close()
            self._open.discard(connection)


def tls_of(certificate, key):
    """The TLS settings of a server with this certificate; None without one."""
    if certificate is None:
        return None
    import ssl  # Loading it takes longer than all the rest of the lab.

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def as_function(text, port):
    """The function of a script that is text."""
    code = compile(textwrap.dedent(text), f"<script of node {port}>", "exec")

    return lambda talk: exec(code, talk.words())
