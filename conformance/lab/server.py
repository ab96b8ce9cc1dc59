"""The lab for programs in other languages: they start it, ask it for servers, and all of these end with them.

    python3 -I -S conformance/lab/serve.py DIRECTORY

Whatever it makes lies in DIRECTORY, which it removes at its end. It ends when its standard input does, however its
client ended, and stops what it has started. Clients: php-ext/tests/lab/lab.inc and io.onehop.jedis.lab.Lab.

One line of JSON is a request, its name and its arguments; one line is the answer, before the next request is read:

    {"do": "redis", "options": ["--maxclients", "5"]}
    {"is": {"port": 12345, "pid": 678, "directory": "/tmp/.../redis-12345"}}
    {"do": "stop", "pid": 9}
    {"failed": "the lab has no process 9"}

The requests are the public methods of Lab and the functions of slots.py named in OF_CLUSTERS, by their names and
those of their parameters; what is optional has a default. A process is told of by its pid, a node by its port: those
of clusters are asked, not remembered, so it does not matter who has started them.
"""

import functools
import json
import os
import shutil
import signal
import sys

from . import slots
from .cluster import Cluster, LargeCluster
from .nutcracker import Nutcracker
from .ports import free_port
from .process import LabError, Process, stop_all
from .redis import RedisNode
from .resp import ReplyError
from .slots import Peer


class Lab:
    """What a client may ask for."""

    def __init__(self, directory):
        self._directory = directory
        self._processes = {}  # By pid.
        self._buses = {}  # Of the nodes of clusters, by directory: one that comes back has the same, another one not.

    # ---- Programs ----

    def port(self):
        """A port that nobody listens on, and that no other test of this machine is given."""
        return free_port()

    def start(self, command, log="/dev/null", environment=None, stop_signal=signal.SIGKILL):
        """Starts any program; its pid. SIGTERM stops one that has children of its own to end. `environment` is added to
        that of the lab, null takes a name away."""
        return self._keep(
            Process(
                command,
                directory=self._directory,
                log_path=log,
                environment=environment,
                death_signal=stop_signal,
                stop_signal=stop_signal,
                has_own_session=False,
            )
        ).pid

    def stop(self, pid):
        """Ends a program; its files stay."""
        process = self._processes.pop(pid, None)
        if process is None:
            raise LabError(f"the lab has no process {pid}")
        process.stop()

    def signal(self, pid, number):
        """By its number, or by its name: "STOP". The process may be anybody's."""
        os.kill(pid, number if isinstance(number, int) else signal.Signals[f"SIG{number}"])

    def is_running(self, pid):
        return pid in self._processes and self._processes[pid].is_running

    # ---- Servers ----

    def redis(self, port=None, directory=None, options=(), host="127.0.0.1"):
        """A redis-server on a port, or on a free one; in the directory that another one has left, or in its own, where its
        unix socket is `socket`. The options are words of its command line."""
        return self._told(self._start_node(port, directory, host=host, words=options))

    def cluster_node(self, port=None, directory=None, options=(), epoch=None):
        """One that is a node of a Redis Cluster, and knows nobody, unless it did in the directory that it is given. Nodes of
        the same epoch quarrel about it for seconds."""
        node = self._start_node(port, directory, cluster=True, words=options)
        if epoch is not None:
            node.command("CLUSTER", "SET-CONFIG-EPOCH", epoch)
        return self._told(node)

    def nutcracker(self, config):
        """A nutcracker that runs with this text; where it listens for its first pool."""
        proxy = Nutcracker(config)
        self._keep(proxy.process)
        return {"port": proxy.address(next(iter(proxy.pools)))[1], "pid": proxy.pid}

    # ---- Redis Clusters ----

    def cluster(self, masters=3, replicas=0, host="127.0.0.1", options=()):
        """Its nodes: the masters, then the replicas of each in turn, with the ports of their masters."""
        made = Cluster(masters, replicas, meets_at=host, start=self._start_node, words=options)
        of_whom = [None] * masters + [
            made.nodes[made.master_of(n)].port for n in range(masters, len(made.nodes))
        ]
        return [{**self._told(node), "master": master} for node, master in zip(made.nodes, of_whom)]

    def large_cluster(self, masters, replicas=0, is_dealt=False):
        """Three nodes that run, and the `names` of all."""
        made = LargeCluster(masters, replicas, is_dealt=is_dealt, start=self._start_node)
        self._large = made  # It keeps the port where all others can be connected to.
        return {
            "nodes": list(map(self._told, made.nodes)),
            "names": [made.name_of(n) for n in range(masters * (1 + replicas))],
        }

    # ---- Within ----

    def _start_node(self, port=None, directory=None, host="127.0.0.1", **options):
        port = port or free_port()
        name = f"redis-{port}" if host == "127.0.0.1" else f"redis-{port}-at-{host}"
        directory = directory or os.path.join(self._directory, name)
        if options.get("cluster"):
            if directory not in self._buses or not os.path.exists(
                os.path.join(directory, "nodes.conf")
            ):
                self._buses[directory] = options.get("bus_port") or free_port()
            options["bus_port"] = self._buses[directory]
        node = RedisNode(
            host=host,
            port=port,
            directory=directory,
            unixsocket="socket",
            enable_debug_command="no",
            has_own_session=False,
            **options,
        )
        self._keep(node.process)
        return node

    @staticmethod
    def _told(node):
        return {"port": node.port, "pid": node.pid, "directory": node.process.directory}

    def _keep(self, process):
        self._processes[process.pid] = process
        return process


OF_CLUSTERS = (
    slots.meet,
    slots.await_known,
    slots.await_whole,
    slots.await_shards,
    slots.replicate,
    slots.promote,
    slots.forget,
    slots.owner,
    slots.begin_move,
    slots.move_keys,
    slots.end_move,
    slots.move,
    slots.give_all,
)
NODES = (
    "node",
    "to",
    "replica",
    "master",
    "asked",
    "source",
    "target",
)  # Parameters of these that are a port.


def requests(lab):
    """What may be asked for, by name."""
    of_lab = {name: getattr(lab, name) for name in vars(Lab) if not name.startswith("_")}
    return {
        **of_lab,
        **{function.__name__: functools.partial(of_nodes, function) for function in OF_CLUSTERS},
    }


def of_nodes(function, **arguments):
    """Calls a function of slots.py, ports being made nodes."""
    peers = {name: Peer(port) for name, port in arguments.items() if name in NODES}
    if "nodes" in arguments:
        peers["nodes"] = list(map(Peer, arguments["nodes"]))
    return function(**{**arguments, **peers})


def answer(known, line):
    """The answer to one request, as a line."""
    try:
        request = json.loads(line)
        told = {"is": known[request.pop("do")](**request)}
    except (LabError, ReplyError, OSError, LookupError, TypeError, ValueError) as error:
        told = {"failed": f"{type(error).__name__}: {error}"}
    return json.dumps(told).encode() + b"\n"


def serve(directory):
    """Answers until the input ends, or a signal ends it; that may come while it is at its end already."""
    known, is_ending = requests(Lab(directory)), False

    def hear(number, _frame):
        if not is_ending:
            sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, hear)
    try:
        for line in sys.stdin.buffer:
            sys.stdout.buffer.write(answer(known, line))
            sys.stdout.buffer.flush()
        is_ending = True
    finally:
        is_ending = True
        stop_all()
        shutil.rmtree(directory, ignore_errors=True)
