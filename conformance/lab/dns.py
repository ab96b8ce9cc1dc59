"""A DNS server that answers as a file says, in a namespace where only one program uses it.

    unshare -m -n python3 conformance/lab/dns.py ZONE [HOSTS] -- program argument ...

The program gets its own loopback device, an /etc/resolv.conf with only this server, and an
/etc/hosts of the HOSTS lines (default: localhost). ZONE is JSON, read again for each query:

    {"node.test": {"a": ["127.0.0.1"], "aaaa": ["::1"], "alias": "other.test",
                   "ttl": 5, "delay": 1.5, "code": 2, "drop": true}}

A name that is not in ZONE does not exist. ZONE.asked logs every query, one per line: seconds, name,
type, query id (a retransmitted query keeps its id). Needs root. Exits with the program's exit code.
"""

import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

ADDRESS = ("127.0.0.53", 53)
TYPES = {1: "a", 5: "alias", 28: "aaaa"}
NO_SUCH_NAME = 3


def main(arguments):
    end = arguments.index("--")
    zone, hosts, program = arguments[0], arguments[1:end], arguments[end + 1 :]
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    put("/etc/resolv.conf", f"nameserver {ADDRESS[0]}\n")
    put("/etc/nsswitch.conf", "hosts: files dns\n")
    put("/etc/hosts", "\n".join(hosts or ["127.0.0.1 localhost", "::1 localhost"]) + "\n")
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(ADDRESS)
    threading.Thread(target=serve, args=(server, zone), daemon=True).start()
    return subprocess.run(["setpriv", "--pdeathsig", "KILL", *program]).returncode


def put(path, text):
    """Replaces a file in this mount namespace only. Creates a missing file, which stays."""
    with tempfile.NamedTemporaryFile("w", prefix="onehop-dns-", delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    pathlib.Path(path).touch()
    subprocess.run(["mount", "--bind", file.name, os.path.realpath(path)], check=True)
    os.unlink(file.name)


def serve(server, zone):
    asked = open(zone + ".asked", "a", buffering=1)  # noqa: SIM115 (open until the end)
    while True:
        question, client = server.recvfrom(512)
        name, kind = read_name(question)
        asked.write(f"{time.monotonic():.3f} {name} {TYPES.get(kind, kind)} {question[:2].hex()}\n")
        entry = json.loads(pathlib.Path(zone).read_text()).get(name, {"code": NO_SUCH_NAME})
        if not entry.get("drop"):
            reply = answer(question, kind, entry)
            threading.Timer(entry.get("delay", 0), server.sendto, (reply, client)).start()


def read_name(question):
    at, labels = 12, []
    while question[at]:
        labels.append(question[at + 1 : at + 1 + question[at]].decode().lower())
        at += 1 + question[at]
    return ".".join(labels), struct.unpack_from(">H", question, at + 1)[0]


def answer(question, kind, entry):
    end = question.index(b"\0", 12) + 5  # After the name come its type and its class.
    records, owner, ttl = [], b"\xc0\x0c", entry.get("ttl", 5)
    if "alias" in entry:
        target = encoded(entry["alias"])
        records.append(owner + struct.pack(">HHIH", 5, 1, ttl, len(target)) + target)
        owner = target
    family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
    for address in entry.get(TYPES.get(kind), []) if family else []:
        packed = socket.inet_pton(family, address)
        ttl = entry.get("address_ttl", ttl)
        records.append(owner + struct.pack(">HHIH", kind, 1, ttl, len(packed)) + packed)
    flags = 0x8180 | entry.get("code", 0)
    head = question[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0)
    return head + question[12:end] + b"".join(records)


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
