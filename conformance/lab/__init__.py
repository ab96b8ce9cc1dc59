"""The lab: real servers on free loopback ports for tests, demonstrations and measurements.

    process.py     Process: one child process, known by its pid; it never outlives its program
    ports.py       free_port
    resp.py        a small blocking RESP connection, independent of every client under test
    redis.py       RedisNode: redis-server, optionally with password, unix socket, cluster mode
    ssdb.py        SsdbNode: the ssdb-server that SSDB_SERVER names
    nutcracker.py  Nutcracker: twemproxy and the configuration file it runs with
    cluster.py     Cluster: n masters that share the 16,384 slots
                   LargeCluster: thousands of nodes, of which three run
    node.py        ScriptedNode: it answers what and when its script says
    liar.py        scripted nodes that claim to be a Redis Cluster
    relay.py       Relay: on the way to a server; it cuts, keeps back, falls silent
    fpm.py         Fpm: a php-fpm master with workers, spoken to over FastCGI
    nginx.py       Nginx: a web server in front of it
    slots.py       changes to the nodes of a cluster: meet, replicate, fail over, move slots
    network.py     Namespace and Wire: network namespaces connected by user-space wires (wire.py)
                   with delay and loss
    dns.py         a program: a private DNS server, and a namespace in which one program uses it

    server.py      all this for programs in other languages, one line of JSON per request;
                   they start serve.py

A program in conformance/ writes `from lab import RedisNode, Nutcracker`. Programs elsewhere first
put conformance/ on sys.path.
"""

from .cluster import Cluster
from .nutcracker import Nutcracker
from .ports import free_port
from .process import LabError, Process, Running
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
    "Running",
    "free_port",
]
