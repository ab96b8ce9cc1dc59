#!/usr/bin/python3
"""Conformance: proves that all implementations put every key on the same node.

They are C (through PHP), Java, the reference and a live nutcracker.

    conformance/run.py                          everything; needs `make build`
    conformance/run.py --only vectors,config    some parts: vectors, config, random, health, live,
                                                cluster, ssdb
    conformance/run.py --testees java,reference some testees (suite/testee.py)
    conformance/run.py --pairs 10000 --seed 5   fewer random pairs; the seed repeats an earlier run

Part `ssdb` needs a real ssdb-server, named by SSDB_SERVER.

It prints one line per part with the counts; a difference is shown with the stage at which it
arises. The last line is `N passed, N failed`. Exit code 1 if anything failed, 2 if the run could
not be completed. The protocol is in protocol.md, the parts are in suite/.
"""

import argparse
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "spec/tools/reference")]

from lab.process import LabError  # noqa: E402
from suite import cluster, config, health, live, random_pairs, ssdb, vectors  # noqa: E402
from suite.report import Report  # noqa: E402
from suite.testee import Testees  # noqa: E402

# The ops that every implementation must have; without them little would be proven.
MUST_HAVE = {"hash", "place", "config", "topology", "explain"}

PARTS = {
    "vectors": lambda t, r, o: vectors.run(t, r),
    "config": lambda t, r, o: config.run(t, r, random.Random(o.seed), o.mutations),
    "random": lambda t, r, o: random_pairs.run(t, r, random.Random(o.seed), o.pairs),
    "health": lambda t, r, o: health.run(t, r, random.Random(o.seed)),
    "live": lambda t, r, o: live.run(t, r),
    "cluster": lambda t, r, o: cluster.run(t, r, random.Random(o.seed)),
    "ssdb": lambda t, r, o: ssdb.run(t, r),
}


def options():
    parser = argparse.ArgumentParser(
        description="Proves that all implementations place keys and read configurations alike."
    )
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument(
        "--testees", default="php,java,reference,nutcracker", help="testees, separated by commas"
    )
    parser.add_argument("--pairs", type=int, default=1_000_000, help="random (pool, key) pairs")
    parser.add_argument("--mutations", type=int, default=20_000, help="mutated configurations")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    chosen = parser.parse_args()
    chosen.only, chosen.testees = chosen.only.split(","), chosen.testees.split(",")
    if unknown := set(chosen.only) - set(PARTS):
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    return chosen


def tell_unsupported(testees, report):
    for name in testees.implementations():
        missing = testees.all[name].unsupported
        if missing:
            report.note(f"{name} does not have these ops: {', '.join(sorted(missing))}")
        if missing & MUST_HAVE:
            report.begin("ops that every implementation must have")
            report.fail(f"{name} has no {', '.join(sorted(missing & MUST_HAVE))}")
            report.end()


def main():
    chosen, report = options(), Report()
    print(f"testees {', '.join(chosen.testees)}; seed {chosen.seed}", flush=True)
    try:
        testees = Testees(chosen.testees)
        for part in chosen.only:
            PARTS[part](testees, report, chosen)
        tell_unsupported(testees, report)
        testees.stop()
    except LabError as error:
        print(f"conformance: the run could not be completed: {error}", file=sys.stderr)
        report.close()
        return 2
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
