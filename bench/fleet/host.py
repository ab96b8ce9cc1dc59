"""A simulated host and one of its nodes: pages, their connections, the circuit breaker.

Hosts know nothing of each other. So a fleet is many independent hosts, and a sample of them shows
what a node sees of all. A host is simulated event by event:

    page begins ─► call ─► health: go, probe or refuse ─► connection: kept, idle, new, or wait
                    ▲                                          │
                    └── next call of the page ◄── answered or failed ─► kept, parked or closed

The circuit breaker is `Health` of conformance/reference/health.py. Conformance checks it with the
same scenarios as C and Java. The rules of connections are those of spec/topology/segment.md: the
host opens at most `pool_size`, a page keeps its connection until it ends while at most three
quarters are in use, and a connection idle for `connection_idle_ms_max` is not used again.

Times are seconds. Calls of a page on other nodes are not simulated: they only take part of its
time.
"""

import collections
import dataclasses
import heapq
import itertools
import json
import os
import re

import tree

from reference.health import Health


def _named(group):
    with open(os.path.join(tree.ROOT, "spec/constants.json")) as page:
        return {one["name"]: one["value"] for one in json.load(page)[group]}


def _defined(path, name):
    """The number that a #define in the C core stands for."""
    with open(os.path.join(tree.ROOT, "php-ext/src/core", path)) as source:
        return int(re.search(rf"^#define {name} (\d+)u?\b", source.read(), re.MULTILINE)[1])


# The product's own numbers, read from where the product has them.
TIMINGS, LIMITS = _named("timings"), _named("limits")
IDLE_S = TIMINGS["connection_idle_ms_max"] / 1e3
LOOK_S = TIMINGS["config_check_every_ms"] / 1e3
LEFT_S = _defined("store/store.h", "OH_STORE_LEFT_MS") / 1e3
TIDY_S = _defined("store/store_entry.c", "TIDY_EVERY_MS") / 1e3

ROUND_TRIP_S = 0.0005  # How long a refusal takes, and a handshake.


@dataclasses.dataclass(frozen=True)
class Load:
    """What one host does to one node."""

    pages: float  # Pages a second that call the node.
    page_s: float  # How long a page takes.
    calls: int = 1  # Calls of a page on the node.
    call_s: float = 0.001  # How long a call uses its connection.
    pool_size: int = 16
    timeout_s: float = 0.4


class Node:
    """Up, except from `dies` to `returns`. Meanwhile a silent node answers nothing, like a host
    without power. Other nodes refuse connections and close old ones, as when redis was killed."""

    def __init__(self, dies=float("inf"), returns=float("inf"), is_silent=False):
        self.dies, self.returns, self.is_silent = dies, returns, is_silent

    def is_up(self, at):
        return not self.dies <= at < self.returns

    def is_same(self, before, now):
        """True if a connection that was opened at `before` does not look broken at `now`."""
        return before >= self.dies or now < self.dies or (self.is_silent and now < self.returns)


class Connection:
    def __init__(self, opened):
        self.opened = self.parked = opened


class Page:
    def __init__(self, ends, calls):
        self.ends, self.calls, self.kept = ends, calls, None


