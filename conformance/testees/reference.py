#!/usr/bin/python3
"""The reference: OneHop's specification as a program, written to be read, not to be fast.

It was written from the prose of spec/ and from nothing else, so it is a third opinion beside C and
Java. Each part below has the name of its chapter. In: requests of conformance/protocol.md. Out:
their answers. It uses only Python's library, and PyYAML for the events of a YAML text (through
libyaml, which is nutcracker's parser).

Implements spec/hash, spec/key, spec/placement, spec/topology, spec/config, spec/wire, spec/health.
"""

import bisect
import hashlib
import json
import random
import re
import socket
import struct
import sys
import zlib
from pathlib import Path

import yaml

SPEC = Path(__file__).resolve().parents[2] / "spec"
LIMITS = {
    limit["name"]: limit["value"]
    for limit in json.loads((SPEC / "constants.json").read_text())["limits"]
}
U32 = 0xFFFFFFFF
sys.path.append(str(SPEC / "tools/reference"))
import cluster  # noqa: E402 (the reference of a cluster's map)

# ---- Chapter hash ----


def signed(byte):
    """A byte widened to 32 bits as a signed C char."""
    return byte if byte < 128 else byte + 0xFFFFFF00


def one_at_a_time(key):
    h = 0
    for byte in key:
        h = (h + signed(byte)) & U32
        h = (h + (h << 10)) & U32
        h ^= h >> 6
    h = (h + (h << 3)) & U32
    h ^= h >> 11
    return (h + (h << 15)) & U32


def md5(key):
    return int.from_bytes(hashlib.md5(key).digest()[:4], "little")


def crc16_table_entry(index):
    c = index << 8
    for _ in range(8):
        c = (c << 1) ^ (0x1021 if c & 0x8000 else 0)
    return c & 0xFFFF


CRC16_TABLE = [crc16_table_entry(index) for index in range(256)]


def crc16(key):
    c = 0
    for byte in key:
        c = ((c << 8) & U32) ^ CRC16_TABLE[((c >> 8) ^ byte) & 0xFF]
    return c


def crc32(key):
    return (zlib.crc32(key) >> 16) & 0x7FFF


def crc32a(key):
    return zlib.crc32(key)


def fnv1(key, h, prime):
    for byte in key:
        h = (h * prime & U32) ^ signed(byte)
    return h


def fnv1a(key, h, prime):
    for byte in key:
        h = (h ^ signed(byte)) * prime & U32
    return h


def fnv1_64(key):
    return fnv1(key, 0x84222325, 0x1B3)


def fnv1a_64(key):
    return fnv1a(key, 0x84222325, 0x1B3)


def fnv1_32(key):
    return fnv1(key, 0x811C9DC5, 0x01000193)


def fnv1a_32(key):
    return fnv1a(key, 0x811C9DC5, 0x01000193)


def hsieh(key):
    h, whole = 0, len(key) & ~3
    if not key:
        return 0
    for low, high in struct.iter_unpack("<HH", key[:whole]):
        h = (h + low) & U32
        h = ((h << 16) ^ (high << 11) ^ h) & U32
        h = (h + (h >> 11)) & U32
    tail = key[whole:]
    if len(tail) == 3:
        h = (h + tail[0] + (tail[1] << 8)) & U32
        h = (h ^ (h << 16) ^ (signed(tail[2]) << 18)) & U32
        h = (h + (h >> 11)) & U32
    elif len(tail) == 2:
        h = (h + tail[0] + (tail[1] << 8)) & U32
        h = (h ^ (h << 11)) & U32
        h = (h + (h >> 17)) & U32
    elif len(tail) == 1:
        h = (h + tail[0]) & U32
        h = (h ^ (h << 10)) & U32
        h = (h + (h >> 1)) & U32
    h = (h ^ (h << 3)) & U32
    h = (h + (h >> 5)) & U32
    h = (h ^ (h << 4)) & U32
    h = (h + (h >> 17)) & U32
    h = (h ^ (h << 25)) & U32
    return (h + (h >> 6)) & U32


def murmur(key):
    m, whole = 0x5BD1E995, len(key) & ~3
    h = (0xDEADBEEF * len(key) ^ len(key)) & U32
    for (k,) in struct.iter_unpack("<I", key[:whole]):
        k = k * m & U32
        k = (k ^ (k >> 24)) * m & U32
        h = (h * m & U32) ^ k
    if len(key) > whole:
        h = (h ^ int.from_bytes(key[whole:], "little")) * m & U32
    h = (h ^ (h >> 13)) * m & U32
    return h ^ (h >> 15)


def rotated(x, bits):
    return (x << bits | x >> (32 - bits)) & U32


def jenkins(key):
    a = b = c = (0xDEADBEEF + len(key) + 13) & U32
    if not key:
        return c
    whole = (len(key) - 1) // 12 * 12  # The last block of 1 to 12 bytes is mixed differently.
    for x, y, z in struct.iter_unpack("<III", key[:whole]):
        a, b, c = (a + x) & U32, (b + y) & U32, (c + z) & U32
        a = (a - c & U32) ^ rotated(c, 4)
        c = (c + b) & U32
        b = (b - a & U32) ^ rotated(a, 6)
        a = (a + c) & U32
        c = (c - b & U32) ^ rotated(b, 8)
        b = (b + a) & U32
        a = (a - c & U32) ^ rotated(c, 16)
        c = (c + b) & U32
        b = (b - a & U32) ^ rotated(a, 19)
        a = (a + c) & U32
        c = (c - b & U32) ^ rotated(b, 4)
        b = (b + a) & U32
    x, y, z = struct.unpack("<III", key[whole:].ljust(12, b"\0"))
    a, b, c = (a + x) & U32, (b + y) & U32, (c + z) & U32
    c = (c ^ b) - rotated(b, 14) & U32
    a = (a ^ c) - rotated(c, 11) & U32
    b = (b ^ a) - rotated(a, 25) & U32
    c = (c ^ b) - rotated(b, 16) & U32
    a = (a ^ c) - rotated(c, 4) & U32
    b = (b ^ a) - rotated(a, 14) & U32
    return (c ^ b) - rotated(b, 24) & U32


