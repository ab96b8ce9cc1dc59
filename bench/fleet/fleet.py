"""Many simulated hosts and one node: what that node sees of a fleet.

A fleet is simulated by a sample of its hosts, each with its own seed. Attempts and connections are
the sample's, times hosts / sample.
"""

import collections
import dataclasses
import random

from host import LOOK_S, Host, Load, Node

WARM_S = 30  # Before anything happens.


@dataclasses.dataclass(frozen=True)
class Fleet:
    """Every worker is busy a quarter of the time. A page calls `calls` nodes, one call each."""

    hosts: int = 10_000
    workers: int = 128
    nodes: int = 1_000
    page_s: float = 0.1
    busy: float = 0.25
    calls: int = 20
    pool_size: int = 16
    sample: int = 1_000

    def load(self):
        pages = self.workers * self.busy / self.page_s
        return Load(
            pages=pages * self.calls / self.nodes, page_s=self.page_s, pool_size=self.pool_size
        )


class Seen:
    """What one node sees, per second; 0 is the moment of the event."""

    def __init__(self, hosts, scale, until):
        self.last_change = 0.0  # When a connection was opened or closed last.
        self.attempts, changes = collections.Counter(), collections.Counter()
        for host in hosts:
            self.attempts.update(int(at // 1) for at in host.attempts)
            for at, by in host.changes:
                self.last_change = max(self.last_change, at)
                changes[int(at // 1)] += by
        self.attempts = {at: count * scale for at, count in self.attempts.items()}
        self.waits = sum(host.waits for host in hosts) / sum(host.calls for host in hosts)
        self.connections, sum_ = {}, 0
        for at in range(min(changes, default=0), until):
            sum_ += changes[at] * scale
            self.connections[at] = sum_

    def attempts_at(self, at):
        return round(self.attempts.get(at, 0))

    def most_attempts(self, begin, end):
        return max(self.attempts_at(at) for at in range(begin, end))

    def connections_at(self, at):
        return round(self.connections.get(at, 0))

    def most_connections(self):
        return round(max(self.connections.values()))


def outage(fleet, down_s, *, is_silent=False, after_s=30, seed=0, warm_s=WARM_S):
    """The node dies at 0, for all hosts, and returns after `down_s`.

    Returns what the node sees, and how long after its return each host got its first answer.
    """
    hosts = [
        Host(
            fleet.load(),
            Node(0, down_s, is_silent),
            random.Random(f"outage {seed} {number}"),
            begins=-warm_s,
        ).run(down_s + after_s)
        for number in range(fleet.sample)
    ]
    back = sorted(host.back_at - down_s for host in hosts if host.back_at is not None)
    return Seen(hosts, fleet.hosts / fleet.sample, down_s + after_s), back


def reload_wave(fleet, within_s, *, after_s=30, seed=0, warm_s=WARM_S):
    """Each host's php-fpm reloads once, at a random instant of `within_s`, from 0 on."""
    hosts = []
    for number in range(fleet.sample):
        chance = random.Random(f"reload {seed} {number}")
        reloads = chance.uniform(0, within_s)
        hosts.append(
            Host(fleet.load(), Node(), chance, begins=-warm_s, reloads=reloads).run(
                within_s + after_s
            )
        )
    return Seen(hosts, fleet.hosts / fleet.sample, int(within_s + after_s))


def changed_file(fleet, within_s, *, after_s=30, seed=0, warm_s=WARM_S):
    """At a random instant of `within_s`, each host gets a file in which one node is replaced.

    Returns what the old node sees, what the new one sees, and when each host has adopted the file.
    From the first of these instants to the last, hosts place keys differently.
    """
    old, new, adopted = [], [], []
    for number in range(fleet.sample):
        chance = random.Random(f"file {seed} {number}")
        at = chance.uniform(0, within_s) + chance.uniform(0, LOOK_S)
        adopted.append(at)
        until = within_s + after_s
        old.append(Host(fleet.load(), Node(), chance, begins=-warm_s, ends=at).run(until))
        new.append(Host(fleet.load(), Node(), chance, begins=at).run(until))
    scale, until = fleet.hosts / fleet.sample, int(within_s + after_s)
    return Seen(old, scale, until), Seen(new, scale, until), adopted
