"""Long-lived programs that run batches on request, so that contestants can take turns.

A worker's only argument is the path of its *plan*, a text of lines of words:

    batch SIZE                            how many HGETs one batch has
    contestant NAME KIND WORD ...         what it can run; it ignores kinds that it does not know
    key NAME NODE                         a key, and the index of its node
    string NAME NODE                      a key of a string, only in the plans of bench/jobs.py
    timeout MILLISECONDS                  of connecting and of an answer; 5000 without this line

It prints `ready` and then answers each line `run NAME UNTIMED TIMED` on stdin with one line: the
nanoseconds of each timed batch, from the first command appended to the last value received. A batch
reads the field `name` of the next SIZE keys of the plan; the first key follows the last. After each
batch, with the clock stopped, every value is compared with "name of <key>". A wrong one ends the
worker with a message, and the run with it.

bench/jobs.py adds four words: `run NAME UNTIMED TIMED OPERATION COUNT BYTES KEYS`. OPERATION reads
or writes COUNT keys. The next batch has the next COUNT keys, within the first KEYS of the plan, and
starts at a multiple of COUNT; so KEYS / COUNT batches have all keys. The value of a string is
"value of <key> ", repeated and cut to BYTES. `key` lines are for hget, alive and hset; `string`
lines for all others. A worker that cannot do an operation answers `no`.

    hget    the field `name` of COUNT hashes, in one pipeline
    get     COUNT single GETs, one after the other
    set     COUNT single SETs, one after the other
    mget    one MGET of COUNT keys
    mset    one MSET of COUNT keys
    del     one DEL of COUNT keys, which are written before and after it with the clock stopped
    cold    COUNT times a new client and its first GET
    alive   as hget, but values may be missing. The answer is words of NANOSECONDS/RIGHT
    hset    writes COUNT hashes, for contestants with a placement of their own
    get*T   T threads make COUNT single GETs each, in parallel, with one client (Java only)
    hget*T  T threads send such a pipeline each, in parallel, with one client (Java only)

    kind             words           languages   what it does
    onehop           CONFIG POOL     PHP, Java   one pipeline through OneHop
    pipeline         HOST PORT       PHP, Java   one pipeline on one connection, to a node or proxy
    turns            HOST PORT ...   PHP         the same on several proxies, in turns
    sequential       HOST PORT ...   PHP         one pipeline per node, one node after the other,
                                                 keys grouped beforehand
    persistent       HOST PORT ...   PHP         the same with pconnect()
    encrypted        CA_FILE HOST    PHP, Java   the same as sequential, over TLS
        PORT ...
    array            HOST PORT ...   PHP         RedisArray
    cluster          HOST PORT ...   PHP, Java   RedisCluster; RedisClusterClient.pipelined()
    cached           HOST PORT ...   PHP         RedisCluster, persistent, with cache_slots
    predis           HOST PORT ...   PHP         Predis with a sharding of its own
    predis-cluster   HOST PORT ...   PHP         Predis on a Redis Cluster
    lettuce, redisson                Java        the same libraries' clients of one node, and of a
        and ...-cluster  HOST PORT   rivals      Redis Cluster
    spring-onehop    CONFIG POOL     Java        Spring's StringRedisTemplate over the starter of
                                     rivals      OneHop: executePipelined
    spring-lettuce-  HOST PORT ...   Java        the same over Spring's Lettuce of a Redis Cluster
        cluster                      rivals
    sharding         HOST PORT ...   Java,       JedisSharding of Jedis 6.2; in a process of its
                                     sharding    own, because its classes have Jedis 8's names
    scatter, slots   HOST PORT ...   C           bench/limit
"""

import os
import subprocess
import threading

from tree import ROOT

from built import EXTENSION, JAR
from lab import LabError, Process, Running
from stage import BATCH, ITEMS, KEYS

LIMIT = os.path.join(ROOT, "bench/limit/limit")
ANSWER_SECONDS_MAX = 120

SOURCES = os.path.join(ROOT, "bench/java/src/main/java")
BUILT = os.path.join(ROOT, "bench/java/target")  # `mvn -q -f bench/java/pom.xml package`
RIVALS = f"{BUILT}/classes:{BUILT}/jars/*"
SHARDING = f"{BUILT}/classes:{BUILT}/sharding/*:{BUILT}/jars/*"

COMMANDS = {
    "C": [LIMIT],
    "PHP": ["php", "-d", f"extension={EXTENSION}", os.path.join(ROOT, "bench/php/worker.php")],
    "Java": ["java", "-cp", JAR, f"{SOURCES}/io/onehop/bench/Worker.java"],
    "Java, rivals": ["java", "-cp", RIVALS, "io.onehop.bench.Rivals"],
    "Java, sharding": ["java", "-cp", SHARDING, "io.onehop.bench.Rivals"],
    "Java, open loop": ["java", "-Xms512m", "-Xmx512m", "-cp", RIVALS, "io.onehop.bench.OpenLoop"],
}


def plan(contestants, owners, timeout_ms=None):
    """The plan's text. `contestants` is {name: (kind, word, ...)}, `owners` {key: node index}."""
    lines = [f"batch {BATCH}"]
    lines += [f"timeout {timeout_ms}"] if timeout_ms else []
    lines += [
        " ".join(map(str, ("contestant", name, *words))) for name, words in contestants.items()
    ]
    lines += [f"key {key} {owners[key]}" for key in KEYS]
    lines += [f"string {key} {owners[key]}" for key in ITEMS if key in owners]
    return "\n".join(lines) + "\n"


class Worker(Running):
    """One such program. `run` returns the times of its batches, or raises LabError."""

    def __init__(self, language, contestants, owners, *, namespace=None, timeout_ms=None):
        self.language = language
        self.process = Process(
            [*COMMANDS[language], "plan"],
            name=f"{language}-worker",
            namespace=namespace,
            files={"plan": plan(contestants, owners, timeout_ms)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._is_ready = False

    def wait_ready(self):
        """Workers start in parallel; the first request waits until its worker is ready."""
        if not self._is_ready and self._read_line() != "ready":
            raise LabError(
                f"the {self.language} worker did not say ready\n{self.process.log_tail()}"
            )
        self._is_ready = True

    def run(self, contestant, *, timed, untimed=0):
        """Runs batches of HGETs. Returns the nanoseconds of each timed batch."""
        return [int(word) for word in self.ask(contestant, untimed, timed)]

    def ask(self, contestant, untimed, timed, *operation):
        """The words of the answer. `operation` is empty, or OPERATION COUNT BYTES KEYS."""
        self.wait_ready()
        line = " ".join(map(str, ("run", contestant, untimed, timed, *operation)))
        try:
            self.process.child.stdin.write(f"{line}\n".encode())
            self.process.child.stdin.flush()
        except BrokenPipeError:
            pass  # The worker has ended; the read below reports why.
        return self._read_line().split()

    def _read_line(self):
        """Kills a worker that hangs, which ends the read."""
        watchdog = threading.Timer(ANSWER_SECONDS_MAX, self.process.kill)
        watchdog.start()
        try:
            line = self.process.child.stdout.readline().decode()
        finally:
            watchdog.cancel()
        if not line.endswith("\n"):
            self.process.child.wait()
            raise LabError(
                f"the {self.language} worker ended with {self.process.child.returncode}\n"
                + self.process.log_tail()
            )
        return line.rstrip("\n")
