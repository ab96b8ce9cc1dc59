"""SIGUSR2 under load: workers finish their requests, and one new worker reads the configuration.

The master re-executes itself and starts new workers.
"""

import time

from figures import Figure
from house import POOL_SIZE, WORKERS, Callers, House, Openings
from table import bold, show

CALLERS = 16
RESTART_S_MAX = 30  # Old workers finish their requests in this time.


def run(progress, is_short):
    times = 2 if is_short else 5
    progress.step("reload: starting servers")
    with House() as house:
        openings = Openings(house.path)
        readings, most = [], 0
        with Callers(house, "checked.php", CALLERS, rounds=3) as load:
            time.sleep(1)
            for number in range(times):
                progress.step(f"reload: {number + 1} of {times}")
                house.fpm.reload()
                readings.append(0)
                until = time.monotonic() + RESTART_S_MAX
                while time.monotonic() < until:
                    time.sleep(0.02)
                    most = max(most, house.connections())
                    count = openings.count()
                    readings[-1] += count
                    if count:  # Waits a little longer: another worker might read it, too.
                        until = time.monotonic() + (1 if is_short else 2)
        openings.close()
        workers = {answer["pid"] for _, answer in load.answers}
    progress.done()
    print(bold(f"\n{times} reloads, {WORKERS} workers, {CALLERS} callers\n"))
    show(
        ("pages", "lost", "calls", "workers that answered", "slowest page", "longest call"),
        [
            (
                f"{len(load.answers):,}",
                load.lost,
                f"{load.sum('calls'):,}",
                len(workers),
                f"{load.slowest * 1e3:.0f} ms",
                f"{max(answer['longest'] for _, answer in load.answers) / 1e6:.1f} ms",
            )
        ],
        left=0,
    )
    return [
        Figure("wrong replies", load.sum("wrong"), 0, is_hard=True),
        Figure("exceptions", load.errors().total(), 0, is_hard=True),
        Figure("pages lost", load.lost, 0),
        Figure("connections of a node, peak", most, POOL_SIZE, is_hard=True),
        Figure("times the file was read per reload, most", max(readings), 1, is_hard=True),
        Figure(
            "times the file was read per reload, fewest",
            min(readings),
            1,
            is_hard=True,
            is_least=True,
        ),
    ]
