"""Redis Cluster: what the map costs, and how much faster than the clients that people have.

    make build && /usr/bin/python3 bench/cluster [--short] [map] [mget] [pipeline] [nodes]

Clusters are real ones, of the tests' lab. Each job prints its figures and what they must be; the program fails if one
is missed. `mget` and `pipeline` say how much faster, so they want a quiet machine; `nodes` needs root. What moving
slots and dying masters do to callers is shown by conformance/faults.
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
        prog="bench/cluster", description="Measures what callers of a Redis Cluster pay."
    )
    parser.add_argument(
        "jobs", nargs="*", metavar="job", help=f"{', '.join(JOBS)}; all of them otherwise"
    )
    parser.add_argument("--short", action="store_true", help="in seconds: hardly figures")
    options = parser.parse_args()
    for unknown in set(options.jobs) - set(JOBS):
        parser.error(f"there is no job {unknown}")
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
