"""The servers of bench/jobs.py: every place where a contestant connects, in one stage.

    nodes           N redis-servers, filled through a nutcracker: HOST PORT ...
    own             the same servers. In a stage for deaths, other servers, so that no key of a dead
                    node is found on another one
    one             one redis-server with all keys: HOST PORT
    pool            the nutcracker.yml of these nodes: CONFIG POOL
    tls_nodes       the TLS ports of the same nodes: CA_FILE HOST PORT ...
    tls_pool        a configuration with these ports: CONFIG POOL
    proxy_C         a nutcracker with `server_connections: C`, C = 1 or 15: HOST PORT
    proxies_C       four of them: HOST PORT ...
    proxy_mbuf      a nutcracker with `server_connections: 15` and `--mbuf-size 512`: HOST PORT
    cluster         a Redis Cluster of N masters: HOST PORT ...
    cluster_pool    its configuration for OneHop: CONFIG POOL

With a delay, all of them but the proxies are at the far end of a wire. The proxies are at the near
end with the clients, where twemproxy's documentation puts them. They have `preconnect: true`, and
in a stage for deaths `auto_eject_hosts`, so that they go on without a dead node.
"""

import binascii
import contextlib
import os
import subprocess
import tempfile

import tree  # noqa: F401 (finds the lab)

from clusters import configure
from lab import Cluster, Nutcracker, RedisNode, free_port
from lab.network import Namespace, Wire
from stage import ITEMS, KEYS, NAMES, POOL, fill, fill_items, hset, owners

TIMEOUT_MS, SHORT_TIMEOUT_MS = 5000, 200
INSTANCES = 4
# From recommendation.md of twemproxy: for failures, and for requests with many keys.
EJECTING = {"auto_eject_hosts": True, "server_failure_limit": 3, "server_retry_timeout": 30000}
MBUF_BYTES = 512


