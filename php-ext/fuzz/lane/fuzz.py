#!/usr/bin/python3
"""Compares random calls of OneHop\\Redis with those of a plain \\Redis, seen from outside.

    fuzz.py [--seed N] [--from N] [--cases N] [--seconds N] [--script FILE] [--under DEBUGGER]

node.py is the server of both sides and records what they send. fuzz.php makes the cases (cases.php)
and compares (compare.php): bytes sent, values and their types, exceptions, warnings, last errors.
known.php lists the differences that are meant. A difference is printed as a script for --script.
In one case of ten node.py harms OneHop's connections; then OneHop may throw, but not return another
value.
The last line is "N passed, N failed"; a case counts as one.
"""

import argparse
import asyncio
import collections
import json
import os
import pathlib
import re
import shlex
import signal
import sys
import tempfile
import time

from node import Case, listen

SEEDS = 1_000_003  # From the first case of a seed to that of the next one; as in fuzz.php.
SEED_MAX = 2_146  # The number of a case, (seed * SEEDS + its place), has 31 bits in node.py.
# A reply that claims to be long makes phpredis allocate as much memory.
MEMORY_LIMIT = re.compile("Allowed memory size")
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
POOL = """nodes-{count}:
  listen: 127.0.0.1:{listen}
  redis: true
  timeout: 400
  auto_eject_hosts: true
  server_failure_limit: 1000000
  servers:
"""


def configuration(port):
    """A pool of one node and a pool of three, which are all the same server."""
    text = ""
    for count in (1, 3):
        text += POOL.format(count=count, listen=22120 + count)
        text += "".join(f"   - 127.0.0.1:{port}:1 node-{i}\n" for i in range(count))
    return text


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1 << 40)
    parser.add_argument("--from", type=int, default=0, help="the first case")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--differences", type=int, default=10, help="stop after so many")
    parser.add_argument("--extension", default=str(ROOT / "php-ext/modules/onehop.so"))
    parser.add_argument("--script", default="")
    parser.add_argument("--under", default="", help="a debugger to run PHP with, such as valgrind")
    chosen = parser.parse_args()
    if not 0 < chosen.seed <= SEED_MAX:
        parser.error(f"--seed is a number from 1 to {SEED_MAX}")
    return chosen


class Run:
    """Processes of PHP one after another, because phpredis itself crashes from some replies."""

    def __init__(self, arguments, directory):
        self.arguments, self.directory, self.case = arguments, directory, Case()
        self.totals, self.known = collections.Counter(), collections.Counter()
        self.end = time.monotonic() + arguments.seconds

    async def run(self):
        ports = await listen(self.case)
        config = pathlib.Path(self.directory) / "pools.yml"
        config.write_text(configuration(ports[1]))
        told = vars(self.arguments) | {"ports": ports, "config": str(config)}
        told |= {"table": str(ROOT / "spec/route/express.json")}
        while True:
            told["seconds"] = self.end - time.monotonic()
            status, last = await self.run_php(told)
            if last is None:
                return status
            for name in ("cases", "calls", "differences", "passing"):
                self.totals[name] += last[name]
            self.known.update(last["known"])
            if status == 0:
                return self.totals["differences"]
            if not MEMORY_LIMIT.match(last.get("fatal", MEMORY_LIMIT.pattern)):
                print(f"fuzz.php itself failed: {last['fatal']}")
                self.totals["differences"] += 1
                return 1
            number = self.case.seed - self.arguments.seed * SEEDS
            await self.judge(told | {"cases": number + 1}, status)
            told["from"] = number + 1
            if told["from"] <= last["next"]:
                return 1

    async def judge(self, told, status):
        """A crash is phpredis' own if two plain clients crash, and two of OneHop do not.

        Both kinds run the last case alone. Plain clients then run it in one process after all
        cases before it, which may have damaged the memory. OneHop may crash, too, if the arguments
        make plain clients crash even with usual replies.
        """
        first, end = told["from"], told["cases"]
        last = told | {"from": end - 1}
        is_ours = await self.crashes(last, "ours")
        if is_ours and await self.crashes(last | {"usual": 1}, "plain"):
            self.known["phpredis crashes from such arguments."] += 1
        elif not is_ours and (
            await self.crashes(last, "plain") or await self.crashes(told, "plain")
        ):
            self.known["phpredis itself crashed."] += 1
        else:
            cases = f"--seed {told['seed']} --from {first} --cases {end}"
            print(f"OneHop crashed ({status}): {cases}")
            self.totals["differences"] += 1

    async def crashes(self, told, both):
        """True if cases crash with two clients of one kind. This may depend on what is in memory.

        A plain client may also want more memory than PHP gives it.
        """
        for _ in range(3):
            status, _ = await self.run_php(told | {"both": both, "seconds": 3600})
            if status < 0 or (status and both == "plain"):
                return True
        return False

    async def run_php(self, told):
        """Returns (status, the last line of numbers)."""
        php = ["php", "-d", f"extension={self.arguments.extension}", "-d", "display_errors=0"]
        php += ["-d", "log_errors=0", str(HERE / "fuzz.php")]
        child = await asyncio.create_subprocess_exec(
            *shlex.split(self.arguments.under),
            *php,
            env=os.environ | {"ONEHOP_FUZZ": json.dumps(told)},
            stdout=asyncio.subprocess.PIPE,
            # A crashing phpredis writes to stderr, too.
            stderr=None if self.arguments.under else asyncio.subprocess.DEVNULL,
            limit=1 << 30,
        )
        last = None
        async for line in child.stdout:
            if line.startswith(b'{"next"'):
                last = json.loads(line)
            elif line.startswith(b'{"fatal"') and last is not None:
                last |= json.loads(line)
            elif told["cases"] == self.arguments.cases:
                sys.stdout.buffer.write(line)
                sys.stdout.flush()
        return await child.wait(), last


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as directory:
        run = Run(options(), directory)
        status = asyncio.run(run.run())
    totals = run.totals
    for reason, count in run.known.items():
        print(f"  known, {count} times: {reason}")
    print(f"  {totals['calls']} calls, {run.case.commands} commands")
    if totals["passing"]:
        print(f"  {totals['passing']} differences were not seen a second time")
    print(f"{totals['cases'] - totals['differences']} passed, {totals['differences']} failed")
    sys.exit(1 if status else 0)


if __name__ == "__main__":
    main()