HASHES = {
    function.__name__: function
    for function in (
        one_at_a_time,
        md5,
        crc16,
        crc32,
        crc32a,
        fnv1_64,
        fnv1a_64,
        fnv1_32,
        fnv1a_32,
        hsieh,
        murmur,
        jenkins,
    )
}


# ---- Chapter key ----


def hashed_part(key, tag):
    """The part of a key that is hashed under a hash tag of two bytes, or without one."""
    if not tag:
        return key
    start = key.find(tag[:1])
    end = key.find(tag[1:], start + 1) if start >= 0 else -1
    return key[start + 1 : end] if end > start + 1 else key


def slot(key):
    """The slot of a key in a Redis Cluster."""
    return (crc16(hashed_part(key, b"{}")) & 0xFFFF) % 16384


# ---- Chapter placement ----


def f32(x):
    """Rounds to IEEE single precision."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def point_groups(weight, total, live_count):
    share = f32(f32(weight) / f32(total))
    value = f32(f32(f32(share * 160) / 4) * f32(live_count))
    return int(f32(value + 1e-10))


class Ketama:
    def __init__(self, servers, live):
        total = sum(servers[index]["weight"] for index in live)
        points = []
        for index in live:
            name = servers[index]["name"].encode()
            for group in range(point_groups(servers[index]["weight"], total, len(live))):
                digest = hashlib.md5((name + b"-%d" % group)[: LIMITS["point_bytes_max"]]).digest()
                points += [(value, index) for value in struct.unpack("<IIII", digest)]
        points.sort(key=lambda point: point[0])  # Stable: equal values keep the building order.
        self.points = points
        self.values = [value for value, _ in points]

    def place(self, h):
        """The ring point that takes the hash, and its server."""
        at = bisect.bisect_left(self.values, h)
        return self.points[at if at < len(self.points) else 0]


class Modula:
    def __init__(self, servers, live):
        self.live, self.ends, self.total = live, [], 0
        for index in live:
            self.total += servers[index]["weight"]
            self.ends.append(self.total)

    def place(self, h):
        """The slot of the hash, and its server."""
        at = h % self.total
        return at, self.live[bisect.bisect_right(self.ends, at)]


class Random:
    def __init__(self, _servers, live):
        self.live = live

    def place(self, _hash):
        return 0, random.choice(self.live)


class Slots:
    """Chapter topology, cluster: without a map the seeds stand in for the owners of slots."""

    def __init__(self, servers, _live):
        self.servers = servers

    def place(self, h):
        return h % 16384, h % 16384 % len(self.servers)


DISTRIBUTIONS = {"ketama": Ketama, "modula": Modula, "random": Random, "slots": Slots}


# ---- Chapter topology ----


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
        self.hash = HASHES[pool["hash"]]
        self.tag = pool["hash_tag"].encode() if pool["hash_tag"] else None
        everyone = list(range(len(self.servers)))
        self.placement = DISTRIBUTIONS[pool["distribution"]](self.servers, live or everyone)

    def explain(self, key):
        if len(self.servers) == 1 and self.pool["distribution"] != "slots":
            return key, 0, 0, self.servers[0]["name"]
        hashed = hashed_part(key, self.tag)
        h = self.hash(hashed) if hashed else 0
        point, index = self.placement.place(h)
        return hashed, h, point, self.servers[index]["name"]

    def locate(self, key):
        return self.explain(key)[3]

    def fingerprint(self):
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
        lines += [f"server={s['name']} {s['weight']} {s['address']}" for s in self.servers]
        return hashlib.md5("".join(line + "\n" for line in lines).encode()).hexdigest()


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


# ---- Chapter config ----


class Rejected(Exception):
    """A configuration with errors: the first of them as [line, reason], and how many more."""

    def __init__(self, errors, more=0):
        self.errors, self.more = errors, more
        self.line, self.reason = errors[0]


def allowed(code):
    return (
        code in (9, 10, 13)
        or 0x20 <= code <= 0x7E
        or (0xA0 <= code <= 0xD7FF and code not in (0x2028, 0x2029))
        or (0xE000 <= code <= 0xFFFD and code != 0xFEFF)
        or 0x10000 <= code <= 0x10FFFF
    )


def shown(name):
    data = name.encode()
    cut = data[: LIMITS["shown_bytes_max"]]
    text = "".join(chr(b) if 0x20 <= b <= 0x7E and b not in b'"\\' else f"\\x{b:02x}" for b in cut)
    return text + ("..." if len(data) > len(cut) else "")


def about(value):
    """The end of a reason: the value, unless it may contain a password, as URLs do."""
    is_url = any(part in value for part in ("@", "?", "=", "auth"))
    return "" if is_url else f': "{shown(value)}"'


def distance(a, b):
    """Optimal string alignment."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = a[i - 1] != b[j - 1]
            steps = [rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + cost]
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                steps.append(rows[i - 2][j - 2] + 1)
            row.append(min(steps))
        rows.append(row)
    return rows[-1][-1]


def suggestion(word, words):
    """The end of a reason: the word of a list that is meant."""
    word = word.encode()
    if len(word) > LIMITS["shown_bytes_max"]:
        return ""
    steps, nearest = min((distance(word.lower(), other.encode()), other) for other in words)
    return f' (did you mean "{nearest}"?)' if steps <= (1 if len(word) < 5 else 2) else ""


def checked_text(data):
    """Section 2: the text without its byte order mark, or its first offence."""
    if len(data) > LIMITS["config_bytes_max"]:
        raise Rejected([(1, f"the file is larger than {LIMITS['config_bytes_max']} bytes")])
    broken = None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        text, broken = data[: error.start].decode(), "the text is not valid UTF-8"
    text = text.removeprefix("\ufeff")
    line, indenting, previous = 1, True, ""
    for character in text:
        if not allowed(ord(character)):
            raise Rejected([(line, f"character U+{ord(character):04X} is not allowed")])
        if character == "\t" and indenting:
            raise Rejected([(line, "a TAB stands where only spaces may indent")])
        indenting = character in "\r\n" or (indenting and character == " ")
        line += character == "\r" or (character == "\n" and previous != "\r")
        previous = character
    if broken:
        raise Rejected([(line, broken)])
    return text


