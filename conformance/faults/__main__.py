"""Faults: what many workers and whole clusters must survive without their callers noticing.

    make build && /usr/bin/python3 conformance/faults [NAME ...] [--short]

Each program prints its measurements and their bounds. A broken promise (a wrong reply, a connection
too many, a lost write) makes the run fail. Times have bounds too, but a busy machine may miss them.
README.md describes each program. All of them take about twenty minutes; --short, for tests, takes
two. Needs root, for network namespaces.
"""

import argparse
import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import changes
import failover
import figures
import kills
import links
import move
import names
import outage
import reload
import rotations
import surplus
from lab import LabError
from table import Progress, bold, red

PROGRAMS = {
    "kills": kills,
    "outage": outage,
    "reload": reload,
    "changes": changes,
    "surplus": surplus,
    "links": links,
    "names": names,
    "rotations": rotations,
    "move": move,
    "failover": failover,
}


def main():
    parser = argparse.ArgumentParser(
        prog="conformance/faults",
        description="Proves that callers notice no faults that they should not notice.",
    )
    parser.add_argument(
        "programs", nargs="*", metavar="NAME", help=f"one of {', '.join(PROGRAMS)}; default: all"
    )
    parser.add_argument("--short", action="store_true", help="for tests: promises, few figures")
    options = parser.parse_args()
    for unknown in set(options.programs) - set(PROGRAMS):
        parser.error(f"there is no program {unknown}")
    progress, found = Progress(), []
    for name in options.programs or PROGRAMS:
        print(bold(f"\n{name}: {PROGRAMS[name].__doc__.splitlines()[0]}"))
        figures_found = PROGRAMS[name].run(progress, options.short)
        figures.print_table(figures_found)
        found += figures_found
    sys.exit(not figures.total(found))


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(red(f"\nThe programs failed: {error}"))
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")
