"""Runs the tests of the engine, with real servers for those that need them: `make` here.

Ends with "N passed, M failed".
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "conformance"))

from lab import Cluster, RedisNode, free_port  # noqa: E402 (the path above finds it)

CONFIG = """alpha:
  listen: 127.0.0.1:1
  redis: true
  timeout: 5000
  servers:
   - 127.0.0.1:{port}:1 only
"""


def main():
    with tempfile.TemporaryDirectory() as directory, RedisNode() as redis, Cluster(3) as cluster:
        failures = list(differences(directory, redis.port))
        for failure in failures:
            print(f"FAILED get: {failure}")
        passed, failed = run_tests(directory, redis.port, cluster.nodes[0].port)
    print(f"{passed + (not failures)} passed, {failed + bool(failures)} failed")
    sys.exit(1 if failed or failures else 0)


def differences(directory, port):
    """Yields each case in which `get` does not print what it should."""
    path = os.path.join(directory, "get.yml")
    unused = free_port()
    for written, pool, words, expected in (
        (port, "alpha", ("SET", "user:1", "Ada"), "+OK\r\n"),
        (port, "alpha", ("GET", "user:1"), "$3\r\nAda\r\n"),
        (
            port,
            "alpha",
            ("LPOP", "user:1"),
            "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
        ),
        (
            port,
            "beta",
            ("GET", "user:1"),
            f"There is no server pool beta in {path}, only alpha; name one of these\n",
        ),
        (
            unused,
            "alpha",
            ("GET", "user:1"),
            f"Connection refused while connecting, node only (127.0.0.1:{unused}), server pool"
            " alpha: the command was not sent; check that the node is running and reachable\n",
        ),
    ):
        with open(path, "w") as file:
            file.write(CONFIG.format(port=written))
        told = said([os.path.join(HERE, "build", "get"), path, pool, *words])
        if told != expected:
            yield f"{' '.join(words)} of {pool}: {told!r} instead of {expected!r}"


def said(command):
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30
    ).stdout.decode()


def run_tests(directory, *ports):
    """Returns (passed, failed). The program has failed if it did not print its last line."""
    program = subprocess.Popen(
        [os.path.join(HERE, "build", "tests"), directory, *map(str, ports)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    counts = None
    for line in program.stdout:
        counts = re.fullmatch(r"(\d+) passed, (\d+) failed\n", line)
        if not counts:
            print(line, end="", flush=True)
    status = program.wait()
    if not counts:
        return 0, 1
    passed, failed = map(int, counts.groups())
    return passed, failed + (status != 0 and failed == 0)


if __name__ == "__main__":
    main()