class Value:
    """One node of the document, reduced to what the rules need."""

    def __init__(self, event, text):
        self.line = event.start_mark.line + 1
        self.is_scalar = isinstance(event, yaml.ScalarEvent)
        self.is_mapping = isinstance(event, yaml.MappingStartEvent)
        self.is_sequence = isinstance(event, yaml.SequenceStartEvent)
        self.text = event.value if self.is_scalar else None
        self.is_flow = False
        self.offence = self.first_offence(event, text)

    def first_offence(self, event, text):
        # The tag `!` before a plain scalar changes nothing in the event but its position: no other
        # scalar begins with it.
        begins = text[event.start_mark.index : event.start_mark.index + 1]
        if (
            isinstance(event, yaml.AliasEvent)
            or event.anchor
            or event.tag
            or (begins == "!" and self.text)
        ):
            return "anchors, aliases and tags are not allowed"
        begin, is_empty = event.start_mark.index, event.start_mark.index == event.end_mark.index
        if not is_empty and text[max(begin - 1, 0) : begin] == "?":
            return '"?" needs a space after it'
        if not self.is_scalar:
            self.is_flow = bool(event.flow_style)
            return None
        if event.style in ("|", ">"):
            return "block scalars are not allowed"
        for character in self.text:
            if not allowed(ord(character)):
                return f"character U+{ord(character):04X} is not allowed"
        return None


