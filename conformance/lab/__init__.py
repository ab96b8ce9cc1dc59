"""The lab: real servers on free loopback ports for tests, demonstrations and measurements.

    process.py     one child process by pid, gone whatever happens
    ports.py       free_port
    resp.py        a small blocking RESP connection, independent of every client under test
    redis.py       RedisNode: redis-server, optionally with password, unix socket, cluster mode
    ssdb.py        SsdbNode: an ssdb-server, where SSDB_SERVER names one
    nutcracker.py  Nutcracker: twemproxy and the configuration file it runs with
    cluster.py     Cluster: n masters that share the 16,384 slots; LargeCluster: thousands of nodes, of which three run
    fpm.py         Fpm: a php-fpm master with workers, spoken to over FastCGI
    nginx.py       Nginx: a web server in front of it
    slots.py       what befalls the nodes of a cluster: they meet, follow each other, and slots move
    network.py     Namespace and Wire: network namespaces behind user-space wires (wire.py) with delay and loss
    dns.py         a program: a server of host names, and a place where another program asks it and nobody else

    server.py      all this for programs in other languages, one line of JSON a request; they start serve.py

A program in conformance/ writes `from lab import RedisNode, Nutcracker`; one elsewhere puts conformance/ on sys.path
first.
"""

from .cluster import Cluster
from .nutcracker import Nutcracker
from .ports import free_port
from .process import LabError, Process
from .redis import RedisNode
from .resp import Connection, ReplyError

__all__ = [
    "Cluster",
    "Connection",
    "LabError",
    "Nutcracker",
    "Process",
    "RedisNode",
    "ReplyError",
    "free_port",
]
