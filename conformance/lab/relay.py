"""A relay that does harm: relay.py PORT TO FILE [CERTIFICATE KEY].

It connects each client with the port TO of this host, and counts the bytes of both directions. The
count of each connection that ends becomes a line of FILE.passed. With a certificate the relay ends
TLS. Files say what happens, and need not be there:

    FILE.limit      a connection that has carried as many bytes as it said at first is reset
    FILE.meet       the name of a file and a number: a connection passes nothing on before as many
                    connections, of all relays with this file, have brought their first byte
    FILE.silent     whenever its time changes, what is open passes nothing on any more, and stays
                    open, as behind a load balancer that has lost its state; new ones are served
"""

import os
import selectors
import socket
import ssl
import struct
import sys
import threading
import time

PORT, TO, FILE = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
CHUNK_BYTES = 65536
RESET = struct.pack("ii", 1, 0)
LOOK_S = 0.005


def main():
    context = None
    if len(sys.argv) > 4:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[4], sys.argv[5])
    with socket.create_server(("127.0.0.1", PORT)) as server:
        while True:
            client, _ = server.accept()
            threading.Thread(target=serve, args=(client, context), daemon=True).start()


def serve(client, context):
    passed = 0
    try:
        if context:
            client = context.wrap_socket(client, server_side=True)
        meet(client)
        with client, socket.create_connection(("127.0.0.1", TO)) as node:
            passed = relay(client, node, limit())
    except OSError:
        client.close()
    with open(f"{FILE}.passed", "a", encoding="ascii") as file:
        file.write(f"{passed}\n")


def meet(client):
    if os.path.exists(f"{FILE}.meet") and client.recv(1, socket.MSG_PEEK):
        with open(f"{FILE}.meet", encoding="ascii") as file:
            meeting, count = file.read().rsplit(" ", 1)
        with open(meeting, "ab") as file:
            file.write(b".")
        while os.path.getsize(meeting) < int(count):
            time.sleep(0.002)


def limit():
    try:
        with open(f"{FILE}.limit", encoding="ascii") as file:
            return int(file.read() or sys.maxsize)
    except FileNotFoundError:
        return sys.maxsize


def silenced():
    """When connections were silenced; None if nobody ever silences them."""
    try:
        return os.stat(f"{FILE}.silent").st_mtime_ns
    except FileNotFoundError:
        return None


def relay(client, node, most):
    """Carries at most that many bytes, and returns how many."""
    passed, other, before = 0, {client: node, node: client}, silenced()
    with selectors.DefaultSelector() as selector:
        for end in other:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(end, selectors.EVENT_READ)
        while passed < most:
            ready = selector.select(None if before is None else LOOK_S)
            while before is not None and silenced() != before:
                time.sleep(3600)
            for key, _ in ready:
                data = key.fileobj.recv(min(CHUNK_BYTES, most - passed))
                if not data:
                    return passed
                other[key.fileobj].sendall(data)
                passed += len(data)
                if passed == most:
                    break
    for end in other:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    return passed


if __name__ == "__main__":
    main()
