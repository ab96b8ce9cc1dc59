"""A node that closes each connection within two milliseconds of its one reply: closer.py PORT LOG.

It closes its half. Within one host the other side knows that when shutdown() returns. A line of the
log for each connection says at which nanosecond of CLOCK_MONOTONIC this was, and how many bytes
came after the reply: no call that began later may have sent any.
"""

import contextlib
import random
import socket
import sys
import time


def serve(connection):
    """Returns when the close had arrived."""
    request = connection.recv(4096)
    reply = b"$5\r\nvalue\r\n" if b"GET" in request else b"+OK\r\n"
    connection.sendall(b"+OK\r\n" * request.count(b"CLIENT") + reply)
    end = time.monotonic_ns() + random.randrange(2_000_000)
    while time.monotonic_ns() < end:
        pass
    with contextlib.suppress(OSError):  # The client may have closed it before.
        connection.shutdown(socket.SHUT_WR)
    return time.monotonic_ns()


def late(connection):
    """How many bytes of a second command have come; 0 if the client has closed, too."""
    try:
        return len(connection.recv(4096))
    except ConnectionError:
        return 0


def main(port, log):
    server = socket.create_server(("127.0.0.1", int(port)))
    server.accept()[0].close()  # The lab's own, which waits for the node.
    with open(log, "w", buffering=1) as lines:
        while True:
            with server.accept()[0] as connection:
                lines.write(f"{serve(connection)} {late(connection)}\n")


main(*sys.argv[1:])