VARIABLE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]{0,254})\}|\$\{")


def expanded(text, environment):
    """Section 8: the text with its variables replaced, or ValueError."""
    result, at = "", 0

    def checked(value):
        if len(value.encode()) > LIMITS["text_bytes_max"]:
            raise ValueError(f"is longer than {LIMITS['text_bytes_max']} bytes")
        return value

    for found in VARIABLE.finditer(text):
        result += text[at : found.start()]
        at, name = found.end(), found[1]
        if found[0] == "$${":
            result += "${"
        elif name is None:
            raise ValueError('has a "${" without a name and "}"; "$${" writes "${"')
        else:
            needs = f'needs the environment variable "{shown(name)}", which'
            value = environment.get(name, "")
            if not value:
                raise ValueError(f"{needs} is not set")
            if not all(c >= " " and c != "\ufffd" and allowed(ord(c)) for c in value):
                raise ValueError(f"{needs} has a character that is not allowed")
            result = checked(result + value)
    return checked(result + text[at:]) if VARIABLE.search(text) else text


def has_variables(text, is_own):
    return is_own and any(found[1] for found in VARIABLE.finditer(text))


class Document:
    """Sections 3 and 5: walks through the events of a YAML text."""

    def __init__(self, text, environment):
        self.text, self.environment = text, environment
        self.found = []  # (line, order, reason)
        self.proxy = None  # The first document marker or flow style.
        self.own = []  # What takes its place in a OneHop text.
        self.is_own = False
        self.order = 0
        self.listening = []  # (text, name of the pool)
        try:
            self.events = list(self.read(text))
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1
            raise Rejected([(line, "the text is not valid YAML")]) from error
        self.at = 0

    @staticmethod
    def read(text):
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > LIMITS["yaml_depth_max"]:
                reason = f"there are more than {LIMITS['yaml_depth_max']} levels"
                raise Rejected([(event.start_mark.line + 1, reason)])
            yield event

    # ---- Errors ----

    def error(self, line, reason):
        self.order += 1
        return line, self.order, reason

    def fail(self, line, reason):
        self.found.append(self.error(line, reason))

    def refuse_for_proxy(self, line, reason):
        error = self.error(line, reason)
        self.proxy = self.proxy or error

    def result(self, pools):
        found = self.found + (self.own if self.is_own else [self.proxy] if self.proxy else [])
        errors = [(line, reason) for line, _, reason in sorted(found)]
        if errors:
            most = LIMITS["config_errors_max"]
            raise Rejected(errors[:most], max(0, len(errors) - most))
        return pools

    # ---- Nodes ----

    def next(self):
        self.at += 1
        return self.events[self.at - 1]

    def skip_node(self):
        """Skips the next node."""
        self.skip_inside(self.next())

    def skip_inside(self, event):
        """Skips what is in a node, after its event."""
        depth = int(isinstance(event, yaml.CollectionStartEvent))
        while depth:
            event = self.next()
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)

    def node(self, line=None):
        """The next node, or None if it had an offence and was skipped."""
        event = self.next()
        value = Value(event, self.text)
        if value.is_flow and not value.offence:
            self.refuse_for_proxy(line or value.line, "flow style is not allowed")
        if value.offence:
            self.fail(line or value.line, value.offence)
            self.skip_inside(event)
            return None
        return value

    def is_more(self, end):
        """True until the event that closes the collection, which is then taken."""
        if isinstance(self.events[self.at], end):
            self.at += 1
            return False
        return True

    # ---- The document ----

    def pools(self):
        self.next()  # The stream begins.
        start = self.next()
        if isinstance(start, yaml.StreamEndEvent):
            raise Rejected([(1, "there is no server pool")])
        self.check_marker(start)
        if start.version or start.tags:
            self.own.append(self.error(start.start_mark.line + 1, "% lines are not allowed"))
        pools = self.root()
        if pools is None:
            return self.result([])
        self.check_marker(self.next())
        following = self.next()
        if not isinstance(following, yaml.StreamEndEvent):
            self.check_marker(following)
            line = following.start_mark.line + 1
            self.own.append(self.error(line, "there is more than one document"))
        return self.result(pools)

    def check_marker(self, event):
        if event.explicit:
            self.refuse_for_proxy(
                event.start_mark.line + 1, "document markers and % lines are not allowed"
            )

    def root(self):
        pools = {}
        event = self.events[self.at]
        root = self.node()
        if root and not root.is_mapping:
            self.fail(root.line, "the document is not a mapping of server pools")
            self.skip_inside(event)
        if not root or not root.is_mapping:
            return []
        while self.is_more(yaml.MappingEndEvent):
            event = self.events[self.at]
            name = self.node()
            fault = name and self.fault_of_pool_name(name, pools)
            if fault:
                self.fail(name.line, fault)
                self.skip_inside(event)
            if not name or fault:
                self.skip_node()
                continue
            if len(pools) == LIMITS["config_pools_max"]:
                self.fail(
                    name.line, f"there are more than {LIMITS['config_pools_max']} server pools"
                )
                return None  # The visit ends.
            pools[name.text] = self.pool(name)
        return list(pools.values())

    @staticmethod
    def fault_of_pool_name(name, pools):
        if not name.is_scalar:
            return "the name of a server pool is not a scalar"
        if not name.text:
            return "the name of a server pool is empty"
        if len(name.text.encode()) > LIMITS["pool_name_bytes_max"]:
            return f"the name of a server pool is longer than {LIMITS['pool_name_bytes_max']} bytes"
        if name.text in pools:
            return f'server pool "{shown(name.text)}" is a duplicate'
        return None

    # ---- A pool ----

    def pool(self, name):
        event = self.events[self.at]
        mapping = self.node(name.line)
        if mapping and not mapping.is_mapping:
            self.fail(name.line, f'server pool "{shown(name.text)}" is not a mapping of directives')
            self.skip_inside(event)
        if not mapping or not mapping.is_mapping:
            return None
        before = len(self.found)
        values, sequences, seen = [], {name: [] for name in SEQUENCES}, set()
        while self.is_more(yaml.MappingEndEvent):
            self.directive(values, sequences, seen)
        return self.finished_pool(name, values, sequences, seen, before)

    def directive(self, values, sequences, seen):
        event = self.events[self.at]
        name = self.node()
        fault = name and self.fault_of_directive(name, seen)
        if fault:
            self.fail(name.line, fault)
            self.skip_inside(event)
        if not name or fault:
            self.skip_node()
            return
        seen.add(name.text)
        event = self.events[self.at]
        value = self.node(name.line)
        if not value:
            return
        subject = f'directive "{name.text}"'
        if value.is_scalar and not value.text:
            self.fail(name.line, f"{subject} has no value")
        elif name.text in SEQUENCES and not value.is_sequence:
            self.fail(name.line, f"{subject} is not a sequence")
            self.skip_inside(event)
        elif name.text in SEQUENCES:
            self.items(name, sequences[name.text])
        elif not value.is_scalar:
            self.fail(name.line, f"{subject} is not a scalar")
            self.skip_inside(event)
        else:
            values.append((name.text, value.text, name.line))

    @staticmethod
    def fault_of_directive(name, seen):
        if not name.is_scalar:
            return "the name of a directive is not a scalar"
        if name.text not in DIRECTIVES:
            near = suggestion(name.text, DIRECTIVES)
            return f'directive "{shown(name.text)}" is unknown{near}'
        if name.text in seen:
            return f'directive "{name.text}" is a duplicate'
        return None

    def items(self, name, items):
        one, limit = SEQUENCES[name.text]
        if isinstance(self.events[self.at], yaml.SequenceEndEvent):
            self.fail(name.line, f'directive "{name.text}" has no value')
        while self.is_more(yaml.SequenceEndEvent):
            event = self.events[self.at]
            item = self.node()
            if not item:
                continue
            if len(items) == LIMITS[limit]:
                self.fail(item.line, f"there are more than {LIMITS[limit]} {one}s")
                self.skip_inside(event)
                while self.is_more(yaml.SequenceEndEvent):
                    self.skip_node()
                return
            if not item.is_scalar:
                self.fail(item.line, f"the {one} is not a scalar")
                self.skip_inside(event)
            else:
                items.append((item.text, item.line))

    def finished_pool(self, name, values, sequences, seen, before):
        """The values, the servers, and what goes together; then the defaults."""
        is_own = not seen.isdisjoint(OWN)
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
        for text, line in sequences["servers"]:
            self.add_server(text, line, taken, is_own)
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
        for condition, reason in rules(given, seen, is_own):
            is_missed = " is missing" in reason or " needs " in reason
            if condition and (is_whole or not is_missed):
                self.fail(name.line, reason)
        if given.get("cluster"):
            given.update({"hash": "crc16", "hash_tag": "{}", "distribution": "slots"})
        return {
            "name": name.text,
            **{key: given.get(key, default) for key, (_, default) in DIRECTIVES.items()},
        }

    def expanded(self, text, is_own):
        return expanded(text, self.environment) if is_own else text

    def set_value(self, given, directive, value, told, line):
        read_value, _ = DIRECTIVES[directive]
        try:
            given[directive] = read_value(value, directive, self.listening)
        except ValueError as error:
            detail = "" if directive in HIDDEN else about(told or value)
            words = WORDS.get(read_value)
            near = suggestion(value, words) if words and not told else ""
            self.fail(line, f'directive "{directive}" {error}{detail}{near}')

    def add_server(self, text, line, servers, is_own):
        try:
            value = self.expanded(text, is_own)
        except ValueError as error:
            self.fail(line, f"the server {error}")
            return
        told = text if has_variables(text, is_own) else None
        try:
            add_server(value, told, servers, is_own)
        except ValueError as error:
            self.fail(line, str(error))

    def item(self, text, line, what):
        """(its value, what errors show of one with variables); (None, None) once it is refused."""
        if not text:
            self.fail(line, f"the {what} is empty")
            return None, None
        try:
            return self.expanded(text, True), text if has_variables(text, True) else None
        except ValueError as error:
            self.fail(line, f"the {what} {error}")
            return None, None

    def add_sentinel(self, text, line, sentinels):
        """Section 7. `sentinels` has the addresses so far, as spelled but for brackets."""
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
        """Section 7. `replicas` has the masters of those so far, by name."""
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


def after_brackets(text):
    """What follows a host in brackets, or all of it."""
    rest = text[1:].partition("]")[2]
    return rest if text.startswith("[") and rest.startswith(":") else text


