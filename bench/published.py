"""The published jobs that need no servers: how evenly a ring places keys, and how it grows.

    /usr/bin/python3 bench/published.py     # some seconds; writes bench/results/published.json

The jobs are those of docs/performance.md, "The published jobs". PHP's OneHop places the keys. The
result is the same on every machine.
"""

import json
import os
import subprocess

from tree import ROOT

from built import EXTENSION

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
    path = os.path.join(ROOT, "bench/results/published.json")
    with open(path, "w") as file:
        json.dump(json.loads(done.stdout), file, indent=1)
        file.write("\n")
    print(f"  Written to {os.path.relpath(path)}.")


if __name__ == "__main__":
    main()
