"""One cursor for SCAN over all nodes: the reference for both languages.

In: the fingerprint of a topology, its number of nodes, and a cursor as SCAN has it (decimal text).
read() returns the node to ask and that node's own cursor. write() returns the caller's next cursor
after that node has answered. Nothing is remembered in between: the cursor has all that is needed.
Spec: route.md, "SCAN".
"""

NODE_BITS, INDEX_BITS, TOPOLOGY_BITS = 40, 12, 11


class Foreign(Exception):
    """The cursor was not made under this topology (Unsupported)."""


class TooLarge(Exception):
    """A node gave a cursor that has no room in ours (ProtocolViolation)."""


def topology(fingerprint):
    """The first 11 bits of the fingerprint."""
    return int(fingerprint[:3], 16) >> 1


def read(fingerprint, nodes, cursor):
    """(index of the node, its own cursor)."""
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
    return index, str(int(cursor) & (1 << NODE_BITS) - 1)


def write(fingerprint, nodes, index, answered):
    """The caller's next cursor, after the node of this index has answered with its own cursor."""
    if not (answered.isascii() and answered.isdigit()) or int(answered) >> NODE_BITS:
        raise TooLarge(answered)
    if int(answered) == 0:
        index += 1
        if index == nodes:
            return "0"
    return str(topology(fingerprint) << NODE_BITS + INDEX_BITS | index << NODE_BITS | int(answered))