def host_and_port(text):
    """Host and port of a Sentinel or replica. ValueError, empty if the form is wrong."""
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


def number(text, name, _before):
    if not digits(text):
        raise ValueError("is not a number")
    value = int(text.lstrip("0")[:11] or "0")
    if value > LIMITS["number_max"]:
        raise ValueError(f"is larger than {LIMITS['number_max']}")
    if name == "server_connections" and value == 0:
        raise ValueError("is 0")
    if name == "pool_size" and not 1 <= value <= LIMITS["pool_size_max"]:
        raise ValueError(f"is not 1 to {LIMITS['pool_size_max']}")
    return value


def boolean(text, _name, _before):
    if text not in ("true", "false"):
        raise ValueError('is not "true" or "false"')
    return text == "true"


def hash_name(text, _name, _before):
    if text not in HASHES:
        raise ValueError("is not a valid hash")
    return text


def distribution_name(text, _name, _before):
    if text not in DISTRIBUTIONS or text == "slots":
        raise ValueError('is not "ketama", "modula" or "random"')
    return text


def hash_tag(text, _name, _before):
    if len(text.encode()) != 2:
        raise ValueError("is not two bytes")
    return text


def engine(text, _name, _before):
    if text not in ("redis", "ssdb"):
        raise ValueError('is not "redis" or "ssdb"')
    return text


def read_from(text, _name, _before):
    if text not in ("master", "prefer_replica", "replica", "lowest_latency", "same_zone"):
        raise ValueError(
            'is not "master", "prefer_replica", "replica", "lowest_latency" or "same_zone"'
        )
    return text


def free_text(text, _name, _before):
    if len(text.encode()) > LIMITS["text_bytes_max"]:
        raise ValueError(f"is longer than {LIMITS['text_bytes_max']} bytes")
    return text


def tls_server_name(text, name, before):
    free_text(text, name, before)
    if len(text.encode()) > LIMITS["server_address_bytes_max"]:
        raise ValueError(f"is longer than {LIMITS['server_address_bytes_max']} bytes")
    return text


def path(text, name, before):
    if not text.startswith("/"):
        raise ValueError("is not an absolute path")
    return free_text(text, name, before)


def tls_verify(text, _name, _before):
    if text not in ("full", "ca", "none"):
        raise ValueError('is not "full", "ca" or "none"')
    return text


def mode_is_valid(text):
    sign = text[:1] if text[:1] in ("+", "-") else ""
    rest = text[len(sign) :]
    octal = rest[: len(rest) - len(rest.lstrip("01234567"))].lstrip("0")
    return not octal or (sign != "-" and len(octal) <= 3)


def listen(text, _name, listening):
    if text.startswith("/"):
        path, space, mode = text.rpartition(" ")
        if len((path if space else text).encode()) > LIMITS["unix_path_bytes_max"]:
            raise ValueError(f"has a path longer than {LIMITS['unix_path_bytes_max']} bytes")
        if space and not mode_is_valid(mode):
            raise ValueError("has an invalid mode")
    else:
        host, _, port = text.rpartition(":")
        if not host:
            raise ValueError('is not "host:port" or "/path mode"')
        if not is_port(port):
            raise ValueError("has an invalid port")
    for other, pool in listening:
        if other == text:
            raise ValueError(f'is the same as in server pool "{shown(pool)}"')
    return text


def is_port(text):
    return digits(text) and len(text.lstrip("0")) <= 5 and 1 <= int(text) <= 65535


DIRECTIVES = {
    "listen": (listen, None),
    "servers": (None, None),
    "hash": (hash_name, "fnv1a_64"),
    "hash_tag": (hash_tag, None),
    "distribution": (distribution_name, "ketama"),
    "timeout": (number, 2000),
    "backlog": (number, 512),
    "client_connections": (number, 0),
    "tcpkeepalive": (boolean, False),
    "reuseport": (boolean, False),
    "preconnect": (boolean, False),
    "redis": (boolean, False),
    "redis_auth": (free_text, None),
    "redis_db": (number, 0),
    "auto_eject_hosts": (boolean, False),
    "server_connections": (number, 1),
    "server_retry_timeout": (number, 30000),
    "server_failure_limit": (number, 2),
    "engine": (engine, "redis"),
    "pool_size": (number, 16),
    "max_connection_age": (number, 3600000),
    "username": (free_text, None),
    "redis_auth_file": (path, None),
    "database": (number, None),
    "cluster": (boolean, False),
    "read_from": (read_from, "master"),
    "zone": (free_text, None),
    "tls": (boolean, False),
    "tls_ca_cert_file": (path, None),
    "tls_cert_file": (path, None),
    "tls_key_file": (path, None),
    "tls_key_file_pass": (free_text, None),
    "tls_server_name": (tls_server_name, None),
    "tls_verify": (tls_verify, "full"),
    "sentinels": (None, None),
    "sentinel_username": (free_text, None),
    "sentinel_password": (free_text, None),
    "sentinel_tls": (boolean, False),
    "replicas": (None, None),
    "host_zones": (None, None),
}
TLS = [name for name in DIRECTIVES if name.startswith("tls")]
HIDDEN = ("redis_auth", "username", "tls_key_file_pass", "sentinel_username", "sentinel_password")

SEQUENCES = {
    "servers": ("server", "pool_servers_max"),
    "sentinels": ("sentinel", "pool_sentinels_max"),
    "replicas": ("replica", "pool_servers_max"),
    "host_zones": ("zone", "pool_servers_max"),
}

OWN = {
    "engine",
    "pool_size",
    "max_connection_age",
    "username",
    "redis_auth_file",
    "database",
    "cluster",
    "read_from",
    "zone",
    *TLS,
    "sentinels",
    "sentinel_username",
    "sentinel_password",
    "sentinel_tls",
    "replicas",
    "host_zones",
}
WORDS = {
    boolean: ("true", "false"),
    hash_name: tuple(HASHES),
    distribution_name: ("ketama", "modula", "random"),
    engine: ("redis", "ssdb"),
    read_from: ("master", "prefer_replica", "replica", "lowest_latency", "same_zone"),
    tls_verify: ("full", "ca", "none"),
}


