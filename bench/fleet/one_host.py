"""What one host pays for its nodes, and a node for its connections: memory and descriptors.

One redis answers at as many loopback addresses as there are nodes. Needs root, for a network
namespace and for the limit of open files.
"""

import contextlib
import json
import os
import re
import resource
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from built import EXTENSION, JAR
from lab import LabError, RedisNode
from lab.fpm import Fpm
from lab.network import Namespace
from lab.process import program
from statistic import median
from table import Progress, show

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.php")
WORKERS = 8
SEGMENT_MB = 64  # More than needed: only what is used becomes resident.
CONNECTS = 50_000


def run(is_short):
    counts = (64,) if is_short else (4, 64, 256, 1000)
    progress, php, java = Progress(), [], []
    for count in counts:
        progress.step(f"host: {count} nodes")
        with nodes(count) as (near, path):
            php.append((f"{count:,}", *in_php(near, path, count)))
            java.append((f"{count:,}", *in_java(near, path)))
    progress.done()
    print(f"\nphp-fpm with {WORKERS} workers, each of which has asked every node:\n")
    head = ("segment, used", "descriptors of a worker")
    show(("nodes", *head, "a worker, one node", "a worker, all nodes"), php, left=0)
    print("\none Java client with one thread:\n")
    head = ("heap, one node", "heap, at the end", "connections", "descriptors")
    show(("nodes", *head), java, left=0)
    print("\none node:\n")
    head = ("connections", "memory for each, just used", "idle for some seconds")
    show(head, [client_memory(*((100, 1) if is_short else (5_000, 12)))], left=0)
    print(f"\n  new connections per second, each with one PING: {connects(is_short):,.0f}")


@contextlib.contextmanager
def nodes(count):
    """A namespace with that many nodes, and the path of their configuration."""
    with (
        Namespace() as near,
        RedisNode(namespace=near, host="0.0.0.0", maxclients=20_000) as node,
        tempfile.TemporaryDirectory(prefix="onehop-host-") as directory,
    ):
        path = os.path.join(directory, "onehop.yml")
        with open(path, "w") as file:
            file.write("alpha:\n  engine: redis\n  hash: murmur\n  servers:\n")
            file.writelines(
                f"    - 127.0.{number // 250}.{number % 250 + 1}:{node.port}\n"
                for number in range(count)
            )
        yield near, path


def in_php(near, path, count):
    settings = {
        "extension": EXTENSION,
        "onehop.config": path,
        "onehop.max_nodes": count,
        "onehop.shared_memory": f"{SEGMENT_MB}M",
    }
    with Fpm(
        workers=WORKERS, namespace=near, settings=settings, descriptors=descriptors_max()
    ) as fpm:
        with ThreadPoolExecutor(WORKERS) as callers:
            answers = list(callers.map(lambda _: ask(fpm, count), range(WORKERS * 8)))
        by_worker = {}
        for answer in answers:  # Only a worker's first page shows its growth.
            by_worker.setdefault(answer["pid"], answer["grown"])
        first, all_nodes = (median(kib) for kib in zip(*by_worker.values()))
        worker = next(iter(by_worker))
        return (
            f"{segment_kib(worker) / 1024:.2f} MiB",
            len(os.listdir(f"/proc/{worker}/fd")),
            f"{first:,.0f} KiB",
            f"{all_nodes:,.0f} KiB",
        )


def in_java(near, path):
    program = os.path.join(os.path.dirname(PAGE), "OneHost.java")
    output = subprocess.run(
        ["java", "-cp", JAR, program, path],
        preexec_fn=near.enter,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    one, all_nodes, connections, descriptors = map(int, output.split())
    return f"{one:,} KiB", f"{all_nodes:,} KiB", f"{connections:,}", f"{descriptors:,}"


def descriptors_max():
    """How many descriptors a process may open here, but at most 20,000."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return 20_000 if hard == resource.RLIM_INFINITY else min(20_000, hard)


def ask(fpm, count):
    answer = json.loads(fpm.request(PAGE, query="memory=1", seconds=60)[1])
    if answer["answered"] != count:
        raise LabError(f"{answer['answered']} of {count} nodes answered")
    return answer


def segment_kib(pid):
    """Resident memory of the one shared mapping that is as large as the segment."""
    found = None
    with open(f"/proc/{pid}/smaps") as maps:
        for line in maps:
            bounds = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw-s", line)
            if bounds:
                found = int(bounds[2], 16) - int(bounds[1], 16) >= SEGMENT_MB << 20
            elif found and line.startswith("Rss:"):
                return int(line.split()[1])
    raise LabError("there is no segment")


def client_memory(count, idle_s):
    with RedisNode(maxclients=20_000) as node:
        probe = node.connect()
        used = memory_of(probe)
        others = [node.connect() for _ in range(count)]
        for other in others:
            other.command("PING")
        fresh = memory_of(probe) - used
        time.sleep(idle_s)
        idle = memory_of(probe) - used
        for other in [*others, probe]:
            other.close()
    return f"{count:,}", f"{fresh / count / 1024:.1f} KiB", f"{idle / count / 1024:.1f} KiB"


def memory_of(probe):
    return field(probe.command("INFO", "memory"), "used_memory")


def field(info, name):
    return int(info.decode().split(f"\n{name}:")[1].split()[0])


def connects(is_short):
    """Connections that a node accepts per second.

    redis-benchmark opens one for each PING, so a node that only accepts them is faster.
    """
    with Namespace() as near, RedisNode(namespace=near) as node:
        words = ["-p", node.port, "-k", 0, "-c", 50, "-t", "ping_mbulk", "--csv"]
        count = CONNECTS // 10 if is_short else CONNECTS
        output = subprocess.run(
            [program("redis-benchmark"), *map(str, words), "-n", str(count)],
            preexec_fn=near.enter,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    return float(output.splitlines()[-1].split(",")[1].strip('"'))
