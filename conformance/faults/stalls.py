"""A node stalls, its open connections go silent, or it is away: what does that cost its callers?

Beside OneHop run phpredis with persistent connections, and Jedis' RedisClient.
"""

import concurrent.futures
import contextlib
import json
import os
import socket
import subprocess
import tempfile
import time

from built import EXTENSION, JAR
from figures import Figure
from lab import LabError, RedisNode
from lab.fpm import Fpm
from lab.network import Namespace, Wire
from lab.ports import free_port
from lab.process import Process, program
from lab.relay import Relay
from lab.slots import until
from table import bold, show

TIMEOUT_MS = 300
STALL_S, STALL_EVERY_S = 0.4, 2
WARM_S = 1.5
HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT, PROGRAM = os.path.join(HERE, "stalls.php"), os.path.join(HERE, "Stalls.java")


class Answers:
    """What the callers of one run met. Instants are seconds of CLOCK_MONOTONIC."""

    def __init__(self, lines):
        self.callers = [json.loads(line) for line in lines]
        self.failed = sorted(
            (ended / 1e9, node, ms, rests)
            for caller in self.callers
            for node, ended, ms, rests in caller["failed"]
        )

    def between(self, begin, end, node=0):
        return [one for one in self.failed if begin <= one[0] < end and one[1] == node]

    def late(self, begin, end):
        """Failed calls of the first node that took their whole timeout, or nearly."""
        return [one for one in self.between(begin, end) if one[2] >= TIMEOUT_MS * 0.9]

    def rate(self, begin, end, nodes):
        """Answered calls of these nodes per second."""
        tenths = range(int(begin * 10) + 1, int(end * 10))
        counts = (
            caller["answered"][node]
            for caller in self.callers
            for node in nodes
            if caller["answered"][node]
        )
        found = sum(count.get(str(tenth), 0) for count in counts for tenth in tenths)
        return found * 10 / max(1, len(tenths))

    def first_after(self, instant, node=0):
        """Seconds until the first tenth of a second with an answer of this node."""
        tenths = (
            int(tenth)
            for caller in self.callers
            if caller["answered"][node]
            for tenth in caller["answered"][node]
        )
        after = [tenth / 10 for tenth in tenths if tenth / 10 >= instant]
        return min(after, default=float("inf")) - instant


@contextlib.contextmanager
def configuration(servers, pool_size=16, more=()):
    """A file with these servers. `more`: lines of further directives."""
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        os.chmod(file.name, 0o644)
        lines = "".join(f"    - {server}\n" for server in servers)
        directives = "".join(f"  {line}\n" for line in more)
        file.write(
            f"alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: {TIMEOUT_MS}\n"
            f"{directives}  pool_size: {pool_size}\n  servers:\n{lines}"
        )
        file.flush()
        yield file.name


# ---- Callers: each runs `meanwhile` while they call, and gives their answers ----


def by_script(client, config, ports, seconds, meanwhile, *, count=1, namespace=None, idle=0):
    """Processes of the command line."""
    arguments = [client, config, ports, str(seconds), str(idle)]
    command = [program("php"), "-d", f"extension={EXTENSION}", SCRIPT, *arguments]
    enter = namespace.enter if namespace else None
    scripts = [
        subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=enter) for _ in range(count)
    ]
    found = meanwhile()
    return Answers([script.communicate()[0] for script in scripts]), found


def by_pages(client, config, ports, seconds, meanwhile, *, count, namespace=None):
    """Workers of a php-fpm."""
    query = f"client={client}&config={config}&ports={ports}&seconds={seconds}&idle=0"

    def ask(_):
        status, body = fpm.request(SCRIPT, query=query, seconds=seconds + 60)
        if status != 200:
            raise LabError(f"stalls.php ended with {status}: {body[:300]!r}")
        return body

    with (
        Fpm(workers=count, settings={"extension": EXTENSION}, namespace=namespace) as fpm,
        concurrent.futures.ThreadPoolExecutor(count) as pool,
    ):
        pages = [pool.submit(ask, number) for number in range(count)]
        found = meanwhile()
        return Answers([page.result() for page in pages]), found


def by_threads(client, config, ports, seconds, meanwhile, *, count, namespace=None):
    """Threads of one Java client."""
    command = ["java", "-cp", JAR, PROGRAM, client, config, ports, str(seconds), str(count)]
    enter = namespace.enter if namespace else None
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=enter
    ) as jvm:
        if jvm.stdout.readline().strip() != b"ready":
            raise LabError("Stalls.java does not run")
        found = meanwhile()
        return Answers(jvm.stdout.read().splitlines()), found


# ---- Open connections go silent, new ones are answered ----


