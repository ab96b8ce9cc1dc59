"""Many php-fpm workers on four nodes, before them nginx: what a host's shared memory and connections must bear.

    make build && /usr/bin/python3 bench/host [all | load | kills | outage | reload | changes | ...] [--short]

Each prints what it measured and what it must be. A promise that is broken (a wrong reply, a connection too many, a
topology nobody wrote) makes the program fail; times are judged, but a busy machine may miss them. All of it
takes some minutes; --short, for tests, a quarter of one. Needs root, for a network namespace.
"""

import argparse
import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import changes  # noqa: E402 (the path above finds what they share with bench/)
import figures  # noqa: E402
import kills  # noqa: E402
import links  # noqa: E402
import load  # noqa: E402
import names  # noqa: E402
import outage  # noqa: E402
import reload  # noqa: E402
import rotations  # noqa: E402
import surplus  # noqa: E402
from lab import LabError  # noqa: E402
from table import Progress, bold, red  # noqa: E402

PROGRAMS = {"load": load, "kills": kills, "outage": outage, "reload": reload, "changes": changes, "surplus": surplus,
            "links": links, "names": names, "rotations": rotations}


def main():
    parser = argparse.ArgumentParser(prog="bench/host", description="Measures what workers of one php-fpm share, and proves what they must not notice.")
    parser.add_argument("programs", nargs="*", choices=["all", *PROGRAMS], default="all", metavar="program",
                        help=f"{', '.join(PROGRAMS)} or all (default)")
    parser.add_argument("--short", action="store_true", help="for tests: promises, hardly figures")
    options = parser.parse_args()
    names = PROGRAMS if "all" in options.programs else options.programs
    progress, found = Progress(), []
    for name in names:
        print(bold(f"\n{name}: {PROGRAMS[name].__doc__.splitlines()[0]}"))
        figures_found = PROGRAMS[name].run(progress, options.short)
        figures.tell(figures_found)
        found += figures_found
    promises = [figure for figure in found if figure.is_hard]
    kept = sum(figure.is_met for figure in promises)
    print(f"\n{sum(figure.is_met for figure in found)} of {len(found)} figures met; promises: {kept} passed, {len(promises) - kept} failed")
    sys.exit(kept < len(promises))


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(red(f"\nThe benchmark failed: {error}"))
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing is left running.")
