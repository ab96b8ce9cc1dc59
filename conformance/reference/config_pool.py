"""Chapter config: the end of a pool, where its values and lists become one."""

from .config_rules import rules
from .config_servers import add_server, host_and_port
from .config_text import about, expanded, has_variables, shown, suggestion
from .config_values import ROWS, default, read_value, words
from .config_yaml import Walk
from .foreign import FOREIGN, default_hash
from .limits import LIMITS


class PoolWalk(Walk):
    """Sections 5 and 7: what is known when a pool has been read."""

    def finished_pool(self, name, values, sequences, seen, before):
        """Reads the values and the servers, checks what goes together, and sets the defaults."""
        is_own = any(ROWS[name]["of"] == "OneHop" for name in seen)
        self.is_own |= is_own
        given, taken = ({"redis": True} if is_own else {}), {}
        for directive, text, line in values:
            try:
                value = self.expanded(text, is_own)
            except ValueError as error:
                self.fail(line, f'directive "{directive}" {error}')
                continue
            told = text if has_variables(text, is_own) else None
            self.set_value(given, directive, value, told, line)
        distribution = given.get("distribution")
        foreign = FOREIGN.get(distribution)
        for text, line in sequences["servers"]:
            self.add_server(text, line, taken, is_own, foreign)
        sentinels = []
        for text, line in sequences["sentinels"]:
            self.add_sentinel(text, line, sentinels)
        if sentinels:
            shorter_first = sorted(sentinels, key=lambda it: (len(it.encode()), it.encode()))
            given["sentinels"] = " ".join(shorter_first)
        replicas = {}
        for text, line in sequences["replicas"]:
            self.add_replica(text, line, taken, replicas, before)
        if replicas:
            shorter_first = sorted(replicas, key=lambda it: (len(it.encode()), it.encode()))
            given["replicas"] = ", ".join(f"{it} {replicas[it]}" for it in shorter_first)
        given["old_ring"] = self.old_ring(given, sequences["moving_from"], is_own)
        zones = {}
        for text, line in sequences["host_zones"]:
            self.add_zone(text, line, zones)
        hosts = [host for host, zone in zones.items() if zone == given.get("zone")]
        if hosts:
            shorter_first = sorted(hosts, key=lambda it: (len(it.encode()), it.encode()))
            given["host_zones"] = " ".join(shorter_first)
        if "sentinels" in seen:
            given.setdefault("sentinel_tls", given.get("tls", False))
        if "listen" in given:
            self.listening.append((given["listen"], name.text))
        given["servers"] = list(taken.values())
        is_whole = len(self.found) == before
        for reason, named, misses in rules(given, seen, is_own):
            if is_whole or not misses:
                self.fail(seen.get(named, name.line), reason)
        given.setdefault("hash", default_hash(distribution))
        given["moving_from"] = settled_old_ring(given)
        if given.get("cluster"):
            given.update({"hash": "crc16", "hash_tag": "{}", "distribution": "slots"})
        return {
            "name": name.text,
            **{name: given.get(name, default(row)) for name, row in ROWS.items()},
        }

    def old_ring(self, given, spelled, is_own):
        """Chapter topology, moving: the pool that keys move from, as far as the file says it."""
        prefix = "moving_from_" if "moving_from_distribution" in given else ""
        ring = {
            name: given[prefix + name]
            for name in ("distribution", "hash", "hash_tag")
            if prefix + name in given
        }
        foreign = FOREIGN.get(ring.get("distribution"))
        servers = {}
        for text, line in spelled:
            self.add_server(text, line, servers, is_own, foreign)
        return {**ring, "servers": list(servers.values())}

    def expanded(self, text, is_own):
        return expanded(text, self.environment) if is_own else text

    def set_value(self, given, directive, value, told, line):
        row = ROWS[directive]
        try:
            given[directive] = read_value(value, row, self.listening)
        except ValueError as error:
            detail = "" if "hidden" in row else about(told or value)
            near = suggestion(value, words(row)) if words(row) and not told else ""
            self.fail(line, f'directive "{directive}" {error}{detail}{near}')

    def add_server(self, text, line, servers, is_own, foreign):
        try:
            value = self.expanded(text, is_own)
        except ValueError as error:
            self.fail(line, f"the server {error}")
            return
        told = text if has_variables(text, is_own) else None
        try:
            add_server(value, told, servers, is_own, foreign)
        except ValueError as error:
            self.fail(line, str(error))

    def item(self, text, line, what):
        """(the value, its spelling if that has variables); (None, None) if the item is refused."""
        if not text:
            self.fail(line, f"the {what} is empty")
            return None, None
        try:
            return self.expanded(text, True), text if has_variables(text, True) else None
        except ValueError as error:
            self.fail(line, f"the {what} {error}")
            return None, None

    def add_sentinel(self, text, line, sentinels):
        """Section 7. `sentinels` has the addresses so far, as spelled, but without brackets."""
        value, told = self.item(text, line, "sentinel")
        if value is None:
            return
        try:
            host, port = host_and_port(value)
        except ValueError as error:
            fault = str(error) or 'is not "host:port"'
            self.fail(line, f"the sentinel {fault}" + about(told or value))
            return
        if f"{host}:{port}" in sentinels:
            self.fail(line, f'sentinel "{shown(told or f"{host}:{port}")}" is a duplicate')
        else:
            sentinels.append(f"{host}:{port}")

    def add_replica(self, text, line, servers, replicas, before):
        """Section 7. `replicas` has, for each replica so far, the name of its master."""
        value, told = self.item(text, line, "replica")
        if value is None:
            return
        address, _, master = value.rpartition(" ")
        try:
            host, port = host_and_port(address if master else "")
        except ValueError as error:
            fault = str(error) or 'is not "host:port name"'
            self.fail(line, f"the replica {fault}" + about(told or value))
            return
        name = f"{host}:{int(port)}"
        if master not in servers:
            if len(self.found) == before:
                self.fail(line, "the replica is of no server of this pool" + about(told or value))
        elif name in servers or name in replicas:
            self.fail(line, f'replica "{shown(told or name)}" is a duplicate')
        else:
            replicas[name] = master

    def add_zone(self, text, line, zones):
        """Section 7. `zones` has the zones of the hosts so far."""
        value, told = self.item(text, line, "zone")
        if value is None:
            return
        host, _, zone = value.rpartition(" ")
        if len(host) > 2 and host[0] == "[" and host[-1] == "]":
            host = host[1:-1]
        if not zone or not host or " " in host:
            self.fail(line, 'the zone is not "host zone"' + about(told or value))
        elif len(host.encode()) > LIMITS["server_address_bytes_max"]:
            self.fail(line, "the zone has an address longer than 255 bytes" + about(told or value))
        elif host in zones:
            self.fail(line, f'zone "{shown(told or host)}" is a duplicate')
        else:
            zones[host] = zone


def settled_old_ring(given):
    """The old ring with its defaults; None without `moving_from`."""
    ring = given.pop("old_ring")
    if not ring["servers"]:
        return None
    distribution = ring.get("distribution", default(ROWS["distribution"]))
    return {
        "distribution": distribution,
        "hash": ring.get("hash", default_hash(distribution)),
        "hash_tag": ring.get("hash_tag"),
        "servers": ring["servers"],
    }