def rules(given, seen, is_own):
    """Section 5, end of a pool: the rules about several directives."""
    is_redis, is_ssdb = given.get("redis"), given.get("engine") == "ssdb"
    yield "listen" not in seen and not is_own, 'directive "listen" is missing'
    yield "servers" not in seen, 'directive "servers" is missing'
    for directive in ("redis_auth", "redis_auth_file", "username", "database"):
        yield directive in seen and not is_redis, f'directive "{directive}" needs "redis: true"'
    yield (
        "username" in seen and not seen & {"redis_auth", "redis_auth_file"},
        'directive "username" needs "redis_auth"',
    )
    yield (
        "redis_auth" in seen and "redis_auth_file" in seen,
        'directives "redis_auth" and "redis_auth_file" exclude each other',
    )
    yield (
        "database" in seen and "redis_db" in seen,
        'directives "database" and "redis_db" exclude each other',
    )
    yield is_ssdb and not is_redis, '"engine: ssdb" needs "redis: true"'
    for directive in ("username", "database"):
        yield is_ssdb and directive in seen, f'directive "{directive}" is not for "engine: ssdb"'
    yield from cluster_rules(given, seen)
    yield from tls_rules(given, seen)
    yield from rules_of_sentinels(given, seen)
    yield from rules_of_replicas(given, seen)


def cluster_rules(given, seen):
    cluster, zoned = given.get("cluster"), given.get("read_from") == "same_zone"
    servers = given["servers"]
    yield cluster and not given.get("redis"), '"cluster: true" needs "redis: true"'
    yield cluster and given.get("engine") == "ssdb", '"cluster: true" is not for "engine: ssdb"'
    for directive in ("hash", "hash_tag", "distribution"):
        yield cluster and directive in seen, f'directive "{directive}" is not for "cluster: true"'
    yield (
        cluster and given.get("auto_eject_hosts"),
        '"auto_eject_hosts: true" is not for "cluster: true"',
    )
    yield (
        cluster and given.get("redis_db"),
        '"cluster: true" needs "database" instead of "redis_db"',
    )
    yield (
        cluster and any(server["weight"] != 1 for server in servers),
        '"cluster: true" has no server of another weight than 1',
    )
    yield (
        cluster and any(server["address"].startswith("/") for server in servers),
        '"cluster: true" has no server on a unix socket',
    )
    may_have_replicas = cluster or seen & {"sentinels", "replicas"}
    yield (
        "read_from" in seen and not may_have_replicas,
        'directive "read_from" needs "cluster: true", "sentinels" or "replicas"',
    )
    for directive in ("zone", "host_zones"):
        yield (
            directive in seen and not zoned,
            f'directive "{directive}" needs "read_from: same_zone"',
        )
    yield zoned and "zone" not in seen, '"read_from: same_zone" needs "zone"'


def rules_of_sentinels(given, seen):
    watched = "sentinels" in seen
    servers = given["servers"]
    yield watched and not given.get("redis"), 'directive "sentinels" needs "redis: true"'
    yield (
        watched and given.get("engine") == "ssdb",
        'directive "sentinels" is not for "engine: ssdb"',
    )
    yield watched and given.get("cluster"), 'directive "sentinels" is not for "cluster: true"'
    yield (
        watched and given.get("auto_eject_hosts"),
        '"auto_eject_hosts: true" is not for "sentinels"',
    )
    yield (
        watched and any(server["address"].startswith("/") for server in servers),
        '"sentinels" has no server on a unix socket',
    )
    yield (
        watched and any(":" in server["name"] for server in servers),
        'directive "sentinels" needs a name for each server',
    )
    for directive in ("sentinel_username", "sentinel_password"):
        yield directive in seen and not watched, f'directive "{directive}" needs "sentinels"'
    yield (
        "sentinel_username" in seen and "sentinel_password" not in seen,
        'directive "sentinel_username" needs "sentinel_password"',
    )
    yield ("sentinel_tls" in seen and not watched, 'directive "sentinel_tls" needs "sentinels"')


def rules_of_replicas(given, seen):
    if "replicas" not in seen:
        return
    yield not given.get("redis"), 'directive "replicas" needs "redis: true"'
    yield given.get("engine") == "ssdb", 'directive "replicas" is not for "engine: ssdb"'
    yield given.get("cluster"), 'directive "replicas" is not for "cluster: true"'
    yield "sentinels" in seen, 'directive "replicas" is not for "sentinels"'
    yield given.get("auto_eject_hosts"), '"auto_eject_hosts: true" is not for "replicas"'


def tls_rules(given, seen):
    yield given.get("tls") and not given.get("redis"), '"tls: true" needs "redis: true"'
    for directive in TLS[1:]:
        yield (
            directive in seen and not given.get("tls") and not given.get("sentinel_tls"),
            f'directive "{directive}" needs "tls: true"',
        )
    for directive, needed in (
        ("tls_cert_file", "tls_key_file"),
        ("tls_key_file", "tls_cert_file"),
        ("tls_key_file_pass", "tls_key_file"),
    ):
        yield (
            directive in seen and needed not in seen,
            f'directive "{directive}" needs "{needed}"',
        )


def with_weight(text):
    """Section 7: the text of a server of a OneHop pool as nutcracker would have it."""
    front, space, name = text.rpartition(" ")
    if not space:
        front, name = text, ""
    host, _, rest = front[1:].partition("]")
    if text.startswith("[") and rest.startswith(":"):
        lacks = rest.count(":") == 1
        front = host + rest
    else:
        lacks = front.count(":") == (0 if text.startswith("/") else 1)
    return front + (":1" if lacks else "") + space + name


