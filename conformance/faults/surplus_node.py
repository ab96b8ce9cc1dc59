"""A node that answers every command and sometimes sends one more reply, 0 to 20 ms later.

    python3 conformance/faults/surplus_node.py LEDGER [--port PORT] [--share 0.2] [--late 20]

It prints its port and serves until it is ended. Its replies are numbered from 0 over all
connections: the reply to a command is "KEY NUMBER", a surplus reply is "surplus NUMBER".

LEDGER has, for each reply in the order of the numbers, two little-endian integers of 8 bytes: when
the kernel had taken the reply, in nanoseconds of CLOCK_MONOTONIC (hrtime(true) in PHP,
System.nanoTime() in Java), and 1 for a surplus reply, else 0. On the loopback device a reply
arrives at that moment. So a client that gets a value of another key looks up its number: if it was
sent before the client's call began, the client should have noticed it.
"""

import argparse
import heapq
import random
import selectors
import socket
import struct
import time


class Node:
    def __init__(self, port, ledger, share, late_ms):
        self.ledger = open(ledger, "wb", buffering=0)  # noqa: SIM115 (open until the end)
        self.share = share
        self.late_ns = late_ms * 1e6
        self.numbers, self.due, self.unread = 0, [], {}
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=1000)
        self.selector.register(self.listener, selectors.EVENT_READ)

    def serve(self):
        while True:
            left = (self.due[0][0] - time.monotonic_ns()) / 1e9 if self.due else None
            for key, _ in self.selector.select(None if left is None else max(0, left)):
                self._accept() if key.fileobj is self.listener else self._answer(key.fileobj)
            while self.due and self.due[0][0] <= time.monotonic_ns():
                _, _, connection = heapq.heappop(self.due)
                if connection in self.unread:
                    self._send(connection, b"surplus")

    def _accept(self):
        connection, _ = self.listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread[connection] = b""
        self.selector.register(connection, selectors.EVENT_READ)

    def _answer(self, connection):
        try:
            more = connection.recv(65536)
        except OSError:
            more = b""
        if not more:
            self._drop(connection)
            return
        words, self.unread[connection] = parse(self.unread[connection] + more)
        for command in words:
            if command[0] == b"CLIENT":  # An introduction.
                connection.send(b"+OK\r\n")
                continue
            is_sent = self._send(connection, command[1] if len(command) > 1 else command[0])
            if is_sent and random.random() < self.share:
                due = time.monotonic_ns() + int(random.random() * self.late_ns)
                heapq.heappush(self.due, (due, self.numbers, connection))

    def _send(self, connection, text):
        value = b"%s %d" % (text, self.numbers)
        try:
            connection.send(b"$%d\r\n%s\r\n" % (len(value), value))
        except OSError:
            self._drop(connection)
            return False
        self.ledger.write(struct.pack("<qq", time.monotonic_ns(), text == b"surplus"))
        self.numbers += 1
        return True

    def _drop(self, connection):
        if self.unread.pop(connection, None) is not None:
            self.selector.unregister(connection)
            connection.close()


def parse(text):
    """([words of a command, ...], the unread rest). Small commands only."""
    commands = []
    while text.startswith(b"*") and b"\r\n" in text:
        parts = text.split(b"\r\n")
        count = int(parts[0][1:])
        if len(parts) < 2 + 2 * count:
            break
        commands.append(parts[2 : 2 + 2 * count : 2])
        text = b"\r\n".join(parts[1 + 2 * count :])
    return commands, text


def main():
    parser = argparse.ArgumentParser(description="A node that sends surplus replies.")
    parser.add_argument("ledger", help="the file that records every reply")
    parser.add_argument("--port", type=int, default=0, help="default: a free one, which is printed")
    parser.add_argument(
        "--share", type=float, default=0.2, help="fraction of replies followed by a surplus one"
    )
    parser.add_argument(
        "--late", type=float, default=20, metavar="MS", help="longest delay of a surplus reply"
    )
    options = parser.parse_args()
    node = Node(options.port, options.ledger, options.share, options.late)
    print(node.listener.getsockname()[1], flush=True)
    node.serve()


if __name__ == "__main__":
    main()
