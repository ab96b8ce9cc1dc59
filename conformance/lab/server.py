"""The lab for programs in other languages: a program asks it for servers.

    python3 -I -S conformance/lab/serve.py DIRECTORY

Everything it creates is in DIRECTORY, which it removes when it ends. It ends when its standard
input does, however the client ended, and stops everything it started. Its clients are
php-ext/tests/lab/lab.inc and io.onehop.jedis.lab.Lab. They choose a directory in memory, see
process.scratch.

A request is one line of JSON with its name and its arguments. The answer is one line, written
before the next request is read:

    {"do": "redis", "options": ["--maxclients", "5"]}
    {"is": {"port": 12345, "pid": 678, "directory": "/tmp/.../redis-12345"}}
    {"do": "stop", "pid": 9}
    {"failed": "the lab has no process 9"}

The requests are the public methods of Lab and the functions of slots.py listed in OF_CLUSTERS, with
the same names and parameters; parameters with a default are optional. A process is given by its
pid, a node by its port. Nothing is remembered about clusters: their nodes are asked each time, so
any program may have started them.
"""

import functools
import json
import os
import shutil
import signal
import sys

from . import slots
from .cluster import Cluster, LargeCluster
from .liar import lying_cluster
from .node import ScriptedNode
from .nutcracker import Nutcracker
from .ports import free_port
from .process import LabError, Process, stop_all
from .redis import RedisNode
from .relay import Meeting, Relay
from .resp import ReplyError
from .slots import Peer


