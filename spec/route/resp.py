"""RESP2 over one socket, only what the programs of this room need to ask a server questions.

In: words (text or bytes). Out: replies as Python values, text decoded byte for byte (latin-1), errors as Refused.
It promises nothing about speed or broken servers: it is a tool of the maintainers, not a client.
"""
import shutil
import socket
import subprocess
import tempfile
import time


class Refused(Exception):
    """The server's own error reply."""


class Server:
    """One connection. ask() raises Refused, tell() returns it, so that a list of replies can hold errors too."""

    def __init__(self, host, port, seconds=10.0):
        self.socket = socket.create_connection((host, port), timeout=seconds)
        self.stream = self.socket.makefile("rb")

    def send(self, *words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode("latin-1")
            parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
        self.socket.sendall(b"".join(parts))

    def read(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("The server closed the connection.")
        kind, rest = line[:1], line[1:-2].decode("latin-1")
        if kind == b"+":
            return rest
        if kind == b"-":
            return Refused(rest)
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == "-1" else self.stream.read(int(rest) + 2)[:-2].decode("latin-1")
        if kind == b"*":
            return None if rest == "-1" else [self.read() for _ in range(int(rest))]
        raise ValueError(f"Not a reply: {line!r}.")

    def tell(self, *words):
        self.send(*words)
        return self.read()

    def ask(self, *words):
        reply = self.tell(*words)
        if isinstance(reply, Refused):
            raise reply
        return reply

    def close(self):
        self.stream.close()
        self.socket.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Started:
    """A server process of our own on loopback, stopped by its pid when the block ends, whatever happens."""

    def __init__(self, program, *options):
        self.port = free_port()
        self.directory = tempfile.mkdtemp(prefix="route-")
        self.command = ["setpriv", "--pdeathsig", "KILL", *program, "--port", str(self.port), "--bind", "127.0.0.1",
                        "--save", "", "--appendonly", "no", "--logfile", "/dev/null", "--dir", self.directory, *options]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        for _ in range(200):
            try:
                server = Server("127.0.0.1", self.port)
                server.ask("PING")
                return server
            except (OSError, EOFError, Refused):
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        self.__exit__()
        raise RuntimeError(f"The server did not start: {self.command}.")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.directory)
