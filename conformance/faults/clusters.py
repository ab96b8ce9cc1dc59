"""Shared by the programs about clusters: client configuration, counters of the nodes, slots."""

import os
import subprocess
import tempfile
import time

from built import PHP
from lab.cluster import SLOTS


def configure(cluster, directory, **directives):
    path = os.path.join(directory, "onehop.yml")
    lines = [
        "alpha:",
        "  listen: 127.0.0.1:1",
        "  redis: true",
        "  cluster: true",
        *(f"  {name}: {value}" for name, value in {"timeout": 30000, **directives}.items()),
        "  servers:",
    ]
    with open(path, "w") as file:
        file.write(
            "\n".join(lines + [f"   - {host}:{port}:1" for host, port in cluster.addresses]) + "\n"
        )
    return path


def seeds(cluster):
    return ",".join(f"{host}:{port}" for host, port in cluster.addresses)


def fill(cluster, count, command):
    """Fills the cluster through the client, which routes each key."""
    script = (
        "$r = new OneHop\\Redis('alpha', $argv[1]);"
        f"for ($i = 0; $i < {count}; $i += 1000) {{"
        f"  $r->pipeline(); for ($j = $i; $j < min({count}, $i + 1000); $j++) {{ {command} }}"
        "  $r->exec(); }"
    )
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([*PHP, "-r", script, "--", configure(cluster, directory)], check=True)


# ---- Counters of the nodes ----


def questions(cluster):
    """How often the nodes were asked for the map."""
    return sum(
        _counted(node, "commandstats", f"cmdstat_cluster|{kind}", "calls=")
        for node in cluster.nodes
        for kind in ("shards", "slots", "nodes")
    )


def errors(cluster, kind):
    return sum(
        _counted(node, "errorstats", f"errorstat_{kind}", "count=") for node in cluster.nodes
    )


def _counted(node, section, name, field):
    for line in node.command("INFO", section).decode().split("\r\n"):
        if line.startswith(f"{name}:"):
            return int(line.split(field)[1].split(",")[0])
    return 0


def reset(cluster):
    for node in cluster.nodes:
        node.command("CONFIG", "RESETSTAT")


# ---- Slots ----


def tags_of(slots):
    """A hash tag for each slot, found by trial."""
    wanted, found, number = set(slots), {}, 0
    while len(found) < len(wanted):
        slot = crc16(str(number).encode()) % SLOTS
        if slot in wanted:
            found.setdefault(slot, str(number))
        number += 1
    return [found[slot] for slot in slots]


def _table():
    """CRC16 of each single byte, so that crc16() needs one step per byte."""
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
        yield crc


CRC16 = list(_table())


def crc16(data):
    crc = 0
    for byte in data:
        crc = (crc << 8 & 0xFF00) ^ CRC16[crc >> 8 ^ byte]
    return crc


# ---- Waiting ----


def retry(call, seconds=30):
    end = time.monotonic() + seconds
    while True:
        try:
            return call()
        except Exception:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