# Where the node is: on a ring, on a ring with TLS, in a Redis Cluster, behind a Sentinel. Each
# function yields the node, lines of the configuration, and files for a relay at that port.


@contextlib.contextmanager
def on_a_ring(_directory, _port):
    with RedisNode() as node:
        yield node, ("hash: murmur",), ()


@contextlib.contextmanager
def by_tls(directory, _port):
    files = [os.path.join(directory, name) for name in ("certificate", "key")]
    words = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    subprocess.run(
        ["openssl", *words, "-subj", "/CN=a", "-out", files[0], "-keyout", files[1]],
        check=True,
        capture_output=True,
    )
    with RedisNode() as node:
        yield node, ("hash: murmur", "tls: true", "tls_verify: none"), files


@contextlib.contextmanager
def in_a_cluster(_directory, port):
    with RedisNode(
        cluster=True, cluster_announce_ip="127.0.0.1", cluster_announce_port=port
    ) as node:
        node.command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        until(lambda: b"cluster_state:ok" in node.command("CLUSTER", "INFO"), "the cluster is up")
        yield node, ("cluster: true",), ()


@contextlib.contextmanager
def behind_a_sentinel(_directory, port):
    """The Sentinel, too, uses the relay. No silence is long enough for it to call the node down."""
    own = free_port()
    text = (
        f"port {own}\nbind 127.0.0.1\nprotected-mode no\nsentinel monitor a 127.0.0.1 {port} 1\n"
        "sentinel down-after-milliseconds a 600000\n"
    )
    words = ["redis-server", "sentinel.conf", "--sentinel"]
    with (
        RedisNode() as node,
        Process(words, name="sentinel", files={"sentinel.conf": text}) as process,
    ):
        process.wait_until(lambda: is_open(own), what="listen")
        yield node, ("hash: murmur", "sentinels:", f"  - 127.0.0.1:{own}"), ()


def silence(where, by, count, pool_size, seconds, **more):
    port = free_port()
    with (
        tempfile.TemporaryDirectory(prefix="onehop-stalls-") as directory,
        where(directory, port) as (node, directives, certificate),
        Relay(node.port, port, *certificate) as relay,
        configuration([f"127.0.0.1:{port}:1 a"], pool_size, directives) as config,
    ):

        def meanwhile():
            time.sleep(WARM_S)
            began = time.monotonic()
            relay.silence()
            return began

        answers, began = by(
            "onehop", config, str(port), seconds + WARM_S, meanwhile, count=count, **more
        )
    failed = answers.between(began, float("inf"))
    return {
        "failed": len(failed),
        "rested": sum(rests for *_, rests in failed),
        "last": max((ended - began for ended, *_ in failed), default=0.0),
    }


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


# ---- Stalls ----


def stalls(by, client, count, seconds):
    with (
        RedisNode() as node,
        configuration([node.server_line(name="a")], more=("hash: murmur",)) as config,
    ):

        def meanwhile():
            time.sleep(WARM_S)
            for _ in range(int(seconds / STALL_EVERY_S)):
                node.process.pause()
                time.sleep(STALL_S)
                node.process.resume()
                time.sleep(STALL_EVERY_S - STALL_S)

        answers, _ = by(client, config, str(node.port), seconds + WARM_S, meanwhile, count=count)
    return len(answers.failed), sum(
        sum(one["answered"][0].values()) for one in answers.callers if one["answered"][0]
    )


# ---- Outages ----


def outage(by, count, kind, down_s):
    with contextlib.ExitStack() as stack:
        near = wire = None
        if kind == "vanished":
            near = stack.enter_context(Namespace())
            wire = stack.enter_context(Wire(near))
            places = [(wire.far[0], wire.far[0].host), (near, "127.0.0.1"), (near, "127.0.0.1")]
        else:
            places = [(None, "127.0.0.1")] * 3
        nodes = [
            stack.enter_context(RedisNode(namespace=namespace, host=host))
            for namespace, host in places
        ]
        servers = [node.server_line(name=f"node{number}") for number, node in enumerate(nodes)]
        config = stack.enter_context(configuration(servers, more=("hash: murmur",)))

        def meanwhile():
            time.sleep(WARM_S + 1)
            away = time.monotonic()
            begin, end = {
                "refused": (nodes[0].process.kill, nodes[0].process.start),
                "hanging": (nodes[0].process.pause, nodes[0].process.resume),
                "vanished": (wire and wire.process.pause, wire and wire.process.resume),
            }[kind]
            begin()
            time.sleep(down_s)
            end()
            if kind == "refused":
                nodes[0].wait_ready()
            return away, time.monotonic()

        seconds = WARM_S + 1 + down_s + 4
        ports = ",".join(str(node.port) for node in nodes)
        answers, (away, back) = by(
            "onehop", config, ports, seconds, meanwhile, count=count, namespace=near
        )
    before = answers.rate(away - 1, away, (1, 2))
    # A call that begins just before the second failure is known ends one more timeout later.
    found_s = 3 * TIMEOUT_MS / 1e3 + 0.1
    return {
        "back": answers.first_after(back),
        "work": 100 * answers.rate(away, back, (1, 2)) / max(1, before),
        "late": len(answers.late(away + found_s, back)) / (down_s - found_s),
        "others": sum(node != 0 for _, node, *_ in answers.failed),
    }


