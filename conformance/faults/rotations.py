"""Passwords rotate and servers come and go under load: old connections close, sharing never stops.

Each change brings another password and another server (a second name of one of the four nodes), so
all nodes change. Passwords that workers may still use stay valid. Workers do not run as root,
because the kernel does not limit root's descriptors. One of two runs limits descriptors.
"""

import random
import re
import time

from figures import Figure
from house import NODES, POOL_SIZE, Callers, House, clients_of
from lab import LabError
from table import bold, show

WORKERS = 12
CALLERS = 6
PER_SECOND = 4  # Workers check the file once a second.
PASSWORDS_VALID = 200
SETTLED_SECONDS = 60  # By then all old connections are closed.
LIMITS = (300, None)


def run(progress, is_short):
    changes = 12 if is_short else 1000
    found = []
    for limit in LIMITS[:1] if is_short else LIMITS:
        label = f"{limit} descriptors" if limit else "default"
        progress.step(f"rotations: starting servers, {label}")
        with House(workers=WORKERS, user="nobody", descriptors=limit) as house:
            found.append((label, measure(house, changes, progress, label)))
    progress.done()
    report(found, changes)
    return [figure for label, one in found for figure in figures(label, one, changes)]


def report(found, changes):
    print(
        bold(
            f"\n{changes:,} passwords and {changes:,} servers added and removed, "
            f"{PER_SECOND} a second, {WORKERS} workers, {CALLERS} callers\n"
        )
    )
    show(
        (
            "limit",
            "pages",
            "calls",
            "adopted",
            "peak connections of a node",
            "opened",
            "afterwards",
            "settled after",
            "opened in the next 5 s",
            "warnings",
        ),
        [
            (
                label,
                f"{one['pages']:,}",
                f"{one['calls']:,}",
                one["adopted"],
                one["most"],
                f"{one['opened']:,}",
                one["left"],
                f"{one['settled']:.0f} s",
                one["late"],
                one["lines"],
            )
            for label, one in found
        ],
    )


def figures(label, one, changes):
    yield Figure(f"{label}: wrong replies", one["wrong"], 0, is_hard=True)
    yield Figure(f"{label}: exceptions", one["errors"], 0, is_hard=True)
    yield Figure(f"{label}: connections of a node afterwards", one["left"], POOL_SIZE, is_hard=True)
    yield Figure(
        f"{label}: seconds until then", one["settled"], float(SETTLED_SECONDS), is_hard=True
    )
    yield Figure(
        f"{label}: connections opened after the last change", one["late"], NODES, is_hard=True
    )
    yield Figure(
        f"{label}: changes that workers adopted",
        one["adopted"],
        changes // PER_SECOND // 2,
        is_least=True,
    )


def measure(house, changes, progress, label):
    change(house, 0)
    time.sleep(1.5)
    wait_for_password(house)
    most, opened = 0, accepted(house)
    with Callers(house, "checked.php", CALLERS, rounds=1, pause=2000) as load:
        for number in range(1, changes + 1):
            change(house, number)
            time.sleep(1 / PER_SECOND)
            most = max(most, *map(clients_of, house.probes))
            if number % PER_SECOND == 0:
                progress.share(f"rotations, {label}", number, changes)
        old = [ids_of(probe) for probe in house.probes]
        change(house, changes + 1, has_extra=False)
        began = time.monotonic()
        while time.monotonic() - began < SETTLED_SECONDS + 5 and any(
            ids & ids_of(probe) for ids, probe in zip(old, house.probes)
        ):
            time.sleep(0.5)
        settled = time.monotonic() - began
        before = accepted(house)
        time.sleep(5)
        late = accepted(house) - before
        left = max(map(clients_of, house.probes))
    lines = house.log_lines()
    return {
        "pages": len(load.answers),
        "calls": load.sum("calls"),
        "wrong": load.sum("wrong"),
        "errors": load.errors().total(),
        "most": most,
        "opened": before - opened,
        "left": left,
        "settled": settled,
        "late": late,
        "adopted": len([line for line in lines if re.search(r"\(generation \d+\)", line)]),
        "lines": sum("max_nodes" in line or "LimitNOFILE" in line for line in lines),
    }


def wait_for_password(house):
    """Waits until the first password is in use: nodes now reject clients without a password."""
    for _ in range(150):
        try:
            return house.page("checked.php", rounds=1)
        except LabError:
            time.sleep(0.2)
    raise LabError("the workers do not use the first password")


def change(house, number, has_extra=True):
    for probe in house.probes:
        words = [f">secret-{number}"]
        if number > PASSWORDS_VALID:
            words.append(f"<secret-{number - PASSWORDS_VALID}")
        probe.command("ACL", "SETUSER", "default", *words)
    text = house.configuration(redis_auth=f"secret-{number}")
    if has_extra:
        text += f"    - {random.choice(house.nodes).server_line(name=f'extra{number}')}\n"
    house.write(text)


def ids_of(probe):
    """The ids of a node's connections, without our own."""
    clients = probe.command("CLIENT", "LIST").decode()
    return set(map(int, re.findall(r"\bid=(\d+)", clients))) - {probe.command("CLIENT", "ID")}


def accepted(house):
    """How many connections the nodes have accepted so far."""
    stats = (probe.command("INFO", "stats").decode() for probe in house.probes)
    return sum(int(re.search(r"total_connections_received:(\d+)", text)[1]) for text in stats)
