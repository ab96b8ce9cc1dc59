"""The wire itself: reads packets from TUN devices, delays them, and writes them to the other end.

    wire.py DELAY_S LOSS SEED NEAR FAR [NEAR FAR ...]    started by network.py with open devices

Each packet waits exactly DELAY_S (so the order never changes) and is dropped with probability LOSS.
Every direction of every pair draws from its own random sequence. So the n-th packet of a direction
has the same fate in every run with the same SEED, whatever the other directions carry.
"""

import collections
import contextlib
import ctypes
import os
import random
import select
import sys
import time

PR_SET_TIMERSLACK = 29
PACKET_BYTES_MAX = 65535
# Limits the turn of a busy device, so that packets due elsewhere are not late.
READS_PER_TURN_MAX = 64


def main():
    delay_s, loss, seed = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)  # Otherwise the kernel wakes us up to 50 us late.
    devices = [int(word) for word in sys.argv[4:]]
    other_end, fate = {}, {}
    for near, far in zip(devices[::2], devices[1::2]):
        other_end.update({near: far, far: near})
    for index, device in enumerate(devices):
        fate[device] = random.Random(f"{seed}/{index}")
    carry(devices, other_end, delay_s, lambda device: fate[device].random() >= loss)


def carry(devices, other_end, delay_s, survives):
    # (due, device, packet). All packets have the same delay, so they are in order of `due`.
    under_way = collections.deque()
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        for device in select.select(devices, [], [], wait)[0]:
            for packet in read_packets(device):
                if survives(device):
                    under_way.append((time.monotonic() + delay_s, other_end[device], packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, device, packet = under_way.popleft()
            # A full queue or a link that is down loses the packet, as on any wire.
            with contextlib.suppress(OSError):
                os.write(device, packet)


def read_packets(device):
    for _ in range(READS_PER_TURN_MAX):
        try:
            yield os.read(device, PACKET_BYTES_MAX)
        except OSError:
            return  # Nothing more to read now.


if __name__ == "__main__":
    main()
