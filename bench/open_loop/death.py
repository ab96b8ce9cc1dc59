"""A node that hangs, recovers and dies, while requests arrive.

Each request is one GET, so three of four do not need the node. The tables show what happens to
them.
"""

import time

from paths import LABELS, is_php
from table import bold, show

PATHS = ("php.onehop", "php.nodes", "php.proxy", "java.onehop", "java.proxy")
SCENE = ((2, "pause"), (5, "resume"), (7, "kill"))  # (second, what happens to node 0)
SECONDS = 10
# Requests a second: few for every path, but more than its threads can keep waiting for a second.
PHP_RATE, JAVA_RATE = 500, 2000
# The driver prepares its threads and the arrivals before the first request.
LEAD_S = 0.1


def measure(load, path, scene=SCENE, seconds=SECONDS):
    load.progress.step(f"a node hangs, recovers and dies: {LABELS[path]}")
    paths, node = load.paths, load.paths.nodes[0]
    rate = PHP_RATE if is_php(path) else JAVA_RATE
    begun = time.monotonic() + LEAD_S
    paths.driver.begin(path, "get", threads=load.threads(path), rate=rate, seconds=seconds)
    for second, action in scene:
        time.sleep(max(0, begun + second - time.monotonic()))
        getattr(node, action)()
    result = paths.driver.result()
    paths.revive(0)
    load.add("death", path, "get", {"scene": scene, **result})


def show_table(rows):
    rows = [row for row in rows if row["part"] == "death"]
    if not rows:
        return
    print(bold("\nOne GET; one node of four hangs, recovers and dies\n"))
    events = ", ".join(f"{action} at {second} s" for second, action in rows[0]["scene"])
    print(f"  {events}; the requests that arrived in each second\n")
    table = []
    for row in rows:
        seconds = row["seconds"]
        label = f"{LABELS[row['path']]}, {row['offered']:,.0f}/s"
        table.append((label, "p50 ms", *(f"{each['p50_us'] / 1e3:,.1f}" for each in seconds)))
        table.append(("", "p99 ms", *(f"{each['p99_us'] / 1e3:,.1f}" for each in seconds)))
        failed = (each["failed"] / max(1, each["requests"]) for each in seconds)
        table.append(("", "failed", *(f"{share:.0%}" for share in failed)))
    show(("second", "", *range(len(rows[0]["seconds"]))), table, left=2)
