#!/usr/bin/python3
"""The live judge: every answer is observed on a real nutcracker, started for the question.

Placement becomes visible through servers that answer each GET with their own number. They listen on
unix sockets in a scratch directory. nutcracker gets them under the server names of the pool in
question, and its placement depends on nothing but names. What cannot be observed from outside is
answered with an error, never computed.

In: requests of conformance/protocol.md. That page also says how each operation is observed. Nothing
started here outlives this program.
"""

import json
import os
import selectors
import socket
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import reference  # noqa: E402  Reads the configurations we are asked about; it places nothing here.
from lab.nutcracker import Nutcracker, check  # noqa: E402
from lab.process import LabError  # noqa: E402
from lab.resp import ReplyError  # noqa: E402

# Their product exceeds 2^32, so the five remainders determine a hash.
PRIMES = (83, 89, 97, 101, 103)
KEY_BYTES_MAX = 1 << 20
MBUF_BYTES_DEFAULT = 16384
FOREVER_MS = 3_600_000


def keys_of(request):
    return [bytes.fromhex(key) for key in request["keys"]]


class Listeners:
    """Servers that answer every command with their number, all in one thread."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="onehop-judge-")
        self.selector = selectors.DefaultSelector()
        self.paths = []
        threading.Thread(target=self.serve, daemon=True).start()

    def path(self, number):
        while len(self.paths) <= number:
            self.paths.append(self.open(len(self.paths)))
        return self.paths[number]

    def nowhere(self):
        """An address that refuses connections."""
        return os.path.join(self.directory.name, "nowhere")

    def open(self, number):
        path = os.path.join(self.directory.name, str(number))
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(64)
        self.selector.register(
            listener, selectors.EVENT_READ, Listener(self.selector, b"%d" % number)
        )
        return path

    def serve(self):
        while True:
            for event, _ in self.selector.select(0.05):
                event.data(event.fileobj)


class Listener:
    def __init__(self, selector, number):
        self.selector, self.number = selector, number

    def __call__(self, listener):
        connection, _ = listener.accept()
        self.selector.register(
            connection, selectors.EVENT_READ, Answering(self.selector, self.number)
        )


class Answering:
    """Counts complete commands (nutcracker sends arrays of bulk strings) and answers each."""

    def __init__(self, selector, number):
        self.selector, self.buffer = selector, b""
        self.reply = b"$%d\r\n%s\r\n" % (len(number), number)

    def __call__(self, connection):
        data = connection.recv(1 << 20)
        if not data:
            self.selector.unregister(connection)
            connection.close()
            return
        self.buffer += data
        count = 0
        while (end := command_end(self.buffer)) is not None:
            self.buffer = self.buffer[end:]
            count += 1
        connection.setblocking(True)
        connection.sendall(self.reply * count)


def command_end(data):
    """Where the first command ends, or None if it is incomplete."""
    at = data.find(b"\r\n")
    if at < 0:
        return None
    count, at = int(data[1:at]), at + 2
    for _ in range(count):
        end = data.find(b"\r\n", at)
        if end < 0:
            return None
        at = end + 2 + int(data[at + 1 : end]) + 2
    return at if at <= len(data) else None


class Unobservable(ValueError):
    pass


class Testee:
    def __init__(self):
        self.listeners = Listeners()

    def ask(self, pool, keys):
        """For each key the index of the server that gets it from a nutcracker with this pool."""
        longest = max(map(len, keys), default=0)
        if longest > KEY_BYTES_MAX:
            raise Unobservable(
                f"keys over {KEY_BYTES_MAX} bytes do not fit into nutcracker's buffers"
            )
        mbuf = MBUF_BYTES_DEFAULT if longest < MBUF_BYTES_DEFAULT - 1024 else 2 * KEY_BYTES_MAX
        with (
            Nutcracker({"judged": {"redis": True, **pool}}, mbuf_bytes=mbuf) as proxy,
            proxy.connect("judged", seconds=30) as connection,
        ):
            return self.ask_until_all_answer(connection, keys, attempts=len(pool["servers"]) + 1)

    def ask_until_all_answer(self, connection, keys, attempts):
        """Asks again after an error: the first request to a dead server fails, and ejects it."""
        answers = connection.pipeline([("GET", key) for key in keys])
        while any(isinstance(answer, ReplyError) for answer in answers):
            attempts -= 1
            if not attempts:
                raise Unobservable(f"nutcracker answers with an error: {answers}")
            answers = [
                connection.pipeline([("GET", key)])[0] if isinstance(answer, ReplyError) else answer
                for key, answer in zip(keys, answers)
            ]
        return [int(answer) for answer in answers]

    def place(self, request):
        pool = reference.find_pool(request["config"], request["pool"])
        servers, dead = pool["servers"], set(request.get("dead", ()))
        if dead - {server["name"] for server in servers}:
            raise ValueError("a name in `dead` is not a server")
        if len(dead) == len(servers):
            raise Unobservable("with all servers ejected every request fails")
        paths = [
            self.listeners.nowhere() if server["name"] in dead else self.listeners.path(place)
            for place, server in enumerate(servers)
        ]
        lines = [
            f"{path}:{server['weight']} {server['name']}" for path, server in zip(paths, servers)
        ]
        judged = {"hash": pool["hash"], "distribution": pool["distribution"], "servers": lines}
        if pool["hash_tag"]:
            judged["hash_tag"] = pool["hash_tag"]
        if dead:
            judged |= {
                "auto_eject_hosts": True,
                "preconnect": True,
                "server_failure_limit": 1,
                "server_retry_timeout": FOREVER_MS,
            }
        places = self.ask(judged, keys_of(request))
        return {"nodes": [servers[place]["name"] for place in places]}

    def hash(self, request):
        keys = keys_of(request)
        if b"" in keys:
            raise Unobservable("nutcracker does not hash the empty key")
        values = [0] * len(keys)
        product = 1
        for prime in PRIMES:
            servers = [f"{self.listeners.path(i)}:1 s{i:03}" for i in range(prime)]
            remainders = self.ask(
                {"hash": request["hash"], "distribution": "modula", "servers": servers}, keys
            )
            inverse = pow(product, -1, prime)
            values = [
                value + product * ((remainder - value) * inverse % prime)
                for value, remainder in zip(values, remainders)
            ]
            product *= prime
        return {"hashes": values}

    def config(self, request):
        data = (
            bytes.fromhex(request["hex"])
            if "hex" in request
            else request["text"].encode("utf-8", "surrogatepass")
        )
        return {"error": {"line": 0, "reason": ""}} if check(data) else {"ok": True}

    def answer(self, request):
        operation = {"place": self.place, "hash": self.hash, "config": self.config}.get(
            request.get("op")
        )
        return operation(request) if operation else {"error": "unsupported op"}


def main():
    testee = Testee()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = testee.answer(request)
        except (ValueError, KeyError, TypeError, LabError, OSError) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request.get("id"), **answer}), flush=True)


if __name__ == "__main__":
    main()
