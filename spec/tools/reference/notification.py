"""Which channels and patterns go to every node: the reference for both languages.

In: the name of a channel, or a pattern. Out: whether notifications of keys arrive there. Each node
publishes its notifications only on itself. Spec: route.md, "Subscriptions".
"""

import re

BEGINS = ("__keyspace@", "__keyevent@")


def is_channel(name):
    return name.startswith(BEGINS)


def may_match(pattern):
    literal = re.split(r"[*?\[\\]", pattern)[0]
    return any(begin.startswith(literal) or literal.startswith(begin) for begin in BEGINS)
