"""How many socket system calls one GET costs in PHP: counted by strace, so the answer is exact.

A small PHP program runs under strace twice, with few and with many GETs. The result is the
difference of all calls on a TCP socket (send, recv, poll, fcntl and any other), divided by the
difference of the GETs. So the calls for starting, connecting and ending do not count.
"""

import subprocess
import tempfile

import tree  # noqa: F401 (finds the lab)

from built import EXTENSION
from lab import LabError
from lab.process import program

FEW, MANY = 10, 510
# The words: onehop CONFIG POOL COUNT, or phpredis HOST PORT COUNT.
GETS = """
[, $client, $where, $which, $count] = $argv;
if ($client === 'onehop') {
    $redis = new OneHop\\Redis($which, $where);
} else {
    $redis = new Redis();
    $redis->connect($where, (int) $which);
}
$redis->set('greeting', 'hello');
for ($i = 0; $i < (int) $count; $i++) {
    if ($redis->get('greeting') !== 'hello') {
        exit(1);
    }
}
$redis->del('greeting');
"""


def socket_calls_per_get(client, *words):
    """`client` is onehop (CONFIG POOL) or phpredis (HOST PORT)."""
    load = ["-d", f"extension={EXTENSION}"] if client == "onehop" else []
    few, many = (
        _socket_calls(["php", *load, "-r", GETS, "--", client, *map(str, words), str(count)])
        for count in (FEW, MANY)
    )
    return (many - few) / (MANY - FEW)


def trace(command, *options):
    """The lines that strace writes for a command and its threads. Sockets are <TCP:...>."""
    with tempfile.NamedTemporaryFile(mode="r", errors="replace") as lines:
        strace = [program("strace"), "-f", "-yy", *options, "-o", lines.name]
        run = subprocess.run(
            [*strace, program(command[0]), *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if run.returncode != 0:
            raise LabError(
                f"{' '.join(command)} under strace ended with {run.returncode}\n{run.stdout}"
            )
        return lines.readlines()


def _socket_calls(command):
    return sum("<TCP:" in line for line in trace(command))
