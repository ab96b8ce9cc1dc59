"""Chapter topology: a picture of a server pool, and its fingerprint."""

import hashlib
import socket

import cluster

from .foreign import FOREIGN
from .hashes import HASHES
from .key import hashed_part, slot
from .placement import DISTRIBUTIONS


class Topology:
    def __init__(self, pool, dead=()):
        self.pool = pool
        self.servers = sorted(
            pool["servers"], key=lambda s: (len(s["name"].encode()), s["name"].encode())
        )
        unknown = set(dead) - {server["name"] for server in self.servers}
        if unknown:
            raise ValueError(f"no server is named {sorted(unknown)[0]}")
        live = [index for index, server in enumerate(self.servers) if server["name"] not in dead]
        self.tag = pool["hash_tag"].encode() if pool["hash_tag"] else None
        self.foreign = None
        if pool["distribution"] in FOREIGN:
            self.servers = pool["servers"]
            self.foreign = FOREIGN[pool["distribution"]](pool)
            return
        self.hash = HASHES[pool["hash"]]
        everyone = list(range(len(self.servers)))
        self.placement = DISTRIBUTIONS[pool["distribution"]](self.servers, live or everyone)

    def explain(self, key):
        if len(self.servers) == 1 and self.pool["distribution"] != "slots":
            return key, 0, 0, self.servers[0]["name"]
        if self.foreign:
            hashed = self.foreign.part(key)
            h = self.foreign.hash(hashed)
            point, index = self.foreign.place(h)
            return hashed, h, point, self.servers[index]["name"]
        hashed = hashed_part(key, self.tag)
        h = self.hash(hashed) if hashed else 0
        point, index = self.placement.place(h)
        return hashed, h, point, self.servers[index]["name"]

    def locate(self, key):
        return self.explain(key)[3]

    def address(self, key):
        name = self.locate(key)
        return next(it["address"] for it in self.servers if it["name"] == name)

    def old_ring(self):
        """Chapter topology, moving; None without `moving_from`."""
        return Topology(self.pool["moving_from"]) if self.pool.get("moving_from") else None

    def nodes(self):
        """All nodes: the servers, and those of the old ring at other addresses."""
        nodes, addresses = list(self.servers), {server["address"] for server in self.servers}
        for server in self.old_ring().servers if self.old_ring() else ():
            if server["address"] not in addresses:
                nodes.append(server)
                addresses.add(server["address"])
        return nodes

    def moves_from(self, key):
        """The name of the old owner of a key that moves; None for all others."""
        old = self.old_ring()
        if not old or old.address(key) == self.address(key):
            return None
        return next(it["name"] for it in self.nodes() if it["address"] == old.address(key))

    def shown_name(self, server):
        has_unnamed = self.foreign and self.foreign.has_unnamed
        return "" if has_unnamed and not server["named"] else server["name"]

    def line_of(self, server):
        line = f"server={self.shown_name(server)} {server['weight']} {server['address']}"
        if "slots" not in server:
            return line
        bits = sum(1 << slot for slot in server["slots"])
        return f"{line} {bits.to_bytes(self.foreign.slots_count // 8, 'little').hex()}"

    def fingerprint(self):
        return hashlib.md5(self.canonical().encode()).hexdigest()

    def canonical(self):
        pool = self.pool
        tag = self.tag.hex() if self.tag else ""
        database = pool["database"] if pool["database"] is not None else pool["redis_db"]
        lines = [
            "onehop-topology-1",
            f"distribution={pool['distribution']}",
            f"hash={pool['hash']}",
            f"hash_tag={tag}",
            f"database={database}",
        ]
        lines += self.server_lines()
        old = self.old_ring()
        if old:
            tag = old.tag.hex() if old.tag else ""
            lines.append(f"moving_from={old.pool['distribution']} {old.pool['hash']} {tag}")
            lines += old.server_lines()
        return "".join(line + "\n" for line in lines)

    def server_lines(self):
        return [self.line_of(server) for server in self.servers]


class MappedTopology:
    """Chapter topology, cluster: one seed is asked, and its slots are the placement."""

    def __init__(self, pool):
        host, _, port = pool["servers"][0]["address"].rpartition(":")
        info, reply = self.ask(host, int(port))
        self.map = cluster.Map(reply, info, host)
        self.runs = self.map.runs()

    @staticmethod
    def ask(host, port):
        """Both replies, unparsed. The second one ends where the reply to PING begins."""
        commands = b"CLUSTER INFO\r\nCLUSTER SHARDS\r\nPING\r\n"
        received = b""
        with socket.create_connection((host, port), timeout=10) as connection:
            connection.sendall(commands)
            while not received.endswith(b"+PONG\r\n"):
                received += connection.recv(1 << 16)
        text = received.removesuffix(b"+PONG\r\n").decode("latin-1")
        info = cluster.Values(text)
        return info.take(), text[info.at :]

    def locate(self, key):
        wanted = slot(key)
        return next(
            self.map.nodes[node]["name"]
            for first, last, node, _ in self.runs
            if first <= wanted <= last
        )

    def fingerprint(self):
        lines = [
            "onehop-topology-1",
            "distribution=slots",
            "hash=crc16",
            "hash_tag=7b7d",
            "database=0",
        ]
        lines += [
            f"slots={first}-{last} {self.map.nodes[node]['name']}"
            for first, last, node, served in self.runs
            if served
        ]
        return hashlib.md5("".join(line + "\n" for line in lines).encode()).hexdigest()
