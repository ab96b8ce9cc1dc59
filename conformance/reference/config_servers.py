"""Chapter config: the text of a server, a Sentinel or a replica."""

from .config_text import about, shown
from .limits import LIMITS


def after_brackets(text):
    """The text after a host in brackets, or the whole text without one."""
    rest = text[1:].partition("]")[2]
    return rest if text.startswith("[") and rest.startswith(":") else text


def host_and_port(text):
    """Host and port of a Sentinel or replica. Raises ValueError, without text for a wrong form."""
    host, _, rest = text[1:].partition("]")
    whole = host + rest if text.startswith("[") and host and rest.startswith(":") else text
    host, _, port = whole.rpartition(":")
    if after_brackets(text).count(":") != 1 or " " in whole:
        raise ValueError
    if not is_port(port):
        raise ValueError("has an invalid port")
    if not host:
        raise ValueError("has an empty address")
    if len(host.encode()) > LIMITS["server_address_bytes_max"]:
        raise ValueError("has an address longer than 255 bytes")
    return host, port


def digits(text):
    return text.isascii() and text.isdigit()


def is_port(text):
    return digits(text) and len(text.lstrip("0")) <= 5 and 1 <= int(text) <= 65535


def with_weight(text, weight="1"):
    """Section 7: a server of a OneHop pool, spelled as nutcracker wants it."""
    front, space, name = text.rpartition(" ")
    if not space:
        front, name = text, ""
    host, _, rest = front[1:].partition("]")
    if text.startswith("[") and rest.startswith(":"):
        lacks = rest.count(":") == 1
        front = host + rest
    else:
        lacks = front.count(":") == (0 if text.startswith("/") else 1)
    return front + (f":{weight}" if lacks else "") + space + name


def require(condition, reason):
    if not condition:
        raise ValueError(reason)


def add_server(spelled, told, servers, is_own, foreign):
    """Section 7. `told` is what errors show in place of the text, or None."""
    slots_count = foreign.slots_count if foreign and is_own else 0
    require(spelled, "the server is empty")
    try:
        if is_own and not spelled.startswith("/"):
            check_own_spelling(spelled, slots_count)
        text = with_weight(spelled, "" if slots_count else "1") if is_own else spelled
        server = server_of(text, is_own, foreign, slots_count)
    except ValueError as error:
        raise ValueError(f"{error}{about(told or spelled)}") from error
    name = server["name"]
    require(name not in servers, f'server "{shown(told or name)}" is a duplicate')
    taken = {slot for other in servers.values() for slot in other.get("slots", ())}
    require(
        taken.isdisjoint(server.get("slots", ())),
        "the server has a slot of another server" + about(told or spelled),
    )
    require(
        sum(other["weight"] for other in servers.values()) + server["weight"]
        <= LIMITS["weights_sum_max"],
        f"the weights add up to more than {LIMITS['weights_sum_max']}",
    )
    servers[name] = server


def check_own_spelling(spelled, slots_count):
    """Errors that a server can have only in a OneHop text."""
    where = spelled if " " not in spelled else spelled.rpartition(" ")[0]
    require("://" not in where, 'the server is a URL, not "host:port"')
    require(
        slots_count or "," not in where, "the server has a comma: each server is an item of its own"
    )
    require(
        after_brackets(where).count(":") <= 2,
        'the server needs brackets around its host, as in "[::1]:6379"',
    )


def server_of(text, is_own, foreign, slots_count):
    """The parts of a server as nutcracker spells it."""
    front, space, name = text.rpartition(" ")
    if not space:
        front = text
    is_path = text.startswith("/")
    address, colon, weight = front.rpartition(":")
    host, port_colon, port = address.rpartition(":")
    maybe = "[:weight]" if is_own else ":weight"
    needed = "" if is_own else ' (the weight may be absent in a pool with "engine: redis")'
    require(
        colon and bool(port_colon) != is_path,
        f'the server is not "host:port{maybe} [name]" or "/path{maybe} [name]"{needed}',
    )
    slots = slots_of(weight, slots_count) if slots_count else None
    weight = len(slots) if slots_count else weight_of(weight)
    require(is_path or is_port(port), "the server has an invalid port")
    require(address if is_path else host, "the server has an empty address")
    require(
        len((address if is_path else host).encode()) <= LIMITS["server_address_bytes_max"],
        f"the server has an address longer than {LIMITS['server_address_bytes_max']} bytes",
    )
    if not space and foreign and not foreign.has_short_names:
        name = address
    elif not space:
        is_usual = not is_path and int(port) == 11211
        name = address + ":" if is_path else host if is_usual else address
    require(name, "the server has an empty name")
    require(
        len(name.encode()) <= LIMITS["server_name_bytes_max"],
        f"the server has a name longer than {LIMITS['server_name_bytes_max']} bytes",
    )
    return {
        "name": name,
        "address": address if is_path else f"{host}:{int(port)}",
        "weight": weight,
        "named": bool(space),
        **({"slots": slots} if slots_count else {}),
    }


def slots_of(text, slots_count):
    """The slots of a text such as "0-511,600"."""
    slots = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        ends = [first, last if dash else first]
        require(
            all(digits(end) and len(end.lstrip("0")) <= 4 for end in ends)
            and int(ends[0]) <= int(ends[1]) < slots_count,
            'the server has no slots as in "host:port:0-511,600 [name]"',
        )
        slots.update(range(int(ends[0]), int(ends[1]) + 1))
    return sorted(slots)


def weight_of(text):
    require(digits(text), "the server has an invalid weight")
    require(text.strip("0"), "the server has weight 0")
    weight = int(text.lstrip("0")[:11])
    require(
        weight <= LIMITS["number_max"],
        f"the server has a weight larger than {LIMITS['number_max']}",
    )
    return weight
