"""Runs the roads of both languages and counts: instructions, allocated bytes, calls on sockets.

None of them depends on time or on other load:

    instructions   of the PHP process, as valgrind's callgrind counts them, without the kernel. The
                   processor that valgrind shows to programs is the same on all machines with AVX2.
    bytes          that Java's calling thread allocates. Only the first compiler (C1) runs. The
                   second one removes some allocations, not always the same.
    socket calls   that send, receive or wait.

The smallest sample counts. On a busy machine most samples have more: a late answer costs one call
more, replies that arrive in parts cost Java more bytes, and what PHP does once in some milliseconds
or seconds falls into more samples, because each of them takes longer.

A client that has to wait several times for its answers executes more instructions. So strace pauses
the client, with valgrind around it, after each send: when the client reads, all answers are there.

valgrind writes a profile whenever roads.php calls lstat(), and starts again at 0.
"""

import collections
import contextlib
import glob
import os
import re
import subprocess
import tempfile
from typing import NamedTuple

import tree  # noqa: F401 (finds the rest)

from built import EXTENSION, JAR
from clusters import configure
from lab import LabError
from lab.process import program
from stage import Stage
from statistic import median
from syscalls import trace

HERE = os.path.dirname(os.path.abspath(__file__))


class Road(NamedTuple):
    """What one sample of a road has, and what one of them is called."""

    calls: int
    commands: int
    call: str
    command: str


# In the order of the two programs.
ROADS = {
    "set": Road(20, 20, "SET", "SET"),
    "get": Road(20, 20, "GET", "GET"),
    "mget": Road(1, 100, "MGET", "key"),
    "pipeline": Road(1, 1000, "batch", "HGET"),
    "cluster.pipeline": Road(1, 1000, "batch", "HGET"),
    "cluster.mget": Road(1, 1000, "MGET", "key"),
}
SAMPLES, TRACED = 15, 5
PAUSE_US = 3000
# Without php.ini, so that no other extension takes part.
PHP = ["php", "-n", "-d", "extension=igbinary", "-d", "extension=redis"]
PHP += ["-d", f"extension={EXTENSION}", os.path.join(HERE, "roads.php")]
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", JAR]
JAVA += [os.path.join(HERE, "Roads.java")]
WARM_UP = {"bytes": 100, "calls": 3}

OWNERS = {"onehop.so": "OneHop", "redis.so": "phpredis", "libc.so.6": "libc"}
MARK = re.compile(r'\b(?:readlink|lstat|newfstatat)\((?:AT_FDCWD\S* )?"/guard/([a-z.]+)"')
SOCKET = re.compile(r"<TCP|\b(?:epoll_p?wait|p?poll|p?select)\(")
OBJECT = re.compile(r"ob=\((\d+)\)(?: (.+))?")
COST = re.compile(r"[+*\-\d]\S* (\d+)$")


@contextlib.contextmanager
def servers():
    """Yields the configurations of four nodes and of a Redis Cluster with four masters."""
    with Stage() as stage, tempfile.TemporaryDirectory() as directory:
        stage.nodes_behind_nutcracker()
        stage.cluster_of_masters()
        yield [stage.nutcracker.config_path, configure(stage.cluster, directory)]


def counts(configs):
    """{"PHP get": {"instructions per GET": count, "socket calls per GET": count}, ...}"""
    instructions = {
        road: [sum(profile.values()) for profile in profiles]
        for road, profiles in php_profiles(configs).items()
    }
    php_calls = socket_calls([*PHP, TRACED, *configs])
    java_calls = socket_calls([*JAVA, TRACED, WARM_UP["calls"], *configs])
    return {
        **table("PHP", "instructions", instructions, php_calls),
        **table("Java", "bytes", java_bytes(configs), java_calls),
    }


def table(language, cost, costs, calls):
    return {
        f"{language} {name}": {
            f"{cost} per {road.command}": round(min(costs[name]) / road.commands, 1),
            f"socket calls per {road.call}": round(min(calls[name]) / road.calls, 1),
        }
        for name, road in ROADS.items()
    }


def owners(configs):
    """{owner: instructions per HGET}: whose code PHP's pipeline executes."""
    profiles = php_profiles(configs)["pipeline"]
    return {
        owner: median(profile[owner] for profile in profiles) / ROADS["pipeline"].commands
        for owner in set().union(*profiles)
    }


# ---- Instructions ----


def php_profiles(configs):
    """{road: a list of {owner: instructions}, one for each sample}"""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "profile")
        callgrind = [program("valgrind"), "--tool=callgrind", "--dump-before=lstat*"]
        callgrind += [f"--callgrind-out-file={path}"]
        paused = [program("strace"), "--seccomp-bpf", "-f", "-o", "/dev/null"]
        paused += ["-e", "trace=sendto", f"--inject=sendto:delay_exit={PAUSE_US}"]
        run([program("setarch"), "-R", *paused, *callgrind, *PHP, SAMPLES, *configs])
        paths = sorted(glob.glob(f"{path}.*"), key=lambda name: int(name.rsplit(".")[-1]))
        # From the last profile backwards, every second one is a sample; the first are PHP's start.
        profiles = [by_owner(path) for path in paths[-1::-2]][len(ROADS) * SAMPLES - 1 :: -1]
    if len(profiles) != len(ROADS) * SAMPLES:
        raise LabError(f"valgrind wrote {len(paths)} profiles; does it see lstat()?")
    return {
        road: profiles[index * SAMPLES : (index + 1) * SAMPLES] for index, road in enumerate(ROADS)
    }


def by_owner(path):
    """{owner: instructions} of one profile of callgrind."""
    names, costs, owner, is_callee = {}, collections.Counter(), None, False
    with open(path, errors="replace") as profile:
        for line in profile:
            if found := OBJECT.match(line):
                number, name = found.groups()
                names.setdefault(number, name)
                owner = owner_of(os.path.basename(names[number]))
            elif line.startswith("cob=") and (found := OBJECT.match(line[1:])):
                names.setdefault(*found.groups())
            elif line.startswith("calls="):
                is_callee = True  # The next line repeats the callee's cost.
            elif found := COST.match(line):
                costs[owner] += 0 if is_callee else int(found[1])
                is_callee = False
    return costs


def owner_of(name):
    return "Zend" if name.startswith("php") else OWNERS.get(name, "other")


# ---- Bytes ----


def java_bytes(configs):
    """{road: bytes of each sample}"""
    lines = run([program("java"), *JAVA[1:], SAMPLES, WARM_UP["bytes"], *configs]).splitlines()
    return {road: [int(word) for word in words] for road, *words in map(str.split, lines)}


# ---- Socket calls ----


def socket_calls(command):
    """{road: socket calls of each sample}"""
    command = [str(word) for word in command]
    samples, road = collections.defaultdict(list), ""
    for line in trace(command, f"--inject=sendto,write:delay_exit={PAUSE_US}"):
        if found := MARK.search(line):
            road = found[1] if found[1] != "end" else ""
            if road:
                samples[road].append(0)
        elif road and "resumed>" not in line and SOCKET.search(line):
            samples[road][-1] += 1
    return samples


def run(command):
    """The output of a command that must succeed. Its environment has only the names below."""
    done = subprocess.run(
        [str(word) for word in command],
        env={"PATH": os.environ["PATH"], "LC_ALL": "C", "LD_BIND_NOW": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise LabError(f"{command[0]} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
