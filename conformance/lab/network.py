"""Network namespaces connected by user-space wires: reproducible delay and loss on one machine.

    with Namespace() as near, Wire(near, far_count=8, delay_s=0.001) as wire:
        nodes = [RedisNode(namespace=far, host=far.host) for far in wire.far]
        Process(["php", "client.php"], namespace=near)    # reaches every node with 1 ms each way

        near 10.77.0.1 ── tun ╮              ╭ tun ── 10.77.0.2 far[0]
             10.77.1.1 ── tun ┤  wire.py:    ├ tun ── 10.77.1.2 far[1]
                              ╰ waits, drops ╯        ...

One `Wire` is one process that serves any number of far namespaces with the same delay and loss. A
second Wire on the same near namespace has a delay and loss of its own. `wire.process.pause()` makes
a black hole, `resume()` heals it. A Wire needs root but no kernel module.

A namespace has no name in /run/netns. Only our descriptor and the processes inside keep it alive,
so the kernel removes it with its devices when they are gone, however this program ended.
"""

import contextlib
import ctypes
import fcntl
import itertools
import os
import struct
import subprocess
import sys

from .process import LabError, Process, Running, program

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
OWN_NAMESPACE = "/proc/thread-self/ns/net"

_libc = ctypes.CDLL(None, use_errno=True)
_subnets = itertools.count()


class Namespace:
    """A network namespace with a loopback device. `host` is its address on the wire."""

    host = None

    def __init__(self):
        with _return_home():
            _call("unshare", CLONE_NEWNET)
            self.descriptor = os.open(OWN_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
            _ip("link set lo up")

    def enter(self):
        """Moves the calling thread into it for good. A child calls it between fork and exec."""
        _call("setns", self.descriptor, CLONE_NEWNET)

    @contextlib.contextmanager
    def entered(self):
        """Moves the calling thread into it for one block. A socket stays where it was opened."""
        with _return_home():
            self.enter()
            yield self

    def open_tun(self, name, address, peer, mtu):
        """A point-to-point device. The descriptor returns the packets sent through it."""
        with self.entered():
            device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            fcntl.ioctl(
                device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI)
            )
            # No IPv6 background traffic: it would use up the wire's random numbers.
            _ip(f"link set {name} addrgenmode none")
            _ip(f"address add {address} peer {peer} dev {name}")
            _ip(f"link set {name} mtu {mtu} up")
        return device

    def close(self):
        os.close(self.descriptor)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Wire(Running):
    """Carries packets between `near` and new far namespaces.

    Each packet waits `delay_s`; a fraction of them, `loss`, never arrives.
    """

    def __init__(self, near, *, far_count=1, delay_s=0.0, loss=0.0, seed=0, mtu=1500):
        self.far, devices = [], []
        try:
            for _ in range(far_count):
                far, subnet = Namespace(), next(_subnets)
                self.far.append(far)
                here, far.host = f"10.77.{subnet}.1", f"10.77.{subnet}.2"
                devices += [
                    near.open_tun(f"wire{subnet}", here, far.host, mtu),
                    far.open_tun("wire", far.host, here, mtu),
                ]
            self.process = Process(
                [
                    sys.executable,
                    os.path.join(os.path.dirname(os.path.abspath(__file__)), "wire.py"),
                    delay_s,
                    loss,
                    seed,
                    *devices,
                ],
                name="wire",
                pass_fds=devices,
            )
        except BaseException:
            self._close_far()
            raise
        finally:
            for device in devices:
                os.close(device)

    def stop(self):
        self.process.stop()
        self._close_far()

    def _close_far(self):
        for far in self.far:
            far.close()


@contextlib.contextmanager
def _return_home():
    """Returns the calling thread to its namespace, whatever the block did."""
    home = os.open(OWN_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield
    finally:
        try:
            _call("setns", home, CLONE_NEWNET)
        finally:
            os.close(home)


def _call(function, *arguments):
    if getattr(_libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise LabError(f"{function}: {os.strerror(number)}; network namespaces need root")


def _ip(arguments):
    run = subprocess.run(
        [program("ip"), *arguments.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if run.returncode != 0:
        raise LabError(f"ip {arguments}: {run.stdout.strip()}")