def add_server(spelled, told, servers, is_own):
    """Section 7. `told` is the text as errors show it, if it is not the text itself."""

    def require(condition, reason, is_shown=True):
        if not condition:
            raise ValueError(reason + (about(told or spelled) if is_shown else ""))

    require(spelled, "the server is empty", is_shown=False)
    if is_own and not spelled.startswith("/"):
        where = spelled if " " not in spelled else spelled.rpartition(" ")[0]
        require("://" not in where, 'the server is a URL, not "host:port"')
        require("," not in where, "the server has a comma: each server is an item of its own")
        require(
            after_brackets(where).count(":") <= 2,
            'the server needs brackets around its host, as in "[::1]:6379"',
        )
    text = with_weight(spelled) if is_own else spelled
    front, space, given_name = text.rpartition(" ")
    if not space:
        front = text
    is_path = text.startswith("/")
    address, colon, weight = front.rpartition(":")
    host, port_colon, port = address.rpartition(":")
    maybe = "[:weight]" if is_own else ":weight"
    require(
        colon and bool(port_colon) != is_path,
        f'the server is not "host:port{maybe} [name]" or "/path{maybe} [name]"',
    )
    require(digits(weight), "the server has an invalid weight")
    require(weight.strip("0"), "the server has weight 0")
    weight = int(weight.lstrip("0")[:11])
    require(
        weight <= LIMITS["number_max"],
        f"the server has a weight larger than {LIMITS['number_max']}",
    )
    require(is_path or is_port(port), "the server has an invalid port")
    require(address if is_path else host, "the server has an empty address")
    require(
        len((address if is_path else host).encode()) <= LIMITS["server_address_bytes_max"],
        f"the server has an address longer than {LIMITS['server_address_bytes_max']} bytes",
    )
    if space:
        name = given_name
    elif is_path:
        name = address + ":"
    else:
        name = host if int(port) == 11211 else address
    require(name, "the server has an empty name")
    require(
        len(name.encode()) <= LIMITS["server_name_bytes_max"],
        f"the server has a name longer than {LIMITS['server_name_bytes_max']} bytes",
    )
    require(name not in servers, f'server "{shown(told or name)}" is a duplicate', is_shown=False)
    require(
        sum(server["weight"] for server in servers.values()) + weight <= LIMITS["weights_sum_max"],
        f"the weights add up to more than {LIMITS['weights_sum_max']}",
        is_shown=False,
    )
    servers[name] = {
        "name": name,
        "address": address if is_path else f"{host}:{int(port)}",
        "weight": weight,
    }


def read_config(data, environment=None):
    """The server pools of a configuration, or raises Rejected."""
    return Document(checked_text(data), environment or {}).pools()


def find_pool(config, name):
    try:
        pools = read_config(config.encode("utf-8", "surrogatepass"))
    except Rejected as error:
        raise ValueError(f"line {error.line}: {error.reason}") from error
    for pool in pools:
        if pool["name"] == name:
            return pool
    raise ValueError(f"no server pool is named {name}")


# ---- Chapter wire ----


class Broken(Exception):
    """The stream of replies is wrong from this byte on."""


class Framing:
    """One connection after `commands` commands were written; reads the replies byte by byte."""

    def __init__(self, commands, is_subscribed=False):
        self.commands, self.answered, self.inside, self.error = commands, 0, False, None
        self.is_subscribed, self.messages = is_subscribed, 0
        self.reader = self.replies()
        next(self.reader)

    def read(self, data):
        for byte in data:
            if self.error is None:
                try:
                    self.reader.send(bytes([byte]))
                except Broken as error:
                    self.error = str(error)

    @property
    def owed(self):
        return self.commands - self.answered

    @property
    def is_clean(self):
        return not (self.owed or self.inside or self.error or self.is_subscribed)

    def replies(self):
        while True:
            self.inside = False
            first = yield
            if not self.owed and first != b">" and not self.is_subscribed:
                raise Broken("a reply that nothing asked for")
            self.inside = True
            last = yield from self.value(first, 0)
            is_answer = last != b">" and self.owed > 0
            self.answered += is_answer
            self.messages += not is_answer

    def value(self, first, depth):
        """Reads one value and returns its type; for an attribute the type of the value after it."""
        if first in (b"+", b"-", b":", b"_", b"#", b",", b"("):
            yield from self.line()
            return first
        if first not in (b"$", b"!", b"=", b"*", b"~", b"%", b">", b"|"):
            raise Broken("a byte that begins no reply")
        length = yield from self.length(first)
        if first in (b"$", b"!", b"="):
            yield from self.bulk(length)
            return first
        if length > 0 and depth == LIMITS["wire_depth_max"]:
            raise Broken("a reply nested too deep")
        for _ in range(length * (2 if first in (b"%", b"|") else 1)):
            yield from self.element(depth + 1)
        return (yield from self.element(depth)) if first == b"|" else first

    def element(self, depth):
        first = yield
        return (yield from self.value(first, depth))

    def line(self):
        length = 0
        while (byte := (yield)) != b"\r":
            length += 1
            if byte == b"\n" or length > LIMITS["wire_line_bytes_max"]:
                raise Broken("a line without CR LF, or beyond the limit")
        yield from self.expect(b"\n")

    def length(self, first):
        """Decimal digits without leading zeros; `-1` where a null is allowed."""
        most = LIMITS["wire_bulk_bytes_max" if first in (b"$", b"!", b"=") else "wire_elements_max"]
        text = b""
        while (byte := (yield)) != b"\r":
            text += byte
            is_null = first in (b"$", b"*") and b"-1".startswith(text)
            is_number = (
                text.isdigit() and (text == b"0" or not text.startswith(b"0")) and int(text) <= most
            )
            if not is_null and not is_number:
                raise Broken("a length that is no number, or beyond the limit")
        if text in (b"", b"-"):
            raise Broken("a length that is no number")
        yield from self.expect(b"\n")
        return int(text)

    def bulk(self, length):
        if length >= 0:
            for _ in range(length):
                yield
            yield from self.expect(b"\r\n")

    def expect(self, wanted):
        for byte in wanted:
            if (yield) != bytes([byte]):
                raise Broken("CR LF is missing")


# ---- Chapter health ----


