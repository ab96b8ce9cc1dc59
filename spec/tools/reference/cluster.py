"""The reference of chapter topology, part three: from the reply of a Redis Cluster to a map.

It also chooses the better one of two maps. It was written from cluster.md and nothing else.
`build_cluster.py` uses it to make the vectors from recorded and made-up replies.
"""

import copy
import json
from pathlib import Path

LIMITS = {
    limit["name"]: limit["value"]
    for limit in json.loads((Path(__file__).resolve().parents[2] / "constants.json").read_text())[
        "limits"
    ]
}
SLOTS = 16384


class Refused(Exception):
    pass


class Form(Exception):
    """The reply does not have one of the two forms."""


class Values:
    """RESP: texts are str, nil is None, an error is a tuple with its text."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def take(self):
        kind = self.text[self.at : self.at + 1]
        end = self.text.find("\r\n", self.at)
        if not kind or end < 0 or "\r" in self.text[self.at : end]:
            raise Form
        line, self.at = self.text[self.at + 1 : end], end + 2
        if kind in "+-":
            return line if kind == "+" else (line,)
        if kind == "_":
            return None
        if (
            kind not in "$*%:"
            or not line.lstrip("-").isdecimal()
            or line.count("-") > 1
            or len(line.lstrip("-")) > 18
        ):
            raise Form
        number = int(line)
        if kind == ":":
            return number
        if number < 0:
            if number != -1 or kind == "%":
                raise Form
            return None
        if kind == "$":
            if number > len(self.text) - self.at - 2:
                raise Form
            self.at += number + 2
            return self.text[self.at - number - 2 : self.at - 2]
        count = number * (2 if kind == "%" else 1)
        if count > (len(self.text) - self.at) // 3:
            raise Form
        return [self.take() for _ in range(count)]


def a(kind, value):
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Form
    return value


def text(value):
    return "" if value is None else a(str, value)


def pairs(values):
    if len(a(list, values)) % 2:
        raise Form
    return [(a(str, name), value) for name, value in zip(values[::2], values[1::2])]


def host_of(endpoint, address, asked):
    host = address if endpoint == "?" else endpoint
    if host in ("", "?"):
        return asked
    return host[1:-1] if len(host) > 2 and host[0] == "[" and host[-1] == "]" else host


def is_plain(name, longest):
    return 0 < len(name) <= longest and all(" " < c <= "~" and c not in "\"'\\/" for c in name)


def labels(host):
    """The parts of a host name; an IP address has none."""
    is_address = ":" in host or not host.strip("0123456789.")
    return [] if is_address else host.split(".")


class Map:
    def __init__(self, reply, info="", asked="127.0.0.1", zone=None, zone_hosts=""):
        self.asked, self.zone, self.zone_hosts = asked, zone, zone_hosts.split()
        self.nodes, self.owners = [], [None] * SLOTS
        if len(reply) > LIMITS["cluster_reply_bytes_max"]:
            raise Refused(f"the reply is longer than {LIMITS['cluster_reply_bytes_max']} bytes")
        try:
            self.read(reply)
        except Form:
            reason = "the reply does not have the form of CLUSTER SHARDS or CLUSTER SLOTS"
            raise Refused(reason) from None
        self.close()
        told = [line for line in info.split("\n") if line.startswith("cluster_current_epoch:")]
        self.epoch = int(told[0].partition(":")[2]) if told else 0
        self.served = sum(owner is not None for owner in self.owners)

    def read(self, reply):
        values = Values(reply)
        whole = values.take()
        if isinstance(whole, tuple):
            raise Refused("the node answered with an error")
        for element in a(list, whole):
            if a(list, element) and isinstance(element[0], int):
                self.read_range(element)
            else:
                self.read_shard(element)
        if values.at != len(reply):
            raise Form

    def read_range(self, element):
        if len(element) < 2:
            raise Form
        first, last, *nodes = element
        a(int, last)
        indexes = []
        for node in nodes:
            if len(a(list, node)) < 2:
                raise Form
            endpoint, port, *more = node
            metadata = dict(pairs(more[1])) if len(more) > 1 else {}
            indexes.append(
                self.add(
                    text(more[0]) if more else "",
                    text(endpoint),
                    text(metadata.get("ip")),
                    a(int, port),
                    "online",
                    text(metadata.get("availability-zone")),
                )
            )
        owner = indexes[0] if indexes else None
        for index in indexes[1:]:
            self.follow(index, owner)
        self.claim(first, last, owner)

    def read_shard(self, element):
        shard = dict(pairs(element))
        members = []
        for fields in a(list, shard["nodes"]) if "nodes" in shard else []:
            node = dict(pairs(fields))
            port = node.get("port", 0)
            address = text(node.get("ip"))
            members.append(
                (
                    self.add(
                        text(node.get("id")),
                        text(node["endpoint"]) if "endpoint" in node else address,
                        address,
                        a(int, port),
                        text(node.get("health", "online")),
                        text(node.get("availability-zone")),
                    ),
                    text(node.get("role")) == "master",
                )
            )
        masters = [index for index, is_master in members if is_master and index is not None]
        online = [index for index in masters if not self.nodes[index]["failing"]]
        owner = (online or masters or [None])[0]
        for index, is_master in members:
            if not is_master:
                self.follow(index, owner)
        if "slots" not in shard or len(a(list, shard["slots"])) % 2:
            raise Form
        for first, last in zip(shard["slots"][::2], shard["slots"][1::2]):
            self.claim(a(int, first), a(int, last), owner)

    def add(self, ident, endpoint, address, port, health, zone):
        if port == 0:
            return None
        host = host_of(endpoint, address, self.asked)
        self.require(1 <= port <= 65535, "a node has no valid port")
        self.require(is_plain(host, LIMITS["server_address_bytes_max"]), "a node has no valid host")
        self.require(
            not ident or is_plain(ident, LIMITS["node_id_bytes_max"]), "a node has no valid id"
        )
        name = f"{host}:{port}"
        ident = ident or name
        known = next((index for index, node in enumerate(self.nodes) if node["id"] == ident), None)
        if known is None:
            self.require(
                len(self.nodes) < LIMITS["pool_servers_max"],
                f"there are more than {LIMITS['pool_servers_max']} nodes",
            )
            known = len(self.nodes)
            near = self.zone is not None and (
                zone == self.zone or host in self.zone_hosts or self.zone in labels(host)
            )
            self.nodes.append(
                {
                    "name": name,
                    "id": ident,
                    "role": "spare",
                    "master": known,
                    "failing": health != "online",
                    "loading": health == "loading",
                    "near": near,
                }
            )
        self.require(self.nodes[known]["name"] == name, f"node {ident[:40]} has two addresses")
        return known

    def follow(self, index, owner):
        if index is not None and owner is not None:
            self.nodes[index].update(role="replica", master=owner)

    def claim(self, first, last, owner):
        self.require(
            0 <= first <= last < SLOTS, f"slots {first} to {last} are not a range within 0 to 16383"
        )
        for slot in range(first, last + 1):
            self.require(self.owners[slot] is None, f"slot {slot} is claimed twice")
            self.owners[slot] = owner

    @staticmethod
    def require(right, reason):
        if not right:
            raise Refused(reason)

    def close(self):
        gone, names = set(), {}
        for index, node in enumerate(self.nodes):
            other = names.setdefault(node["name"], index)
            if other == index:
                continue
            self.require(
                node["failing"] or self.nodes[other]["failing"],
                f"node {node['name'][:40]} is listed twice",
            )
            gone.add(index if node["failing"] else other)
            if not node["failing"]:
                names[node["name"]] = index
        kept = [index for index in range(len(self.nodes)) if index not in gone]
        to = {old: new for new, old in enumerate(kept)}
        self.nodes = [self.nodes[index] for index in kept]
        for index, node in enumerate(self.nodes):
            if node["master"] in to:
                node["master"] = to[node["master"]]
            else:
                node.update(role="spare", master=index)
        self.owners = [to.get(owner) for owner in self.owners]
        for owner in {owner for owner in self.owners if owner is not None}:
            self.nodes[owner].update(role="master", master=owner)

    def runs(self):
        """[first, last, index of the node or of its stand-in, True if served]"""
        last = next((owner for owner in reversed(self.owners) if owner is not None), 0)
        runs = []
        for slot, owner in enumerate(self.owners):
            last = last if owner is None else owner
            if runs and runs[-1][2:] == [last, owner is not None]:
                runs[-1][1] = slot
            else:
                runs.append([slot, slot, last, owner is not None])
        return runs

    def keep_places(self, current):
        """Section 4, places."""
        before = current.nodes if current else []
        by_name = {node["name"]: index for index, node in enumerate(self.nodes)}
        places = [by_name.pop(node["name"], None) for node in before]
        for index, node in enumerate(self.nodes):
            if node["name"] in by_name:
                if None in places:
                    places[places.index(None)] = index
                else:
                    places.append(index)
        while places[-1] is None:
            places.pop()
        to = {index: place for place, index in enumerate(places) if index is not None}
        self.nodes = [
            self.nodes[index] | {"master": to[self.nodes[index]["master"]]}
            if index is not None
            else {
                "name": before[place]["name"],
                "id": "",
                "role": "gone",
                "master": place,
                "failing": False,
                "loading": False,
                "near": False,
            }
            for place, index in enumerate(places)
        ]
        self.owners = [None if owner is None else to[owner] for owner in self.owners]

    def keep_moved(self, asked, current):
        """Section 4: keeps moves that happened between the question and the answer.

        `asked` is the map at the time of the question, `current` the one at the time of the answer.
        """
        for slot, owner in enumerate(current.owners):
            if owner is None or (
                asked.owners[slot] is not None
                and asked.nodes[asked.owners[slot]]["name"] == current.nodes[owner]["name"]
            ):
                continue
            name = current.nodes[owner]["name"]
            node = next(
                (index for index, node in enumerate(self.nodes) if node["name"] == name), None
            )
            if (
                node is not None
                and self.nodes[node]["role"] != "gone"
                and not self.nodes[node]["failing"]
            ):
                self.move(slot, node)

    def move(self, slot, node):
        self.served += self.owners[slot] is None
        self.owners[slot] = node
        self.nodes[node].update(role="master", master=node)

    def moved(self, moves):
        """A copy of the map after these MOVED replies, each (slot, name)."""
        after = copy.deepcopy(self)
        for slot, name in moves:
            after.move(
                slot, next(index for index, node in enumerate(after.nodes) if node["name"] == name)
            )
        return after


def is_foreign(current, told):
    """Section 4: True if the new map has no node of the current one."""
    return current is not None and not {node["id"] for node in current.nodes if node["id"]} & {
        node["id"] for node in told.nodes
    }


def unfit(current, told):
    if told is None:
        return "there is no answer"
    if told.served == 0:
        return "no slot is served"
    if current is None or is_foreign(current, told):
        return None
    if 0 < told.epoch < current.epoch:
        return f"its epoch {told.epoch} is older than {current.epoch}"
    if told.served < (current.served + 1) // 2:
        return f"only {told.served} of {current.served} slots are served"
    return None


def choose(current, first, second):
    """Section 4: the map to adopt, or None and the reason."""
    reasons = [unfit(current, told) for told in (first, second)]
    fit = [told for told, reason in zip((first, second), reasons) if reason is None]
    if not fit:
        return None, reasons[0 if second is None else 1]
    return max(fit, key=lambda told: (not is_foreign(current, told), told.epoch, told.served)), None
