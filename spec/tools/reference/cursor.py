"""One cursor for SCAN over all nodes: the reference for both languages.

In: the fingerprint of a topology, its number of nodes, and a cursor as SCAN has it (decimal text).
read() returns the node to ask and that node's own cursor. write() returns the caller's next cursor
after that node has answered. The caller's cursor contains all that is needed. Only if a node's
cursor is too large, it is kept, and a ticket takes its place. Spec: route.md, "SCAN".
"""

NODE_BITS, INDEX_BITS, TOPOLOGY_BITS = 40, 12, 11
TICKET = 1 << NODE_BITS - 1
ALL = (1 << 64) - 1


class Foreign(Exception):
    """The cursor was not made under this topology (Unsupported)."""


class Dropped(Exception):
    """The node's cursor is not kept any more, or was never kept here (Unsupported)."""


class TooLarge(Exception):
    """A node gave a cursor that is not a number of 64 bits (ProtocolViolation)."""


def topology(fingerprint):
    """The first 11 bits of the fingerprint."""
    return int(fingerprint[:3], 16) >> 1


def mixed(number):
    """David Stafford's mix 13, as in splitmix64. No two numbers have the same result."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & ALL
    number = (number ^ number >> 27) * 0x94D049BB133111EB & ALL
    return number ^ number >> 31


def ticket(own):
    """What stands for a node's cursor in ours."""
    return own if own < TICKET else TICKET | mixed(own) & TICKET - 1


def read(fingerprint, nodes, cursor, kept=()):
    """(index of the node, its own cursor); `kept` are the nodes' cursors that were kept."""
    if cursor == "0":
        return 0, "0"
    if (
        not (cursor.isascii() and cursor.isdigit())
        or int(cursor) >> NODE_BITS + INDEX_BITS + TOPOLOGY_BITS
    ):
        raise Foreign(cursor)
    index = int(cursor) >> NODE_BITS & (1 << INDEX_BITS) - 1
    if int(cursor) >> NODE_BITS + INDEX_BITS != topology(fingerprint) or index >= nodes:
        raise Foreign(cursor)
    within = int(cursor) & (1 << NODE_BITS) - 1
    if within < TICKET:
        return index, str(within)
    for own in kept:
        if ticket(int(own)) == within:
            return index, own
    raise Dropped(cursor)


def write(fingerprint, nodes, index, answered):
    """The caller's next cursor, after the node of this index has answered with its own cursor."""
    if not (answered.isascii() and answered.isdigit()) or int(answered) > ALL:
        raise TooLarge(answered)
    if int(answered) == 0:
        index += 1
        if index == nodes:
            return "0"
    return str(
        topology(fingerprint) << NODE_BITS + INDEX_BITS | index << NODE_BITS | ticket(int(answered))
    )
