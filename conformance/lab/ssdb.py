"""A real ssdb-server on a free loopback port; its data is removed when its block ends.

    with SsdbNode() as node:
        node.server_line(name="a")     # '127.0.0.1:23456:1 a', for a configuration

There is no Debian package of SSDB. The environment variable SSDB_SERVER names the program; without
it this module cannot be used.
"""

import os

from .ports import free_port
from .process import Process, Running
from .resp import connect

# SSDB wants its indentation in tabs.
CONFIGURATION = """work_dir = .
pidfile = server.pid

server:
\tip: 127.0.0.1
\tport: {port}

replication:
\tbinlog: yes
\tsync_speed: -1

logger:
\tlevel: warn
\toutput: log.txt

leveldb:
\tcache_size: 16
\twrite_buffer_size: 8
\tcompaction_speed: 1000
\tcompression: yes
"""


def program():
    """The ssdb-server that SSDB_SERVER names, or None."""
    return os.environ.get("SSDB_SERVER")


class SsdbNode(Running):
    def __init__(self):
        self.port = free_port()
        self.process = Process(
            [os.path.abspath(program()), "ssdb.conf"],
            name="ssdb",
            files={"ssdb.conf": CONFIGURATION.format(port=self.port)},
        )
        try:
            self.process.wait_until(self._answers, what=f"answer on port {self.port}")
        except BaseException:
            self.process.stop()
            raise

    def server_line(self, weight=1, name=None):
        return f"127.0.0.1:{self.port}:{weight}" + (f" {name}" if name else "")

    def connect(self, seconds=30.0):
        return connect(("127.0.0.1", self.port), seconds=seconds)

    def _answers(self):
        try:
            with self.connect() as connection:
                return connection.command("PING") is not None
        except OSError:
            return False
