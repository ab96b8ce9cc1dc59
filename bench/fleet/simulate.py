"""The large fleet in tables: what one of its nodes sees."""

import dataclasses
import time

from fleet import Fleet, changed_file, outage, reload_wave
from host import LIMITS, TIMINGS
from reference.health import Health
from statistic import percentile
from table import bold, show

DOWN_S, UNTIL_S = 60, 90
MAXCLIENTS = 10_000  # The default of redis.


def run(is_short, picture=None):
    check_rests()
    fleet = Fleet(sample=40 if is_short else 1_000)
    began = time.monotonic()
    print(
        bold(
            f"{fleet.hosts:,} hosts x {fleet.workers} workers x {fleet.nodes:,} nodes, "
            f"pool_size {fleet.pool_size}; every {fleet.hosts // fleet.sample}th host is simulated"
        )
    )
    curves = {
        f"A node is down from 0 to {DOWN_S} s": outages(fleet),
        "Every php-fpm reloads": reloads(fleet),
        "A file replaces the node by this one": files(fleet),
    }
    sizes(fleet)
    print(f"\n  {time.monotonic() - began:.0f} s")
    if picture:
        draw(curves, picture)


def check_rests():
    """The simulated circuit breaker rests as long as the product's table says."""
    health = Health(ejects=False, failure_limit=LIMITS["node_failures_default"], retry_ms=0)
    pauses, now = [], 1
    for _ in range(8):
        health.failed(now, "refused", health.generation, health.heard, 0)
        pauses.append(health.until - now)
        now = health.until
    first, longest = TIMINGS["rest_ms_first"], TIMINGS["rest_refused_ms_max"]
    assert pauses == [min(first << step, longest) for step in range(8)], pauses


def outages(fleet):
    curves, rows = {}, []
    for label, is_silent in (("refuses", False), ("is silent", True)):
        seen, back = outage(fleet, DOWN_S, is_silent=is_silent, after_s=UNTIL_S - DOWN_S)
        check_pauses(seen, back)
        curves[f"it {label}"] = seen
        rows.append(
            (
                label,
                f"{seen.attempts_at(0):,}",
                f"{seen.most_attempts(1, 10):,}",
                f"{seen.most_attempts(30, DOWN_S):,}",
                f"{seen.most_attempts(DOWN_S, DOWN_S + 30):,}",
                f"{percentile(back, 50):.1f} s",
                f"{percentile(back, 99):.1f} s",
                f"{max(back):.1f} s",
                f"{seen.connections_at(-1):,}",
                f"{seen.most_connections():,}",
            )
        )
    print(f"\na node is down for {DOWN_S} s; attempts per second on it, and the way back:")
    head = (
        "first s",
        "2nd-10th s",
        "after 30 s",
        "on return",
        "half back",
        "99 % back",
        "all back",
    )
    show(("node", *head, "connections", "most"), rows)
    return curves


def check_pauses(seen, back):
    """Every host is back within the longest pause plus the time of one probe."""
    longest_s = (TIMINGS["rest_ms_max"] + TIMINGS["probe_ms_max"]) / 1e3
    assert back and max(back) < longest_s, f"a host came back only after {max(back)} s"
    assert seen.attempts, "nobody tried"


def reloads(fleet):
    curves, rows = {}, []
    for within in (1, 10, 60):
        seen = reload_wave(fleet, within, after_s=UNTIL_S - within)
        curves[f"within {within} s"] = seen
        rows.append(
            (
                f"{within} s",
                f"{seen.most_attempts(0, within + 20):,}",
                f"{seen.connections_at(-1):,}",
                f"{round(min(seen.connections[at] for at in range(within + 5))):,}",
            )
        )
    print("\nevery host's php-fpm reloads once, within a time:")
    show(("within", "attempts per second, most", "connections before", "least"), rows)
    return curves


def files(fleet):
    curves, rows = {}, []
    for within in (1, 10, 60):
        old, new, adopted = changed_file(fleet, within, after_s=UNTIL_S - within)
        curves[f"within {within} s"] = new
        rows.append(
            (
                f"{within} s",
                f"{new.most_attempts(0, within + 20):,}",
                f"{max(adopted) - min(adopted):.1f} s",
                f"{old.last_change:.1f} s",
                f"{new.most_connections():,}",
            )
        )
    print("\na file that replaces a node reaches every host, within a time:")
    head = ("attempts per second on the new node, most", "hosts differ for", "old node left after")
    show(("within", *head, "connections of the new one"), rows)
    return curves


def sizes(fleet):
    """How many connections a node has, by pool_size, half a minute after the fleet has started."""
    rows = []
    for pool_size in (1, 2, 4, 8, 16):
        one = dataclasses.replace(fleet, pool_size=pool_size, sample=min(fleet.sample, 300))
        seen = reload_wave(one, 1)
        limit = one.hosts * pool_size
        rows.append(
            (
                pool_size,
                f"{limit:,}",
                f"{seen.connections_at(30):,}",
                f"{seen.connections_at(30) / MAXCLIENTS:.1f}",
                f"{seen.waits:.2%}",
            )
        )
    print(
        "\nconnections of one node, how many times redis' default of maxclients that is, and waits:"
    )
    head = ("pool_size", "at most", "this load opens", "x maxclients", "calls that wait")
    show(head, rows, left=0)


def draw(groups, path):
    """`groups` is {event: {label: Seen}}. A row for each event: attempts, and connections."""
    import svg  # This needs matplotlib.

    with svg.style():
        figure, rows = svg.subplots(len(groups), 2, (9, 2.4 * len(groups)), sharex=True)
        for row, (event, curves) in zip(rows, groups.items()):
            for colour, (label, seen) in zip(svg.COLOURS, curves.items()):
                seconds = range(-10, max(seen.connections))
                tries = [seen.attempts_at(at) for at in seconds]
                row[0].step(seconds, tries, where="post", color=colour, label=label)
                held = [seen.connections_at(at - 1) for at in seconds]
                row[1].plot(seconds, held, color=colour)
            row[0].set_title(event, loc="left")
            row[0].legend()
            for axes, unit in zip(row, ("attempts per second", "connections")):
                axes.set_ylabel(unit)
                axes.set_ylim(bottom=0)
                axes.set_xlim(-10, 90)
                axes.grid(linewidth=0.4)
                axes.yaxis.set_major_formatter("{x:,.0f}")
        for axes in rows[-1]:
            axes.set_xlabel("seconds")
        svg.save(figure, path, "bench/fleet/simulate.py")