# ---- All of it ----


def run(progress, is_short):
    figures = run_silences(progress, is_short)
    figures += run_stalls(progress, is_short)
    figures += run_outages(progress, is_short)
    progress.done()
    return figures


def run_silences(progress, is_short):
    rows, figures = [], []
    kinds = (
        ("command line, all idle", by_script, 1),
        ("php-fpm, 16 workers", by_pages, 16),
        ("Java, 16 threads", by_threads, 16),
    )
    places = [("ring", on_a_ring, pool_size) for pool_size in ((16,) if is_short else (4, 16, 64))]
    if not is_short:
        others = (("TLS", by_tls), ("cluster", in_a_cluster), ("Sentinel", behind_a_sentinel))
        places += [(title, where, 16) for title, where in others]
    for title, where, pool_size in places:
        for label, by, count in kinds[1:2] if is_short else kinds:
            name = f"{title}, {label}, pool_size {pool_size}"
            progress.step(f"stalls: silence, {name}")
            more = {"idle": pool_size} if by is by_script else {}
            found = silence(where, by, count, pool_size, 1.5 if is_short else 4, **more)
            rows.append((name, found["failed"], found["rested"], f"{found['last'] * 1e3:.0f} ms"))
            figures += [
                Figure(f"silence, {name}: failed calls", found["failed"], count),
                Figure(f"silence, {name}: because it rested", found["rested"], 0),
            ]
    print(bold("\nAll open connections go silent, new ones are answered\n"))
    show(("callers", "failed", "rested", "last failure after"), rows)
    return figures


def run_stalls(progress, is_short):
    seconds, rows, figures = 2 if is_short else 20, [], []
    kinds = (
        ("php-fpm, 4 workers", by_pages, 4, "phpredis"),
        ("Java, 8 threads", by_threads, 8, "Jedis"),
    )
    for label, by, count, rival in kinds[:1] if is_short else kinds:
        progress.step(f"stalls: {label}")
        ours, answered = stalls(by, "onehop", count, seconds)
        theirs, theirs_answered = stalls(by, "plain", count, seconds)
        rows.append(
            (
                label,
                f"{ours:,} of {ours + answered:,}",
                f"{theirs:,} of {theirs + theirs_answered:,} ({rival})",
            )
        )
        figures.append(
            Figure(
                f"stalls, {label}: failed calls, of those of {rival}",
                ours / max(1, theirs),
                2.0,
                unit=" x",
            )
        )
    print(
        bold(
            f"\nStalls of {STALL_S * 1e3:.0f} ms every {STALL_EVERY_S} s, timeout {TIMEOUT_MS} ms\n"
        )
    )
    show(("callers", "OneHop: failed", "beside it"), rows)
    return figures


def run_outages(progress, is_short):
    rows, figures = [], []
    callers = (("php-fpm, 4 workers", by_pages, 4), ("Java, 8 threads", by_threads, 8))
    for down_s in (2,) if is_short else (8, 20, 120):
        for kind in ("hanging",) if is_short else ("refused", "hanging", "vanished"):
            for label, by, count in callers[:1] if is_short else callers:
                progress.step(f"stalls: {kind} for {down_s} s, {label}")
                found = outage(by, count, kind, down_s)
                name = f"{kind} for {down_s} s, {label}"
                rows.append(
                    (
                        name,
                        f"{found['back']:.1f} s",
                        f"{found['work']:.0f} %",
                        f"{found['late']:.2f}",
                        found["others"],
                    )
                )
                figures += [
                    Figure(f"{name}: served after", found["back"], 1.0, unit=" s"),
                    Figure(
                        f"{name}: work on other nodes",
                        found["work"],
                        90.0,
                        is_least=True,
                        unit=" %",
                    ),
                    Figure(f"{name}: timeouts per second", found["late"], 1.0),
                    Figure(f"{name}: failures of other nodes", found["others"], 0),
                ]
    print(bold("\nOne node of three is away\n"))
    show(("what", "served after", "work on others", "timeouts per s", "failures of others"), rows)
    return figures
