"""A relay that does harm: it connects each client with a port of this host.

If it has a certificate and its key (two PEM files), clients speak TLS with it, and the port gets
plain text.
"""

import collections
import contextlib
import select
import socket
import sys
import threading
import time

from .node import RESET, tls_of
from .ports import free_port
from .process import Running

CHUNK_BYTES = 65536
LOOK_S = 0.001


class Meeting:
    """Keeps everyone who joins waiting until `count` have joined."""

    def __init__(self, count):
        self._missing, self._lock, self._is_whole = count, threading.Lock(), threading.Event()

    def join(self):
        with self._lock:
            self._missing -= 1
            if self._missing == 0:
                self._is_whole.set()
        self._is_whole.wait()


class Relay(Running):
    """A port that passes bytes on to another port until a test says otherwise."""

    def __init__(self, to, port=None, certificate=None, key=None):
        self.port = port or free_port()
        self.passed = []  # How many bytes each connection that has ended carried both ways.
        self.given = 0  # How many of the node's bytes the clients have got, all together.
        # A connection joins with its first byte, and passes nothing on until all have joined.
        self.meeting = None
        self._to, self._tls = to, tls_of(certificate, key)
        self._limit, self._silences = (None, False), 0
        self._allowed = None  # How many more bytes of the node clients may get; None: all.
        self._giving = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=128)
        threading.Thread(target=self._accept, daemon=True).start()

    def limit(self, count, of_node=False):
        """Connections that begin from now on are reset after `count` bytes; None: never.

        Bytes of both directions count, or only those of the node.
        """
        self._limit = (count, of_node)

    def silence(self):
        """Open connections stay open, but pass nothing on any more. New connections are served.

        A load balancer that has lost its state behaves like this.
        """
        self._silences += 1

    def hold(self, count):
        """Gives clients `count` more bytes, and keeps the rest until `release`."""
        with self._giving:
            self._allowed = count

    def release(self):
        self.hold(None)

    def inject(self, data):
        """Sends bytes that are not the node's to the client that connected last."""
        self._latest.sendall(data)

    def stop(self):
        """Accepts no more connections. Open ones stay open."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):  # It is stopped.
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        count, of_node = self._limit
        carried = collections.Counter()  # Bytes by their sender.
        try:
            if self._tls:
                client = self._tls.wrap_socket(client, server_side=True)
            if self.meeting and client.recv(1, socket.MSG_PEEK):
                self.meeting.join()
            with client, socket.create_connection(("127.0.0.1", self._to)) as node:
                self._latest = client
                counted = (node,) if of_node else (client, node)
                most = sys.maxsize if count is None else count
                self._relay(client, node, carried, lambda: most - sum(carried[s] for s in counted))
        except OSError:
            client.close()
        self.passed.append(carried.total())

    def _relay(self, client, node, carried, left):
        """Carries bytes until one side ends or none are left."""
        silences = self._silences
        for end in (client, node):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while left() > 0:
            is_held = self._allowed == 0
            ends = [client] if is_held else [client, node]
            ready, _, _ = select.select(ends, [], [], LOOK_S if is_held else None)
            while self._silences != silences:
                time.sleep(3600)
            for end in ready:
                size = min(CHUNK_BYTES, left())
                count = self._give(client, node, size) if end is node else carry(client, node, size)
                if count == 0 < size:
                    return
                carried[end] += count or 0
        for end in (client, node):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def _give(self, client, node, size):
        """Passes on what the client may get now. Returns how many bytes, or None if none may.

        The bytes are counted before the next request of the test can ask for the count.
        """
        with self._giving:
            if self._allowed is not None:
                size = min(size, self._allowed)
            if size == 0:
                return None
            count = carry(node, client, size)
            self.given += count
            if self._allowed is not None:
                self._allowed -= count
            return count


def carry(source, target, size):
    """Passes on at most `size` bytes, and returns how many."""
    data = source.recv(size)
    target.sendall(data)
    return len(data)
