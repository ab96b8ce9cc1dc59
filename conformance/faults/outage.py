"""A node dies under load and comes back: how often is it tried, and do other nodes suffer?"""

import itertools
import time

from figures import Figure
from house import POOL_SIZE, WORKERS, Callers, House
from table import bold, show

CALLERS = 16
ATTEMPTS_MAX = 9  # Pauses of 50 and 100 ms in the first second, then of 200 ms.
SECOND_CHANCE = 1  # Seconds. A node's circuit breaker stays open for less.


def run(progress, is_short):
    seconds = 2 if is_short else 8
    progress.step("outage: starting servers")
    with House() as house:
        progress.step(f"outage: {seconds} s of load without a node")
        with Callers(house, "checked.php", CALLERS, rounds=2) as load:
            time.sleep(1)
            house.nodes[0].kill()
            killed, attempts = time.monotonic() - load.began, [house.failed_attempts()]
            for _ in range(seconds):
                time.sleep(1)
                attempts.append(house.failed_attempts())
            back = time.monotonic() - load.began
            house.nodes[0].process.start()
            time.sleep(3 if is_short else SECOND_CHANCE + 2)
    progress.done()
    rates = [later - earlier for earlier, later in itertools.pairwise(attempts)]
    last = max((at for at, answer in load.answers if answer["errors"]), default=killed)
    report(load, killed, back, rates)
    others = sum(count for what, count in load.errors().items() if not what.endswith(" node0"))
    # The node returns empty, so its missing keys are not wrong replies.
    wrong = sum(answer["wrong"] for at, answer in load.answers if at < back)
    return [
        Figure("wrong replies", wrong, 0, is_hard=True),
        Figure("exceptions of other nodes", others, 0, is_hard=True),
        # Every call in progress when the node dies finds out by itself (spec/health).
        Figure("attempts on the dead node, in the second of its death", rates[0], POOL_SIZE),
        Figure("attempts on it, in the worst later second", max(rates[1:]), ATTEMPTS_MAX),
        Figure(
            "from its return to the last exception", last - back, float(SECOND_CHANCE), unit=" s"
        ),
    ]


def report(load, killed, back, rates):
    print(bold(f"\nA node down for {back - killed:.0f} s, {WORKERS} workers, {CALLERS} callers\n"))
    phases = (
        ("before", 0, killed),
        ("while it is down", killed, back),
        ("when it is back", back, float("inf")),
    )
    rows = []
    for label, begin, end in phases:
        answers = [answer for at, answer in load.answers if begin <= at < end]
        longest = max((answer["longest"] - answer["queued"] for answer in answers), default=0)
        rows.append(
            (
                label,
                f"{len(answers):,}",
                f"{sum(answer['calls'] for answer in answers):,}",
                f"{sum(sum(answer['errors'].values()) for answer in answers):,}",
                f"{longest / 1e6:.1f} ms",
            )
        )
    show(("node", "pages", "calls", "exceptions", "longest call"), rows)
    print(f"\n  attempts per second: {' '.join(map(str, rates))}")
