"""A real redis-server on a free loopback port, without persistence, stopped when its block ends.

    with RedisNode(password="secret") as node:
        node.command("SET", "k", "v")
        node.server_line(weight=2, name="a")     # '127.0.0.1:23456:2 a', for a nutcracker.yml

`unix_socket=True` adds a unix socket. `cluster=True` starts an empty cluster node (cluster.py).
`host` and `namespace` place the node at the far end of a wire (network.py). The lab's own commands
use `database`. `files` are written to its directory before it starts. Other redis options are
keywords, such as `maxclients=1`; `words` are appended to the command line. For another server, such
as valkey-server, `program` has the first words of the command line.

It keeps no data, so stopping kills it. A `directory` passed in outlives it, so that a node of a
Redis Cluster finds its peers again.
"""

import os
import signal

from .ports import free_port
from .process import Process, Running
from .resp import ReplyError, connect

CLUSTER_SETTINGS = {
    "cluster-enabled": "yes",
    "cluster-node-timeout": 2000,
    "repl-diskless-sync-delay": 0,
    "repl-ping-replica-period": 1,
}


class RedisNode(Running):
    def __init__(
        self,
        *,
        host="127.0.0.1",
        port=None,
        password=None,
        unix_socket=False,
        cluster=False,
        bus_port=None,
        database=0,
        files=None,
        directory=None,
        namespace=None,
        is_awaited=True,
        has_own_session=True,
        program=("redis-server",),
        words=(),
        **options,
    ):
        self.host, self.password, self.namespace = host, password, namespace
        self.database = database
        self.port, self._has_unix_socket = port or free_port(), unix_socket
        settings = self._settings()
        if cluster:
            self.bus_port = bus_port or free_port()
            settings |= CLUSTER_SETTINGS | {"cluster-port": self.bus_port}
        settings |= {name.replace("_", "-"): value for name, value in options.items()}
        arguments = [word for name, value in settings.items() for word in (f"--{name}", value)]
        self.process = Process(
            [*program, *arguments, *words],
            name="redis",
            files=files,
            directory=directory,
            namespace=namespace,
            stop_signal=signal.SIGKILL,
            has_own_session=has_own_session,
        )
        try:
            if is_awaited:
                self.wait_ready()
        except BaseException:
            self.stop()
            raise

    def _settings(self):
        settings = {
            "port": self.port,
            "bind": self.host,
            "save": "",
            "appendonly": "no",
            "protected-mode": "no",
            "enable-debug-command": "yes",
        }
        if self.password is not None:
            settings |= {"requirepass": self.password, "masterauth": self.password}
        if self._has_unix_socket:
            # Relative to the scratch directory, where the server starts.
            settings["unixsocket"] = "redis.sock"
        return settings

    @property
    def address(self):
        return self.host, self.port

    @property
    def path(self):
        """Its unix socket, or None."""
        return os.path.join(self.process.directory, "redis.sock") if self._has_unix_socket else None

    @property
    def pid(self):
        return self.process.pid

    def server_line(self, weight=1, name=None):
        """This node as an element of `servers:` in a nutcracker.yml."""
        where = self.path or f"{self.host}:{self.port}"
        return f"{where}:{weight}" + (f" {name}" if name else "")

    def connect(self, seconds=30.0):
        """A new authenticated connection. The caller closes it."""
        connection = connect(
            self.address, namespace=self.namespace, seconds=seconds, password=self.password
        )
        if self.database:
            connection.command("SELECT", self.database)
        return connection

    def command(self, *arguments):
        """Runs one command on its own connection."""
        with self.connect() as connection:
            return connection.command(*arguments)

    def keys(self):
        """All keys on this node: a set of bytes."""
        return set(self.command("KEYS", "*"))

    def pause(self):
        self.process.pause()

    def resume(self):
        self.process.resume()

    def kill(self):
        self.process.kill()

    def restart(self):
        """Kills it if it runs and starts it again, empty, on the same port."""
        self.process.kill()
        self.process.start()
        self.wait_ready()

    def wait_ready(self):
        self.process.wait_until(self._answers, what=f"answer on {self.host}:{self.port}")

    def _answers(self):
        """True if it answers at all, even with an error. Not by PING, because tests count PINGs."""
        try:
            return self.command("ECHO", "ready") == b"ready"
        except ReplyError as error:
            return not str(error).startswith("LOADING")
        except OSError:
            return False
