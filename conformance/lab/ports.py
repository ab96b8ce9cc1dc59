"""Ports of the loopback that nobody listens on, and that no other program of the lab is given at the same time.

Ports are taken in blocks, below those of outgoing connections. Who has a block holds its first number in UDP, at an
address of its own, until the program ends: so two programs never have the same block.
"""

import random
import socket

BLOCK = 50
PORTS = range(10000, 32000, BLOCK)  # The kernel gives outgoing connections ports from 32768 on.

_free = []  # Ports of our blocks that are still to be given.
_blocks = []  # The sockets that hold them.


def free_port():
    """A TCP port that nobody listens on, never given out twice by this program."""
    while True:
        if not _free:
            _free.extend(_take_block())
        port = _free.pop()
        if _is_free(port):
            return port


def _take_block():
    for first in random.SystemRandom().sample(PORTS, len(PORTS)):
        block = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            block.bind(("127.0.0.77", first))
        except OSError:
            block.close()
            continue
        _blocks.append(block)
        return range(first, first + BLOCK)
    raise RuntimeError(f"no ports are left between {PORTS.start} and {PORTS.stop}")


def _is_free(port):
    """Whether nobody has it, at any address; who has left it a moment ago counts, too."""
    with socket.socket() as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
