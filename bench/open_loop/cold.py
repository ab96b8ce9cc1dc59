"""The cold start: the first and the second request of a fresh php-fpm worker."""

import os
import signal
import time

from lab import LabError
from lab.fpm import Fpm
from paths import LABELS, PAGE
from statistic import median
from table import bold, show

COUNT = 15  # Fresh workers of each path.


def measure(load, path, count=COUNT):
    load.progress.step(f"cold start: {LABELS[path]}")
    settings = load.paths.settings[load.paths.kind(path)]
    firsts, seconds = [], []
    with Fpm(workers=1, settings=settings) as fpm:
        for number in range(count):
            firsts.append(request(fpm, load.paths.queries[path], number))
            seconds.append(request(fpm, load.paths.queries[path], number))
            replace(fpm)
    load.add(
        "cold",
        path,
        "hgets",
        {
            "count": count,
            "first_p50_us": median(firsts) / 1e3,
            "second_p50_us": median(seconds) / 1e3,
        },
    )


def request(fpm, query, number):
    """Its nanoseconds. It goes straight to php-fpm, without nginx."""
    begun = time.perf_counter_ns()
    answer = fpm.request(PAGE, query=f"{query}&job=hgets&number={number}")
    taken = time.perf_counter_ns() - begun
    if answer != (200, b"100"):
        raise LabError(f"cold start, {query}: {answer}")
    return taken


def replace(fpm):
    """Ends the only worker; the master starts another one."""
    (old,) = fpm.worker_pids()
    os.kill(old, signal.SIGTERM)
    fpm.process.wait_until(
        lambda: len(fpm.worker_pids()) == 1 and fpm.worker_pids() != [old],
        what="replace its worker",
    )


def show_table(rows):
    print(bold("\nA batch of 100 HGETs by a fresh php-fpm worker\n"))
    show(
        ("path", "first request", "second request"),
        [
            (
                LABELS[row["path"]],
                f"{row['first_p50_us'] / 1e3:.2f} ms",
                f"{row['second_p50_us'] / 1e3:.2f} ms",
            )
            for row in rows
            if row["part"] == "cold"
        ],
    )