class Health:
    """One node. It is up if `until` is 0. `heard` is the time of its last answer."""

    def __init__(self, ejects, failure_limit, retry_ms):
        self.ejects, self.limit, self.retry = ejects, failure_limit, retry_ms
        self.until = self.failures = self.step = self.generation = self.heard = 0

    def state(self):
        return [self.until, self.failures, self.step, self.generation]

    def turn(self):
        self.generation = (self.generation + 1) % 64

    def ask(self, now, patience):
        if self.ejects or self.until == 0:
            return "go"
        if now < self.until <= now + 10000:
            return "refuse"
        self.until = now + 200 + (1000 if patience == 0 else min(patience, 5000))
        return "probe"

    def failed(self, now, cause, born, heard, chance):
        if born != self.generation or (heard != self.heard and not self.ejects):
            return
        self.failures = min(self.failures + 1, 16383)
        limit = min(self.limit or (1 if self.ejects else 2), 16383)
        if self.ejects and self.failures >= limit:
            self.failures, self.until = 0, max(1, now + self.retry)
            self.turn()
        elif not self.ejects:
            if cause == "refused" or self.failures >= limit or self.until:
                longest = 200 if cause == "refused" else 700
                pause = min(50 << self.step, longest)
                self.until = max(1, now + min(pause + chance % (pause // 4), longest))
                self.step = min(self.step + 1, 15)
            self.turn()

    def answered(self, now):
        self.heard = now
        if self.failures == 0 and (self.ejects or self.until == 0):
            return
        if self.until:
            self.turn()
        self.until = self.failures = self.step = 0

    def rebuild(self, now):
        """True if the node is in the ring."""
        if 0 < self.until <= now:
            self.until = 0
            self.turn()
        return self.until == 0


class Nodes:
    """The nodes of a scenario, and when their ring must be rebuilt."""

    def __init__(self, count, rules):
        self.nodes = [Health(**rules) for _ in range(count)]
        self.due = 0

    def take(self, step):
        now, node = step["at"], self.nodes[step.get("node", 0)]
        if "rebuild" in step:
            return self.rebuild(now)
        if "place" in step:
            rebuilds = self.due != 0 and now > self.due
            return {"rebuilds": rebuilds, **(self.rebuild(now) if rebuilds else {})}
        told = {}
        if "ask" in step:
            told["answer"] = node.ask(now, step["ask"])
        elif "failed" in step:
            for _ in range(step.get("times", 1)):
                node.failed(
                    now,
                    step["failed"],
                    step["born"],
                    step.get("heard", node.heard),
                    step.get("chance", 0),
                )
        else:
            node.answered(now)
        return {**told, "state": node.state()}

    def rebuild(self, now):
        live = [index for index, node in enumerate(self.nodes) if node.rebuild(now)]
        self.due = min((node.until for node in self.nodes if node.until), default=0)
        return {"live": live, "due": self.due}


# ---- The testee: conformance/protocol.md ----


def keys_of(request):
    return [bytes.fromhex(key) for key in request["keys"]]


class Testee:
    def __init__(self):
        self.topologies = {}  # Only the last one: consecutive requests often need the same one.

    def topology(self, request):
        wanted = (request["config"], request["pool"], tuple(request.get("dead", ())))
        if wanted not in self.topologies:
            self.topologies = {wanted: Topology(find_pool(*wanted[:2]), wanted[2])}
        return self.topologies[wanted]

    def hash(self, request):
        if request["hash"] not in HASHES:
            raise ValueError("there is no such hash")
        return {"hashes": [HASHES[request["hash"]](key) for key in keys_of(request)]}

    def place(self, request):
        locate = self.topology(request).locate
        return {"nodes": [locate(key) for key in keys_of(request)]}

    def explain(self, request):
        topology = self.topology(request)
        stages = [topology.explain(key) for key in keys_of(request)]
        return {
            "explanations": [
                {"hashed": hashed.hex(), "hash": h, "point": point, "node": node}
                for hashed, h, point, node in stages
            ]
        }

    def topology_op(self, request):
        topology = self.topology(request)
        return {"fingerprint": topology.fingerprint(), "servers": topology.servers}

    def config(self, request):
        data = (
            bytes.fromhex(request["hex"])
            if "hex" in request
            else request["text"].encode("utf-8", "surrogatepass")
        )
        try:
            read_config(data, request.get("environment"))
        except Rejected as error:
            told = [{"line": line, "reason": reason} for line, reason in error.errors]
            return {"error": told[0], "errors": told, "more": error.more}
        return {"ok": True}

    def map(self, request):
        topology = MappedTopology(find_pool(Path(request["config"]).read_text(), request["pool"]))
        return {
            "fingerprint": topology.fingerprint(),
            "nodes": [topology.locate(key) for key in keys_of(request)],
        }

    def slot(self, request):
        return {"slots": [slot(key) for key in keys_of(request)]}

    def wire(self, request):
        framing = Framing(request["commands"])
        for chunk in request["replies"]:
            framing.read(bytes.fromhex(chunk))
        return {
            "answered": framing.answered,
            "owed": framing.owed,
            "clean": framing.is_clean,
            "error": framing.error,
        }

    def subscribed(self, request):
        framing = Framing(request["commands"], is_subscribed=True)
        for chunk in request["replies"]:
            framing.read(bytes.fromhex(chunk))
        return {
            "answered": framing.answered,
            "messages": framing.messages,
            "owed": framing.owed,
            "clean": framing.is_clean,
            "error": framing.error,
        }

    def health(self, request):
        nodes = Nodes(request["nodes"], request["rules"])
        return {"steps": [nodes.take(step) for step in request["steps"]]}

    def answer(self, request):
        operations = {
            "hash": self.hash,
            "place": self.place,
            "explain": self.explain,
            "topology": self.topology_op,
            "config": self.config,
            "slot": self.slot,
            "wire": self.wire,
            "health": self.health,
            "subscribed": self.subscribed,
            "map": self.map,
        }
        operation = operations.get(request.get("op"))
        return operation(request) if operation else {"error": "unsupported op"}


def main():
    testee = Testee()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = testee.answer(request)
        except (ValueError, KeyError, TypeError, OSError, cluster.Refused) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request.get("id"), **answer}), flush=True)


if __name__ == "__main__":
    main()
