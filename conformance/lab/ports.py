"""Free loopback ports that no other program of the lab gets at the same time.

Ports are taken in blocks below the range of outgoing connections. To reserve a block, a program
binds a UDP socket to the block's first number, at a loopback address used for nothing else, until
it ends. So two programs never have the same block.
"""

import random
import socket

BLOCK = 50
PORTS = range(10000, 32000, BLOCK)  # The kernel gives outgoing connections ports from 32768 on.

_free = []  # Ports of our blocks that are not handed out yet.
_blocks = []  # The sockets that reserve the blocks.


def free_port():
    """A free TCP port; this program never gets the same one twice."""
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
    """True if no socket has the port, at any address, not even one closed a moment ago."""
    with socket.socket() as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
