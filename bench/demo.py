"""make demo: 10,000 hashes written through nutcracker, then read through it and directly.

It starts 4 redis-servers and a nutcracker on free loopback ports, and always stops them. PHP and
Java each read on both paths with one client library (phpredis, Jedis), taking turns in the same
process. Every value is compared with its key. So "keys found" means "found where nutcracker had put
them". It fails if a key is missing.
"""

import tree  # noqa: F401 (finds the lab)

import launch
from stage import BATCH, KEYS, POOL, Stage
from statistic import joined, median, percentile, ratio
from table import Progress, bold, green, milliseconds, show
from workers import Worker

LANGUAGES = ("PHP", "Java")
LIBRARY = {"PHP": "phpredis", "Java": "Jedis"}
ALL_BATCHES = len(KEYS) // BATCH
# How often each path reads all batches beforehand: a JVM compiles what it runs often.
WARM_UP = {"PHP": 2, "Java": 40}
ROUNDS, BATCHES_PER_ROUND = 40, 10
TIMEOUT_MS = 30_000  # A busy machine is not a failure of the demonstration.


def main():
    progress = Progress()
    print(bold("\nOneHop: the same keys, the same nodes, without the hop in between\n"))
    with Stage() as stage:
        progress.step("starting 4 redis-servers and a nutcracker on free loopback ports")
        stage.nodes_behind_nutcracker(timeout_ms=TIMEOUT_MS)
        progress.step(f"wrote {len(KEYS):,} hashes through nutcracker; starting PHP and Java")
        contestants = {
            "nutcracker": ("pipeline", *stage.nutcracker.address(POOL)),
            "direct": ("onehop", stage.nutcracker.config_path, POOL),
        }
        workers = [
            stage.enter_context(Worker(language, contestants, stage.owners, timeout_ms=TIMEOUT_MS))
            for language in LANGUAGES
        ]
        found = {}
        for worker in workers:
            progress.step(f"{worker.language}: reading all {len(KEYS):,} hashes, first time")
            found[worker.language] = {path: read_all(worker, path) for path in contestants}
            warm_up(worker, contestants, progress)
        rounds = {worker.language: [] for worker in workers}
        for number in range(ROUNDS):
            progress.share("measuring", number, ROUNDS)
            for worker in workers:
                rounds[worker.language].append(
                    {
                        path: worker.run(path, untimed=2, timed=BATCHES_PER_ROUND)
                        for path in contestants
                    }
                )
        progress.done()
    report(found, rounds)


def read_all(worker, path):
    """Reads every hash once. The worker ends at the first wrong value, so all results are right."""
    return BATCH * len(worker.run(path, timed=ALL_BATCHES))


def warm_up(worker, contestants, progress):
    for turn in range(WARM_UP[worker.language]):
        progress.share(f"{worker.language}: warming up", turn, WARM_UP[worker.language])
        for path in contestants:
            worker.run(path, timed=ALL_BATCHES)


def report(found, rounds):
    times_faster = {
        language: ratio(rounds[language], "nutcracker", "direct")[0] for language in LANGUAGES
    }
    rows = []
    for language in LANGUAGES:
        for path, words in (
            ("nutcracker", f"{LIBRARY[language]} → nutcracker → 4 nodes"),
            ("direct", "OneHop → 4 nodes"),
        ):
            samples = joined(rounds[language], path)
            rows.append(
                (
                    language,
                    words,
                    f"{found[language][path]:,} of {len(KEYS):,}",
                    milliseconds(median(samples)),
                    milliseconds(percentile(samples, 99)),
                    f"{times_faster[language]:.1f} x" if path == "direct" else "",
                )
            )
    batches = ROUNDS * BATCHES_PER_ROUND
    print(f"  A batch is {BATCH:,} HGETs of mixed keys; {batches} batches per row, in turns.\n")
    show(
        ("language", "path", "keys found", "p50", "p99", "times faster"),
        rows,
        left=2,
        paint=lambda row: green if row[-1] else str,
    )
    faster = " and ".join(
        f"{times_faster[language]:.1f} times faster in {language}" for language in LANGUAGES
    )
    print(f"""
  Every key was written through nutcracker, and OneHop found it on the node chosen by nutcracker.
  One hop instead of two: {faster}.

  Next: point OneHop at your own nutcracker.yml (README.md has ten lines for each language),
  see every figure with `make bench`, or let `make test` prove it all.
""")


if __name__ == "__main__":
    launch.run(main, "demonstration")
