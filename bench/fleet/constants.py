"""The product's own numbers, read from where the product has them. Nothing here repeats one."""

import json
import os
import re

import tree

from reference.health import Health

STORE = "php-ext/src/core/store/store.h"


def _named(group):
    with open(os.path.join(tree.ROOT, "spec/constants.json")) as page:
        return {one["name"]: one["value"] for one in json.load(page)[group]}


def of_c(path, name):
    """The number of a #define."""
    with open(os.path.join(tree.ROOT, path)) as source:
        return int(re.search(rf"^#define {name} (\d+)u?\b", source.read(), re.MULTILINE)[1])


TIMINGS, LIMITS = _named("timings"), _named("limits")
IDLE_S = TIMINGS["connection_idle_ms_max"] / 1e3
LOOK_S = TIMINGS["config_check_every_ms"] / 1e3
LEFT_S = of_c(STORE, "OH_STORE_LEFT_MS") / 1e3
TIDY_S = of_c("php-ext/src/core/store/store_entry.c", "TIDY_EVERY_MS") / 1e3


def check():
    """The simulated circuit breaker rests as long as the product's table says."""
    health = Health(ejects=False, failure_limit=LIMITS["node_failures_default"], retry_ms=0)
    pauses, now = [], 1
    for _ in range(8):
        health.failed(now, "refused", health.generation, health.heard, 0)
        pauses.append(health.until - now)
        now = health.until
    first, longest = TIMINGS["rest_ms_first"], TIMINGS["rest_refused_ms_max"]
    assert pauses == [min(first << step, longest) for step in range(8)], pauses
