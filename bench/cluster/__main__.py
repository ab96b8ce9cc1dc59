"""Redis Cluster: the cost of the map.

    make build && /usr/bin/python3 bench/cluster [--short] [map] [nodes]

The clusters are real ones from the tests' lab. Each job prints its figures and their bounds; the
program fails if one is missed. `nodes` needs root. How fast calls are is a matter of jobs.py.
conformance/faults shows what callers notice of moving slots and dying masters.
"""

import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tree  # noqa: F401 (the path above finds it; it finds the rest)

import figures
import launch
import maps
import nodes

JOBS = {"map": maps.run, "nodes": nodes.run}


def main():
    options = launch.job_parser(
        "bench/cluster", "Measures what a Redis Cluster costs its callers.", JOBS
    ).parse_args()
    figures.end_with(found(options))


def found(options):
    for name in options.jobs:
        print(f"{name}:", flush=True)
        yield JOBS[name](options.short)


if __name__ == "__main__":
    launch.run(main)
