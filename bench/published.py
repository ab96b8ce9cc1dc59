"""The published jobs that bench/jobs.py does not run: where a ring places keys, redis-benchmark.

    /usr/bin/python3 bench/published.py     # half a minute; writes bench/results/published.json

The jobs are those of docs/performance.md, "The published jobs". PHP's OneHop places the keys: that
result is the same on every machine. Then redis-benchmark, with 100 clients as published, asks one
redis-server directly, and several through nutcracker. Each figure is the median of three rounds.
"""

import csv
import json
import os
import statistics
import subprocess

from tree import ROOT

from built import EXTENSION
from lab import Nutcracker, RedisNode

ROUNDS, REQUESTS = 3, 60_000
CLIENTS = 100
# redis-servers behind the proxy.
BEHIND = (1, 2, 4, 6)
PLACED, NODES = 260_000, 6
GROWN, BEFORE, AFTER = 300_708, 3, 6

PROGRAM = """
function topology(string $distribution, int $count): OneHop\\Topology {
    $servers = array_map(static fn ($i) => "10.0.0.$i:6379", range(1, $count));
    return new OneHop\\Topology('p', ['distribution' => $distribution, 'servers' => $servers]);
}
function homes(string $distribution, int $nodes, int $keys): array {
    $topology = topology($distribution, $nodes);
    return array_map(static fn ($i) => $topology->locate("key:$i")->name, range(1, $keys));
}
[, $placed, $nodes, $grown, $before, $after] = $argv;
$counts = array_count_values(homes('ketama', (int) $nodes, (int) $placed));
$result = ['keys' => (int) $placed, 'fewest' => min($counts), 'most' => max($counts)];
foreach (['ketama', 'modula'] as $distribution) {
    $stay = array_intersect_assoc(
        homes($distribution, (int) $before, (int) $grown),
        homes($distribution, (int) $after, (int) $grown),
    );
    $result["stay_$distribution"] = count($stay) / $grown;
}
echo json_encode($result);
"""


def main():
    words = map(str, (PLACED, NODES, GROWN, BEFORE, AFTER))
    command = ["php", "-d", f"extension={EXTENSION}", "-r", PROGRAM, "--", *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result = {**json.loads(done.stdout), "per_second": benchmark()}
    path = os.path.join(ROOT, "bench/results/published.json")
    with open(path, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    print(f"  Written to {os.path.relpath(path)}.")


def benchmark():
    """{"direct" or the number of nodes behind nutcracker: {"SET" or "GET": requests a second}}"""
    nodes, proxies = [], {}
    try:
        nodes += [RedisNode() for _ in range(max(BEHIND))]
        for count in BEHIND:
            servers = [node.server_line() for node in nodes[:count]]
            proxies[count] = Nutcracker({"alpha": {"redis": True, "servers": servers}})
        places = {"direct": (nodes[0].host, nodes[0].port)}
        places |= {str(count): proxy.address("alpha") for count, proxy in proxies.items()}
        rounds = [{name: one_run(*place) for name, place in places.items()} for _ in range(ROUNDS)]
    finally:
        for server in (*proxies.values(), *nodes):
            server.stop()
    return {
        name: {
            test: round(statistics.median(figures[name][test] for figures in rounds))
            for test in ("SET", "GET")
        }
        for name in places
    }


def one_run(host, port):
    """{test: requests a second} of redis-benchmark, with keys that spread over the nodes."""
    command = ["redis-benchmark", "-h", host, "-p", port, "-c", CLIENTS, "-n", REQUESTS]
    command += ["-r", 10_000, "-t", "set,get", "--csv"]
    done = subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True, timeout=120
    )
    rows = csv.DictReader(line for line in done.stdout.splitlines() if line.startswith('"'))
    return {row["test"]: float(row["rps"]) for row in rows}


if __name__ == "__main__":
    main()