class Lab:
    """The requests that a client can make."""

    def __init__(self, directory):
        self._directory = directory
        self._processes = {}  # By pid.
        self._scripts, self._relays = {}, {}  # By port.
        # Bus ports of cluster nodes, by directory: a node that returns gets the same port again.
        self._buses = {}

    # ---- Programs ----

    def port(self):
        """A free port; no other test on this machine gets it."""
        return free_port()

    def start(self, command, log="/dev/null", environment=None, stop_signal=signal.SIGKILL):
        """Starts any program and returns its pid.

        SIGTERM as `stop_signal` is for programs that must end their own children. `environment` is
        added to the lab's; null removes a name.
        """
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
        """Ends a program. Its files stay."""
        process = self._processes.pop(pid, None)
        if process is None:
            raise LabError(f"the lab has no process {pid}")
        process.stop()

    def signal(self, pid, number):
        """Sends a signal, given as a number or a name ("STOP"), to any process."""
        os.kill(pid, number if isinstance(number, int) else signal.Signals[f"SIG{number}"])

    def is_running(self, pid):
        return pid in self._processes and self._processes[pid].is_running

    # ---- Servers ----

    def redis(self, port=None, directory=None, options=(), host="127.0.0.1"):
        """A redis-server on the given port or on a free one.

        It runs in the directory of an earlier node or in a new one, where its unix socket is
        `socket`. The options are appended to its command line.
        """
        return self._described(self._start_node(port, directory, host=host, words=options))

    def cluster_node(self, port=None, directory=None, options=(), epoch=None):
        """A node of a Redis Cluster. It knows no peers except those saved in its directory.

        Nodes with equal epochs need seconds to resolve the conflict.
        """
        node = self._start_node(port, directory, cluster=True, words=options)
        if epoch is not None:
            node.command("CLUSTER", "SET-CONFIG-EPOCH", epoch)
        return self._described(node)

    def nutcracker(self, config):
        """A nutcracker with this configuration, and the port of its first pool."""
        proxy = Nutcracker(config)
        self._keep(proxy.process)
        return {"port": proxy.address(next(iter(proxy.pools)))[1], "pid": proxy.pid}

    # ---- Scripted nodes, by their ports ----

    def scripted_node(self, script, values=None, beside=None, certificate=None, key=None):
        """A node that does what a script says, see node.py. Returns its port.

        With `beside`, both nodes share one `test`.
        """
        test = self._scripts[beside].test if beside else None
        return self._script(ScriptedNode(script, values, test, certificate, key))

    def lying_cluster(self, count):
        """The ports of nodes that claim to be a Redis Cluster, see liar.py."""
        return [self._script(node) for node in lying_cluster(count)]

    def change_node(self, node, values):
        """Changes attributes of `test`, which the nodes of a lying cluster share."""
        vars(self._scripts[node].test).update(values)

    def tell_node(self, node, word):
        """Lets those scripts of the node go on that wait for this word."""
        self._scripts[node].heard.add(word)

    def node_told(self, node):
        """The words that the node's scripts have told."""
        return self._scripts[node].told

    def node_commands(self, node, forget=False):
        """The commands that the node has received: (number of the connection, from 1; words)."""
        commands = self._scripts[node].commands
        received = [(number, list(map(shown, words))) for number, words in commands]
        if forget:
            commands.clear()
        return received

    def _script(self, node):
        self._scripts[node.port] = node
        return node.port

    # ---- Relays, by their ports; see relay.py ----

    def relay(self, to, certificate=None, key=None):
        """A relay to a port. Returns its own."""
        made = Relay(to, certificate=certificate, key=key)
        self._relays[made.port] = made
        return made.port

    def limit_relay(self, relay, count=None, of_node=False):
        """New connections are reset after `count` bytes; None: never."""
        self._relays[relay].limit(count, of_node)

    def let_relays_meet(self, relays):
        """Each of these relays keeps its connection waiting until all of them have one."""
        meeting = Meeting(len(relays))
        for relay in relays:
            self._relays[relay].meeting = meeting

    def hold_relay(self, relay, count=None):
        """Gives clients `count` more bytes, and keeps the rest. None: keeps nothing back."""
        self._relays[relay].hold(count)

    def inject(self, relay, data):
        """Sends bytes (in hex) that are not the node's to the client that connected last."""
        self._relays[relay].inject(bytes.fromhex(data))

    def relay_counts(self, relay):
        """`given`: bytes of the node that clients got. `passed`: bytes of each ended connection."""
        return {"given": self._relays[relay].given, "passed": self._relays[relay].passed}

    def stop_relay(self, relay):
        self._relays[relay].stop()

    # ---- Redis Clusters ----

    def cluster(self, masters=3, replicas=0, host="127.0.0.1", options=()):
        """The nodes: masters, then the replicas of each in turn, with their master's port."""
        made = Cluster(masters, replicas, meets_at=host, start=self._start_node, words=options)
        nodes = [{**self._described(node), "master": None} for node in made.nodes]
        for number in range(masters, len(nodes)):
            nodes[number]["master"] = nodes[made.master_of(number)]["port"]
        return nodes

    def large_cluster(self, masters, replicas=0, is_dealt=False):
        """The three nodes that run, and the `names` of all."""
        made = LargeCluster(masters, replicas, is_dealt=is_dealt, start=self._start_node)
        self._large = made  # Keeps the port open at which all other nodes accept connections.
        return {
            "nodes": list(map(self._described, made.nodes)),
            "names": [made.name_of(n) for n in range(masters * (1 + replicas))],
        }

    # ---- Within ----

    def _start_node(self, port=None, directory=None, host="127.0.0.1", **options):
        port = port or free_port()
        name = f"redis-{port}" if host == "127.0.0.1" else f"redis-{port}-at-{host}"
        directory = directory or os.path.join(self._directory, name)
        if options.get("cluster"):
            saved = os.path.join(directory, "nodes.conf")
            if directory not in self._buses or not os.path.exists(saved):
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
    def _described(node):
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
# Parameters of these functions that are a port.
NODES = ("node", "to", "replica", "master", "asked", "source", "target")


def requests(lab):
    """All requests, by name."""
    of_lab = {name: getattr(lab, name) for name in vars(Lab) if not name.startswith("_")}
    return {
        **of_lab,
        **{function.__name__: functools.partial(of_nodes, function) for function in OF_CLUSTERS},
    }


def of_nodes(function, **arguments):
    """Calls a function of slots.py with nodes in place of ports."""
    peers = {name: Peer(port) for name, port in arguments.items() if name in NODES}
    if "nodes" in arguments:
        peers["nodes"] = list(map(Peer, arguments["nodes"]))
    return function(**{**arguments, **peers})


def shown(word):
    """A word of a command as text that JSON can carry."""
    return word.encode(errors="surrogateescape").decode(errors="replace")


def answer(known, line):
    """The answer to one request, as a line."""
    try:
        request = json.loads(line)
        told = {"is": known[request.pop("do")](**request)}
    except (LabError, ReplyError, OSError, LookupError, TypeError, ValueError) as error:
        told = {"failed": f"{type(error).__name__}: {error}"}
    return json.dumps(told).encode() + b"\n"


def serve(directory):
    """Answers requests until the input ends or a signal arrives, even if it arrives at the end."""
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