class Host:
    """Run it, then read `attempts`, `changes`, `back_at` and `waits`."""

    def __init__(self, load, node, chance, *, begins=0.0, ends=float("inf"), reloads=float("inf")):
        self.load, self.node, self.chance = load, node, chance
        self.begins, self.ends, self.reloads = begins, ends, reloads
        self.attempts = []  # When the host tried to connect.
        self.changes = []  # (when, +1 or -1): connections of the node.
        self.back_at = None  # The first answer after the node's return.
        self.calls = self.waits = 0
        self._events, self._order = [], itertools.count()
        self._reset()
        self._at(begins + chance.expovariate(load.pages), self._page)
        self._at(reloads, self._reload)
        if ends < float("inf"):  # The node leaves the configuration of this host.
            self._at(ends + load.page_s + LEFT_S + chance.uniform(0, TIDY_S), self._restart)

    def run(self, until):
        while self._events and self._events[0][0] < until:
            at, _, event, arguments = heapq.heappop(self._events)
            event(at, *arguments)
        return self

    # ---- Pages ----

    def _at(self, at, event, *arguments):
        if at < float("inf"):
            heapq.heappush(self._events, (at, next(self._order), event, arguments))

    def _reset(self):
        self.health = Health(
            ejects=False, failure_limit=LIMITS["node_failures_default"], retry_ms=0
        )
        self.idle, self.waiting = collections.deque(), collections.deque()
        self.seats = self.leased = 0

    def _page(self, at):
        self._at(at + self.chance.expovariate(self.load.pages), self._page)
        if at >= self.ends:
            return
        if self.reloads <= at < self.reloads + self.load.page_s:
            at = self.reloads + self.load.page_s  # The page waits for the new workers.
        step = self.load.page_s / self.load.calls
        first = at + self.chance.random() * step
        page = Page(at + self.load.page_s, self.load.calls)
        self._at(first, self._call, page)
        self._at(page.ends, self._end, page)

    def _end(self, at, page):
        if page.kept:
            kept, page.kept = page.kept, None
            self.leased -= 1
            self._park(at, kept)

    def _reload(self, at):
        """The old workers finish their pages. Then the master starts again and knows nothing."""
        self._at(at + self.load.page_s, self._restart)

    def _restart(self, at):
        self.changes += [(at, -1)] * self.seats
        self._events = [event for event in self._events if event[2] == self._page]
        heapq.heapify(self._events)
        self._reset()

    # ---- Calls ----

    def _call(self, at, page, deadline=None):
        deadline = deadline or at + self.load.timeout_s
        self.calls += 1
        if self.health.ask(_ms(at), int(self.load.timeout_s * 1e3)) == "refuse":
            self._after(at, page)
        else:
            self._lease(at, page, deadline)

    def _lease(self, at, page, deadline):
        connection, page.kept = page.kept, None
        if connection:
            self.leased -= 1
            if not self.node.is_same(connection.opened, at):
                self._close(at)
                connection = None
        connection = connection or self._take(at)
        if connection:
            self._use(at, page, connection, deadline)
        elif self.seats < self.load.pool_size:
            self._open(at, page, deadline)
        else:
            self.waits += 1
            self.waiting.append((page, deadline))

    def _take(self, at):
        while self.idle:
            connection = self.idle.popleft()
            if at - connection.parked < IDLE_S and self.node.is_same(connection.opened, at):
                return connection
            self._close(at)
        return None

    def _open(self, at, page, deadline):
        self.seats += 1
        self.leased += 1
        self.attempts.append(at)
        born = self.health.generation, self.health.heard
        if self.node.is_up(at):
            self.changes.append((at, 1))
            self._at(at + ROUND_TRIP_S, self._opened, page, Connection(at), deadline, born)
        else:
            is_silent = self.node.is_silent
            ends = deadline if is_silent else at + ROUND_TRIP_S
            self._at(ends, self._fail, page, "exchange" if is_silent else "refused", born)

    def _opened(self, at, page, connection, deadline, born):
        self._at(at + self.load.call_s, self._done, page, connection, at, deadline, born)

    def _use(self, at, page, connection, deadline):
        self.leased += 1
        born = self.health.generation, self.health.heard
        self._at(at + self.load.call_s, self._done, page, connection, at, deadline, born)

    def _done(self, at, page, connection, began, deadline, born):
        if self.node.is_same(connection.opened, at) and self.node.is_up(at):
            self.health.answered(_ms(at))
            if self.back_at is None and at >= self.node.returns:
                self.back_at = at
            if self.leased * 4 <= self.load.pool_size * 3:
                page.kept = connection
            else:
                self.leased -= 1
                self._park(at, connection)
            self._after(at, page)
        elif self.node.is_silent and at < self.node.returns:
            self._at(max(at, deadline), self._fail, page, "exchange", born, connection)
        else:
            self._fail(at, page, "exchange", born, connection)

    def _fail(self, at, page, cause, born, connection=None):
        generation, heard = born
        self.health.failed(_ms(at), cause, generation, heard, self.chance.getrandbits(32))
        self.leased -= 1
        if connection:
            self._close(at)
        else:
            self.seats -= 1
            self._wake(at)
        self._after(at, page)

    def _after(self, at, page):
        page.calls -= 1
        if page.calls > 0:
            self._at(at + self.load.page_s / self.load.calls, self._call, page)
        elif at >= page.ends:
            self._end(at, page)  # The last call ended after the page should have.

    # ---- Connections ----

    def _park(self, at, connection):
        connection.parked = at
        self.idle.append(connection)
        self._wake(at)

    def _close(self, at):
        self.seats -= 1
        self.changes.append((at, -1))
        self._wake(at)

    def _wake(self, at):
        if self.waiting:
            page, deadline = self.waiting.popleft()
            if at < deadline:
                self._at(at, self._call_late, page, deadline)
            else:
                self._after(at, page)

    def _call_late(self, at, page, deadline):
        """A caller that has waited asks again: the node may have died meanwhile."""
        self.calls -= 1
        self._call(at, page, deadline)


def _ms(at):
    return 1 + int(at * 1e3)
