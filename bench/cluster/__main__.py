"""Redis Cluster: the cost of the map, and how much faster OneHop is than the usual clients.

    make build && /usr/bin/python3 bench/cluster [--short] [map] [mget] [pipeline] [nodes]

The clusters are real ones from the tests' lab. Each job prints its figures and their bounds; the
program fails if one is missed. `mget` and `pipeline` compare speeds, so they need a quiet machine.
`nodes` needs root. conformance/faults shows what callers notice of moving slots and dying masters.
"""

import argparse
import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tree  # noqa: F401 (the path above finds it; it finds the rest)

import figures
import maps
import nodes
import speed
from lab import LabError

JOBS = {"map": maps.run, "mget": speed.mget, "pipeline": speed.pipeline, "nodes": nodes.run}


def main():
    parser = argparse.ArgumentParser(
        prog="bench/cluster", description="Measures what a Redis Cluster costs its callers."
    )
    parser.add_argument(
        "jobs", nargs="*", metavar="job", help=f"one of {', '.join(JOBS)}; default: all"
    )
    parser.add_argument("--short", action="store_true", help="takes seconds; the figures are rough")
    options = parser.parse_args()
    for unknown in set(options.jobs) - set(JOBS):
        parser.error(f"unknown job: {unknown}")
    found = []
    for name in options.jobs or JOBS:
        print(f"{name}:", flush=True)
        figures_found = JOBS[name](options.short)
        figures.print_table(figures_found)
        found += figures_found
    sys.exit(not figures.total(found))


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"the benchmark failed: {error}")
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")
