"""A real nutcracker (twemproxy) in front of nodes, with a generated configuration file.

It is the oracle of placement.

    pools = {"alpha": {"redis": True, "servers": [node.server_line() for node in nodes]}}
    with Nutcracker(pools) as proxy:
        proxy.connect("alpha")          # RESP through the proxy
        proxy.config_path               # the same file can be given to OneHop

A pool without `listen` gets a free loopback port. Instead of pools it also takes the text of a
configuration. `check(text)` reports whether nutcracker accepts a file.
"""

import json
import os
import re
import subprocess
import tempfile

from .ports import free_port
from .process import LabError, Process, Running, program
from .resp import connect

# Text that needs no quotes in YAML: words of safe characters, colons only inside them.
PLAIN = re.compile(r"[A-Za-z0-9_/.](:?[A-Za-z0-9_/.-])*( [A-Za-z0-9_.](:?[A-Za-z0-9_.-])*)?")

# Finds each pool and its address in the text of a configuration.
LISTEN = re.compile(r"^(\S+):\n(?:[ \t]+.*\n)*?[ \t]+listen: (\S+)", re.MULTILINE)


class Nutcracker(Running):
    def __init__(self, pools, *, mbuf_bytes=None, namespace=None):
        if isinstance(pools, str):
            self.config_text = pools
            self.pools = {name: {"listen": listen} for name, listen in LISTEN.findall(pools)}
        else:
            self.pools = {
                name: {"listen": f"127.0.0.1:{free_port()}", **pool} for name, pool in pools.items()
            }
            self.config_text = config_text(self.pools)
        arguments = [
            "nutcracker",
            "--conf-file",
            "nutcracker.yml",
            "--stats-addr",
            "127.0.0.1",
            "--stats-port",
            free_port(),
        ]
        if mbuf_bytes:
            arguments += ["--mbuf-size", mbuf_bytes]
        self.process = Process(
            arguments, namespace=namespace, files={"nutcracker.yml": self.config_text}
        )
        self.namespace = namespace
        self.config_path = os.path.join(self.process.directory, "nutcracker.yml")
        try:
            for name in self.pools:
                self.process.wait_until(lambda: self._accepts(name), what=f"listen for pool {name}")
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self):
        return self.process.pid

    def address(self, pool):
        """(host, port) of a pool's listener, or the path of its unix socket."""
        listen = self.pools[pool]["listen"].split(" ")[0]
        if listen.startswith("/"):
            return listen
        host, port = listen.rsplit(":", 1)
        return host, int(port)

    def connect(self, pool, seconds=30.0):
        """A connection through the proxy, which asks its clients for the pool's redis_auth."""
        return connect(
            self.address(pool),
            namespace=self.namespace,
            seconds=seconds,
            password=self.pools[pool].get("redis_auth"),
        )

    def _accepts(self, pool):
        try:
            connect(self.address(pool), namespace=self.namespace).close()
            return True
        except OSError:
            return False


def config_text(pools):
    """A nutcracker.yml made from {pool: {directive: value, "servers": [line, ...]}}.

    It has quotes only where YAML needs them.
    """
    lines = []
    for name, pool in pools.items():
        lines.append(f"{scalar(name)}:")
        lines += [
            f"  {directive}: {scalar(value)}"
            for directive, value in pool.items()
            if directive != "servers"
        ]
        lines.append("  servers:")
        lines += [f"    - {scalar(server)}" for server in pool["servers"]]
    return "\n".join(lines) + "\n"


def scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def check(text):
    """None if nutcracker accepts this configuration (str or bytes), otherwise its message."""
    with tempfile.TemporaryDirectory(prefix="onehop-nutcracker-") as directory:
        path = os.path.join(directory, "nutcracker.yml")
        with open(path, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        try:
            run = subprocess.run(
                [program("nutcracker"), "--test-conf", "--conf-file", path],
                timeout=30,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except subprocess.TimeoutExpired as late:
            raise LabError("nutcracker --test-conf did not end within 30 s") from late
    if run.returncode == 0:
        return None
    return run.stdout.decode(errors="replace") or f"exit status {run.returncode}"
