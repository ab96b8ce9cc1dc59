"""From one host to a very large fleet: what docs/sizing.md says, simulated, measured, compared.

    /usr/bin/python3 bench/fleet --output FILE       # all of it, some ten minutes; as root
    /usr/bin/python3 bench/fleet simulate            # no server, no root: a minute
    /usr/bin/python3 bench/fleet --short             # a test of a few seconds

`simulate` sends 10,000 hosts with 128 workers each and 1,000 nodes through a node's death, a wave
of reloads and a changed file; two runs print the same. `compare` does this with some real php-fpm
and redis, and with the same number of simulated ones. `pool` measures how many calls wait for a
connection at several `pool_size`, next to Erlang's formula. `host` measures memory, descriptors,
and how fast a node accepts connections.

The picture of docs/sizing.md needs matplotlib, which .ci/tools installs:

    $(.ci/tools)/bin/python bench/fleet simulate --picture docs/images/fleet.svg
"""

import contextlib
import io
import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tree  # noqa: F401 (the path above finds it; it finds the rest)

import compare
import launch
import one_host
import pool
import simulate

JOBS = ("simulate", "compare", "pool", "host")


def main():
    parser = launch.job_parser("bench/fleet", "Shows what hosts and nodes see of each other.", JOBS)
    parser.add_argument("--output", metavar="FILE", help="also writes what it prints there")
    parser.add_argument("--picture", metavar="FILE", help="writes the curves as SVG, by matplotlib")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if options.output:
            file = stack.enter_context(open(options.output, "w"))
            stack.enter_context(contextlib.redirect_stdout(Both(sys.stdout, file)))
        for name in options.jobs:
            run(name, options)


def run(name, options):
    if name == "simulate":
        simulate.run(options.short, options.picture)
    else:
        {"compare": compare, "pool": pool, "host": one_host}[name].run(options.short)


class Both(io.TextIOBase):
    """Writes everything to the terminal and to a file."""

    def __init__(self, *files):
        self.files = files

    def write(self, text):
        for file in self.files:
            file.write(text)
            file.flush()
        return len(text)


if __name__ == "__main__":
    launch.run(main)
