"""The connection and the servers of conformance/lab, as the programs of spec/tools need them.

In: words (text or bytes). Out: replies as Python values, with text decoded byte by byte (latin-1)
and errors as Refused.
"""

import pathlib
import signal
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "conformance"))

from lab.ports import free_port
from lab.process import Process
from lab.resp import Connection
from lab.resp import ReplyError as Refused


class Server(Connection):
    """One connection. ask() raises Refused; reply_to() returns errors: lists can have some."""

    def __init__(self, host, port, seconds=10.0):
        super().__init__((host, port), seconds=seconds)

    def reply_to(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode("latin-1") for word in words]
        return text(self.pipeline([words])[0])

    def ask(self, *words):
        reply = self.reply_to(*words)
        if isinstance(reply, Refused):
            raise reply
        return reply


def text(reply):
    if isinstance(reply, list):
        return [text(element) for element in reply]
    return reply.decode("latin-1") if isinstance(reply, bytes) else reply


class Started:
    """Any server program, started on a loopback port; the block gets a connection to it."""

    def __init__(self, program, *options):
        self.port = free_port()
        self.command = [
            *program,
            "--port",
            self.port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            *options,
        ]

    def __enter__(self):
        self.process = Process(self.command, name="route", stop_signal=signal.SIGKILL)
        self.process.wait_until(self._answers, what="answer")
        self.server = Server("127.0.0.1", self.port)
        return self.server

    def __exit__(self, *_):
        self.server.close()
        self.process.stop()

    def _answers(self):
        try:
            with Server("127.0.0.1", self.port) as server:
                return server.ask("PING") == "PONG"
        except (OSError, Refused):
            return False
