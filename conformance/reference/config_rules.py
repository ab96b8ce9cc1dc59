"""Chapter config: the rules about several directives of a pool."""

import re

from .config_values import PAGE, ROWS, default
from .foreign import FOREIGN
from .hashes import HASHES
from .limits import LIMITS


def rules(given, seen, is_own):
    """Section 5, end of a pool: the rules that are broken. Each comes with the directive that it
    names first, and with whether something is missing.
    """

    def is_so(term):
        if term.startswith("!"):
            return not is_so(term[1:])
        if term == "OneHop pool":
            return is_own
        if term in DISTRIBUTIONS:
            return DISTRIBUTIONS[term](given, FOREIGN.get(given.get("distribution")))
        if term in OLD_RINGS:
            return OLD_RINGS[term](given)
        if term.startswith("server "):
            return any(SERVERS[term](server) for server in given["servers"])
        name, colon, value = term.partition(": ")
        said = given.get(name, default(ROWS[name]))
        return str(said).lower() == value if colon else name in seen

    for rule in PAGE["rules"]:
        if all(map(is_so, rule["if"])):
            named = re.search(r'"(\w+)', rule["reason"])[1]
            yield rule["reason"], named, "misses" in rule


def has_strange_hash(given, foreign):
    return "hash" in given and given["hash"] not in (foreign.hashes if foreign else HASHES)


def has_strange_weights(given, foreign):
    weights = [server["weight"] for server in given["servers"]]
    return bool(foreign) and not foreign.has_weights and max(weights, default=1) > 1


def has_many_points(given, foreign):
    weights = sum(server["weight"] for server in given["servers"])
    return bool(foreign) and foreign.has_many_points and weights > LIMITS["pool_servers_max"]


def lacks_slots(given, foreign):
    slots = [slot for server in given["servers"] for slot in server.get("slots", ())]
    return bool(foreign) and len(slots) < foreign.slots_count


def has_long_name(given, foreign):
    most = foreign and foreign.name_bytes_max
    return bool(most) and any(len(it["name"].encode()) > most for it in given["servers"])


DISTRIBUTIONS = {
    "distribution of another client": lambda _given, foreign: bool(foreign),
    "distribution without hash_tag": lambda _given, foreign: foreign and not foreign.has_tags,
    "distribution with another hash": has_strange_hash,
    "distribution without weights": has_strange_weights,
    "distribution without long names": has_long_name,
    "distribution with too many points": has_many_points,
    "distribution without all slots": lacks_slots,
}


def has_two_addresses(given):
    addresses = {server["name"]: server["address"] for server in given["servers"]}
    return any(
        addresses.get(it["name"], it["address"]) != it["address"]
        for it in given["old_ring"]["servers"]
    )


def has_many_servers(given):
    both = len(given["servers"]) + len(given["old_ring"]["servers"])
    return bool(given["old_ring"]["servers"]) and both > LIMITS["pool_servers_max"]


def of_old_ring(is_so):
    def is_so_there(given):
        old = given["old_ring"]
        return bool(old["servers"]) and is_so(old, FOREIGN.get(old.get("distribution")))

    return is_so_there


def has_strange_old_hash(given):
    old = given["old_ring"]
    is_own = "moving_from_distribution" in given
    return is_own and has_strange_hash(old, FOREIGN.get(old["distribution"]))


OLD_RINGS = {
    "old ring with another hash": has_strange_old_hash,
    "old ring without hash_tag": of_old_ring(DISTRIBUTIONS["distribution without hash_tag"]),
    "old ring without weights": of_old_ring(has_strange_weights),
    "old ring without long names": of_old_ring(has_long_name),
    "old ring with too many points": of_old_ring(has_many_points),
    "old ring without all slots": of_old_ring(lacks_slots),
    "old ring with a name at another address": has_two_addresses,
    "old ring with too many servers": has_many_servers,
}
SERVERS = {
    "server with a weight": lambda server: server["weight"] != 1,
    "server on a unix socket": lambda server: server["address"].startswith("/"),
    "server without a name": lambda server: ":" in server["name"],
}