class Places(contextlib.ExitStack):
    """Servers that live until the block ends. `words` has the words of each place."""

    def __init__(self, count, *, delay_ms=0.0, is_deadly=False):
        super().__init__()
        self.count, self.delay_ms, self.is_deadly = count, delay_ms, is_deadly
        self.timeout_ms = SHORT_TIMEOUT_MS if is_deadly else TIMEOUT_MS
        self.near = None

    def start(self):
        *ends, end_of_one, end_of_cluster = self._wire() if self.delay_ms else self._no_wire()
        self.directory = self.enter_context(tempfile.TemporaryDirectory())
        tls = self._tls_options(ends)
        self.nodes = [self.enter_context(_node(end, **tls, tls_port=free_port())) for end in ends]
        self.own = self.nodes
        if self.is_deadly:
            self.own = [self.enter_context(_node(end)) for end in ends]
        self._fill()
        self._cluster(end_of_cluster)
        one = self.enter_context(_node(end_of_one))
        with one.connect() as connection:
            fill(connection)
        self.words = {
            "nodes": flat(self.nodes),
            "own": flat(self.own),
            "one": one.address,
            "cluster": flat(self.cluster.nodes),
        }
        self._proxies()
        self.words["pool"] = (self._config, POOL)
        self.words["cluster_pool"] = (
            configure(self.cluster, self.directory, timeout=self.timeout_ms),
            POOL,
        )
        self._encrypt(tls["tls_ca_cert_file"])

    def kill(self, death):
        """Ends one node of each kind, or freezes it."""
        for node in {self.nodes[1], self.own[1], self.cluster.nodes[1]}:
            if death == "killed":
                node.kill()
            else:
                node.pause()
                self.callback(node.resume)

    def _wire(self):
        """Half the delay each way. A far end for each node, the single one and the cluster."""
        self.near = self.enter_context(Namespace())
        wire = Wire(self.near, far_count=self.count + 2, delay_s=self.delay_ms / 2000, mtu=65535)
        return self.enter_context(wire).far

    def _no_wire(self):
        return [None] * (self.count + 2)

    def _tls_options(self, ends):
        """Makes one certificate for all nodes, which is its own CA."""
        certificate, key = (os.path.join(self.directory, name) for name in ("node.crt", "node.key"))
        hosts = {end.host if end else "127.0.0.1" for end in ends}
        command = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        )
        names = [
            "-subj",
            "/CN=node",
            "-addext",
            "subjectAltName=" + ",".join(map("IP:{}".format, hosts)),
        ]
        files = ["-out", certificate, "-keyout", key]
        subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
        return {
            "tls_cert_file": certificate,
            "tls_key_file": key,
            "tls_ca_cert_file": certificate,
            "tls_auth_clients": "no",
        }

    def _encrypt(self, authority):
        """Adds the places of the TLS ports. Keys are on the same nodes as without TLS."""
        ports = [node.command("CONFIG", "GET", "tls-port")[1].decode() for node in self.nodes]
        addresses = [(node.host, port) for node, port in zip(self.nodes, ports)]
        self.words["tls_nodes"] = (authority, *(word for pair in addresses for word in pair))
        lines = ["hash: murmur", "distribution: ketama", f"timeout: {self.timeout_ms}"]
        lines += ["tls: true", f"tls_ca_cert_file: {authority}", "servers:"]
        lines += [f" - {host}:{port}:1 {name}" for (host, port), name in zip(addresses, NAMES)]
        path = os.path.join(self.directory, "tls.yml")
        with open(path, "w") as file:
            file.write(f"{POOL}:\n" + "".join(f"  {line}\n" for line in lines))
        self.words["tls_pool"] = (path, POOL)

    def _fill(self):
        filler = self._nutcracker(15)
        self._config = filler.config_path
        with filler.connect(POOL) as connection:
            fill(connection)
            fill_items(connection)
        self.owners = owners(self.nodes, [*KEYS, *ITEMS])

    def _cluster(self, end):
        host = end.host if end else "127.0.0.1"
        # A lone master does not know its own address.
        options = {"host": host, "namespace": end, "meets_at": host, "cluster_announce_ip": host}
        self.cluster = self.enter_context(
            Cluster(self.count, cluster_require_full_coverage="no", **options)
        )
        slots = {key: binascii.crc_hqx(key.encode(), 0) % 16384 for key in [*KEYS, *ITEMS]}
        self.cluster.fill((slots[key], hset(key)) for key in KEYS)
        nodes = self.cluster.nodes
        self.cluster_owners = {
            key: nodes.index(self.cluster.node_of_slot(slot)) for key, slot in slots.items()
        }

    def _proxies(self):
        for connections in (1, 15):
            proxies = [self._nutcracker(connections) for _ in range(INSTANCES)]
            addresses = [proxy.address(POOL) for proxy in proxies]
            self.words[f"proxy_{connections}"] = addresses[0]
            self.words[f"proxies_{connections}"] = [word for pair in addresses for word in pair]

        small = self._nutcracker(15, mbuf_bytes=MBUF_BYTES)
        self.words["proxy_mbuf"] = small.address(POOL)

    def _nutcracker(self, connections, mbuf_bytes=None):
        servers = [node.server_line(name=name) for node, name in zip(self.nodes, NAMES)]
        pool = {
            "hash": "murmur",
            "distribution": "ketama",
            "redis": True,
            "timeout": self.timeout_ms,
            "server_connections": connections,
            "preconnect": True,
            **(EJECTING if self.is_deadly else {}),
            "servers": servers,
        }
        return self.enter_context(
            Nutcracker({POOL: pool}, mbuf_bytes=mbuf_bytes, namespace=self.near)
        )


def flat(nodes):
    """HOST PORT HOST PORT ..."""
    return [word for node in nodes for word in node.address]


def _node(end, **options):
    where = {"host": end.host, "namespace": end} if end else {}
    return RedisNode(**where, **options)
