"""Faults: what many workers and whole clusters must survive without their callers noticing.

    make build && /usr/bin/python3 conformance/faults [NAME ...] [--short]

Each program prints its measurements and their bounds. A broken promise (a wrong reply, a connection
too many, a lost write) makes the run fail. Times have bounds too, but a busy machine may miss them.
README.md describes each program. All of them take more than an hour; --short, for tests, takes two
minutes. Needs root, for network namespaces.
"""

import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import changes
import databases
import failover
import figures
import growing
import heirs
import kills
import launch
import lifetime
import links
import move
import names
import outage
import reload
import replace
import rotations
import sentinel
import stalls
import surplus
from table import Progress, bold

PROGRAMS = {
    "kills": kills,
    "outage": outage,
    "reload": reload,
    "changes": changes,
    "surplus": surplus,
    "databases": databases,
    "stalls": stalls,
    "links": links,
    "lifetime": lifetime,
    "names": names,
    "rotations": rotations,
    "move": move,
    "failover": failover,
    "heirs": heirs,
    "replace": replace,
    "growing": growing,
    "sentinel": sentinel,
}


def main():
    options = launch.job_parser(
        "conformance/faults",
        "Proves that callers notice no faults that they should not notice.",
        PROGRAMS,
        "NAME",
    ).parse_args()
    figures.end_with(found(options))


def found(options):
    progress = Progress()
    for name in options.jobs:
        print(bold(f"\n{name}: {PROGRAMS[name].__doc__.splitlines()[0]}"))
        yield PROGRAMS[name].run(progress, options.short)


if __name__ == "__main__":
    launch.run(main, "run")
