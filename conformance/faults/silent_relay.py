"""A relay that can forget: what it carries goes silent for ever, new connections are served.

    python3 conformance/faults/silent_relay.py PORT TO FILE

That is what a load balancer does that has lost its state. Whenever the time of FILE changes, every
connection that is open at that moment passes nothing on any more, and stays open.
"""

import os
import selectors
import socket
import sys

PORT, TO, FILE = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
LOOK_S = 0.005


def main():
    selector, peers, changed = selectors.DefaultSelector(), {}, os.stat(FILE).st_mtime_ns
    listener = socket.create_server(("127.0.0.1", PORT), backlog=1000)
    selector.register(listener, selectors.EVENT_READ)
    while True:
        ready = selector.select(LOOK_S)
        if os.stat(FILE).st_mtime_ns != changed:
            changed = os.stat(FILE).st_mtime_ns
            for one in peers:
                selector.unregister(one)
            silent, peers = peers, {}  # Kept, so that they stay open.
            KEPT.append(silent)
            continue
        for key, _ in ready:
            if key.fileobj is listener:
                accept(listener, selector, peers)
            elif key.fileobj in peers:
                carry(key.fileobj, selector, peers)


KEPT = []


def accept(listener, selector, peers):
    near, _ = listener.accept()
    far = socket.create_connection(("127.0.0.1", TO))
    for one, other in ((near, far), (far, near)):
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(one, selectors.EVENT_READ)
        peers[one] = other


def carry(one, selector, peers):
    other = peers[one]
    try:
        received = one.recv(65536)
        if received:
            other.sendall(received)
            return
    except OSError:
        pass
    for each in (one, other):
        selector.unregister(each)
        del peers[each]
        each.close()


if __name__ == "__main__":
    main()
