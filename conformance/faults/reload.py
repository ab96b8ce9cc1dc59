"""SIGUSR2 under load: workers end what they are at, the master executes itself again, and one new worker reads the configuration."""

import time

from figures import Figure
from house import POOL_SIZE, WORKERS, Callers, House, Openings
from table import bold, show

CALLERS = 16
PATIENCE_SECONDS = 20  # For workers that end what they are at.


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
                until = time.monotonic() + PATIENCE_SECONDS
                while time.monotonic() < until:
                    time.sleep(0.02)
                    most = max(most, house.connections())
                    count = openings.count()
                    readings[-1] += count
                    if count:
                        until = time.monotonic() + (
                            1 if is_short else 2
                        )  # Would another one read it, too?
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
        Figure("connections of a node, at most", most, POOL_SIZE, is_hard=True),
        Figure("the file was read per reload, at most", max(readings), 1, is_hard=True),
        Figure(
            "the file was read per reload, at least", min(readings), 1, is_hard=True, is_least=True
        ),
    ]
