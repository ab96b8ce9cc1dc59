"""A scripted node: it records what both sides send, and answers both by the same rule.

A reply depends on the bytes of its command and on the case's seed. So both sides get the same
replies as long as they send the same. `rate` is the share of unusual replies, in thousandths.
The control connection begins a case and returns what the sides sent in the case before.

A case may harm one of four packets to OneHop: the connection ends in the middle of a reply, or
bytes of it are damaged.
"""

import asyncio
import collections
import random
import struct
import zlib

PLAIN, OURS = "plain", "ours"
CHECK = b"check:"  # GET of such a key is always answered with RIGHT and the key.
RIGHT = b"right:"
UNHARMED, ENDS, DAMAGE = range(3)  # compare.php has the same list.

FORMS = {
    "string": "get getset hget lpop rpop lindex getrange echo spop srandmember dump xadd",
    "integer": "append strlen incr incrby decr decrby ttl pttl hset hincrby hdel"
    " hlen lpush rpush llen sadd srem scard zadd zrem zrank zrevrank zcard bitcount setrange"
    " hstrlen lrem linsert zcount setbit getbit publish pfadd lpushx rpushx sinterstore",
    "one": "setnx expire pexpire expireat persist hsetnx hexists sismember pexpireat move msetnx",
    "ok": "set setex psetex hmset mset ltrim lset rename select flushdb watch unwatch",
    "double": "zscore zincrby incrbyfloat hincrbyfloat",
    "list": "hkeys hvals lrange smembers zrange zrevrange zrangebyscore keys sort sunion time",
    "map": "hgetall config",
    "values": "mget",
    "fields": "hmget",
    "keys": "exists del unlink touch",
    "status": "type ping",
}
FORM = {name.upper().encode(): form for form, names in FORMS.items() for name in names.split()}

ERRORS = (
    b"ERR value is not an integer or out of range",
    b"ERR",
    b"ERR AUTH something",
    b"WRONGTYPE Operation against a key holding the wrong kind of value",
    b"NOSCRIPT No matching script. Please use EVAL.",
    b"LOADING Redis is loading the dataset in memory",
    b"READONLY You can't write against a read only replica.",
    b"BUSYKEY Target key name already exists.",
    b"BUSYGROUP Consumer Group name already exists",
    b"BUSY Redis is busy running a script",
    b"OOM command not allowed when used memory > 'maxmemory'.",
    b"MASTERDOWN Link with MASTER is down",
    b"MISCONF Redis is configured to save RDB snapshots",
    b"NOREPLICAS Not enough good replicas to write.",
    b"NOPERM this user has no permissions",
    b"EXECABORT Transaction discarded",
    b"NOGROUP no such group",
    b"TRYAGAIN Multiple keys request during rehashing of slot",
    b"CLUSTERDOWN The cluster is down",
    b"UNKNOWN",
    b"err lower case",
    b" leading blank",
    b"5 is a number",
    b"",
    b"ERR \xff\x00\x01 binary",
    b"ERR " + b"long " * 300,
)
INTEGERS = (
    b"0 1 -1 2 7 10 99 100 -2 12345 999999999999999999 1000000000000000000 -999999999999999999"
    b" 9223372036854775807 -9223372036854775808"
).split(b" ")
ODD_INTEGERS = [
    *b"9223372036854775808 -9223372036854775809 99999999999999999999 18446744073709551616".split(),
    *b"007 -0 +5 1e5 1.5 abc 0x10 - --1 000000000000000000000000000001 1:2 ,".split(),
    *(b"", b" 12", b"12 ", b"\x000"),
]
DOUBLES = b"0 1 -1 1.5 0.1 -0 3.0000000000000001 1e300 12345678901234567 17 2.5e-10 -7.25".split()
ODD_DOUBLES = [
    *b"inf -inf nan -nan 1e400 -1e400 1e-400 0x1A 1,5 abc . + 1.5abc 00012 infinity .5 5.".split(),
    *(b"", b" ", b" 12", b"12 ", b"\x0012", b"1\x002"),
]
TEXTS = (
    *(b"", b"v", b"value", b"0", b"1", b"-1", b"12345", b"1.5", b"true", b"\x00", b"\r\n", b"$-1"),
    *(b'a:1:{i:0;s:1:"x";}', b'{"a":1}', b"N;", b"b:0;", b"i:5;", b"null", b"[1,2]", b"*1\r\n"),
    *(b"\x00\x00\x00\x02\x06\x05", b"\x00\x00\x00\x02\x14\x01\x06\x00\x06\x01", b"x" * 100),
)
NAMES = (b"f", b"field", b"0", b"1", b"-1", b"01", b"", b"9223372036854775807", b"-0", b"\x00b")


def bulk(text):
    return b"$%d\r\n%s\r\n" % (len(text), text)


def listed(items):
    return b"*%d\r\n%s" % (len(items), b"".join(items))


def right(form, h, words):
    """The kind of reply that the command has on a real server."""
    if form == "string":
        return text_of(h)
    if form == "integer":
        return b":%s\r\n" % INTEGERS[h % len(INTEGERS)]
    if form == "one":
        return b":%d\r\n" % (h & 1)
    if form == "ok":
        return b"+OK\r\n"
    if form == "double":
        return b"$-1\r\n" if h % 8 == 0 else bulk(DOUBLES[h % len(DOUBLES)])
    if form == "status":
        return (b"+string\r\n", b"+none\r\n", b"+PONG\r\n", b"+hash\r\n")[h % 4]
    if form == "keys":
        return b":%d\r\n" % (len(words) - 1)
    if form == "values":  # The key decides, so the parts of several nodes have the same values.
        return listed([text_of(zlib.crc32(word)) for word in words[1:]])
    if form == "fields":
        return listed([text_of(h * (i + 3) >> 3) for i in range(len(words) - 2)])
    if form == "map":
        pairs = [
            bulk(NAMES[(h >> 4) * (i + 1) % 10]) + plain_text(h * (i + 7)) for i in range(h % 6)
        ]
        return b"*%d\r\n%s" % (2 * len(pairs), b"".join(pairs))
    if form == "list":
        return listed([plain_text(h * (i + 3) >> 2) for i in range(h % 7)])
    return generic(h)


def generic(h):
    kind = h % 5
    if kind == 0:
        return b"+OK\r\n"
    if kind == 1:
        return b":%d\r\n" % (h % 3)
    if kind == 2:
        return text_of(h)
    return listed([plain_text(h >> i) for i in range(h % 4)]) if kind == 3 else b"$-1\r\n"


def text_of(h):
    return b"$-1\r\n" if h % 8 == 0 else plain_text(h)


def plain_text(h):
    if h % 4001 == 1:
        return bulk(b"huge" * (70_000 if h & 64 else 300_000))
    if h % 61 == 1:
        return bulk(b"z" * (h % 20_000))
    return bulk(TEXTS[(h >> 3) % len(TEXTS)])


def unusual(h, words, is_gentle):
    """A reply that the command never has, or has seldom."""
    dice = random.Random(h)
    if not is_gentle:
        return of_any_kind(dice, words)
    reply = one_line(dice)
    return b"$-1\r\n" if reply[:1] == b"*" and words[0] == b"HMGET" else reply


def one_line(dice):
    """A reply that phpredis reads whole for any command. 6.2 dies of a nil list for HMGET."""
    number = b":" + dice.choice((*INTEGERS, *ODD_INTEGERS))
    lines = (b"-" + dice.choice(ERRORS), b"$-1", b"*-1", number, b"+OK", b"+QUEUED", b"+text")
    return dice.choice(lines) + b"\r\n"


def of_any_kind(dice, words):
    kind = dice.randrange(14)
    if kind < 5:
        return b"-%s\r\n" % dice.choice(ERRORS)
    if kind == 5:
        return b"$-1\r\n"
    if kind == 6:
        return dice.choice((b"*-1\r\n", b"*0\r\n", b"$0\r\n\r\n", b"+\r\n"))
    if kind == 7:
        return b":%s\r\n" % dice.choice(ODD_INTEGERS)
    if kind == 8:
        return bulk(dice.choice(ODD_DOUBLES))
    if kind == 9:
        return b"+%s\r\n" % dice.choice(
            (b"OK", b"QUEUED", b"OKAY", b"O", b"5", b"PONG", b"text " * 50)
        )
    if kind == 10:
        count = len(words) + dice.randrange(-4, 4)
        return listed([text_of(dice.getrandbits(32)) for _ in range(max(count, 0))])
    if kind == 11:
        return listed([element(dice) for _ in range(dice.randrange(6))])
    if kind == 12:
        return right(dice.choice(sorted(FORMS)), dice.getrandbits(32), words)
    return b":%d\r\n" % dice.choice((0, 1, 2, -1, 10, 300))


def element(dice):
    kind = dice.randrange(9)
    if kind == 0:
        return b"-%s\r\n" % dice.choice(ERRORS)
    if kind == 1:
        return b":%s\r\n" % dice.choice(INTEGERS)
    if kind == 2:
        return listed([plain_text(dice.getrandbits(32)) for _ in range(dice.randrange(3))])
    if kind == 3:
        return dice.choice((b"*-1\r\n", b"+status\r\n", b":abc\r\n"))
    return text_of(dice.getrandbits(32))


# Bytes of a damaged reply: parts of RESP2 and RESP3, and bytes that are almost such parts.
SHARDS = (
    *(b"\r", b"\n", b"\r\n", b"\0", *(bytes([byte]) for byte in b"$*:+-!%_#,09")),
    *(b"$-1\r\n", b"$-0\r\n", b"$5\r\n", b"$01\r\nx\r\n", b"$+1\r\nx\r\n", b"$1\r\nabc\r\n"),
    *(
        b"*-1\r\n",
        b"*3\r\n",
        b"*2\r\n*1\r\n",
        b":5\r\n",
        b":-\r\n",
        b":+5\r\n",
        b":%s\r\n" % (b"9" * 23),
    ),
    *(b"-ERR x\r\n", b"_\r\n", b"#t\r\n", b",1.5\r\n"),
)


def damaged(dice, data):
    """The data, with a few bytes near the beginning lost, added or replaced."""
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        at = dice.randrange(min(len(data), 400) + 1)
        after = at + dice.choice((0, 1, 1, 2, 5))
        data = data[:at] + (dice.choice(SHARDS) if dice.randrange(4) else b"") + data[after:]
    return data


def command_at(data, at):
    """(words, the place after them), or None if the command is not complete."""
    line = data.find(b"\r\n", at)
    if line < 0:
        return None
    count, at, words = int(data[at + 1 : line]), line + 2, []
    for _ in range(count):
        line = data.find(b"\r\n", at)
        if line < 0:
            return None
        begin = line + 2
        at = begin + int(data[at + 1 : line]) + 2
        if at > len(data):
            return None
        words.append(data[begin : at - 2])
    return words, at


class Case:
    """What the control connection has set, and what the sides have sent since."""

    def __init__(self):
        self.seed, self.rate, self.cuts, self.is_gentle, self.harm = 0, 0, False, False, UNHARMED
        self.packets = collections.Counter()
        self.sent = {PLAIN: [], OURS: []}
        self.commands = 0

    def begin(self, seed, rate, cuts, is_gentle, harm):
        self.seed, self.rate, self.cuts = seed, rate, cuts
        self.is_gentle, self.harm = is_gentle, harm
        self.packets.clear()
        sent, self.sent = self.sent, {PLAIN: [], OURS: []}
        return b"".join(sent[PLAIN]), b"".join(sent[OURS])

    def dice(self, packet):
        """Gives a packet the same numbers in each run of a case, but others if it is sent again."""
        h = zlib.crc32(packet, self.seed)
        self.packets[h] += 1
        return random.Random(h << 16 | self.packets[h])

    def reply(self, data, words):
        h = zlib.crc32(data, self.seed)
        h = (h * 0x9E3779B1 ^ h >> 15) & 0xFFFFFFFF
        name = words[0].upper() if words else b""
        form = FORM.get(name)
        if len(words) == 5 and name == b"ZRANGE":  # With scores.
            form = "map"
        elif len(words) == 3 and name in (b"SPOP", b"LPOP", b"RPOP"):  # With a count.
            form = "list"
        if name == b"GET" and len(words) > 1 and CHECK in words[1]:
            return bulk(RIGHT + words[1])
        if self.rate and h % 1000 < self.rate:
            return unusual(h, words, self.is_gentle)
        return right(form, h >> 3, words)


class Connection(asyncio.Protocol):
    """A connection of one side."""

    def __init__(self, case, side):
        self.case, self.side = case, side
        self.data, self.late, self.queue = b"", [], None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        data = self.introduced(data)
        self.case.sent[self.side].append(data)
        self.data += data
        at, replies = 0, []
        while at < len(self.data) and (found := command_at(self.data, at)):
            words, after = found
            replies.append(self.answer(self.data[at:after], words))
            self.case.commands += 1
            at = after
        self.data = self.data[at:]
        if replies:
            self.send(b"".join(replies))

    def introduced(self, data):
        """Answers OneHop's introduction before its first command. Returns the data behind it."""
        while self.side == OURS and not self.data and (found := command_at(data, 0)):
            words, after = found
            if words[0] != b"CLIENT" or words[1] not in (b"SETNAME", b"SETINFO"):
                break
            self.transport.write(b"+OK\r\n")
            data = data[after:]
        return data

    def answer(self, data, words):
        """The reply. MULTI and EXEC do what they do on a server."""
        name = words[0].upper() if words else b""
        if name == b"MULTI":
            self.queue = []
            return b"+OK\r\n"
        if self.queue is None:
            return self.case.reply(data, words)
        if name in (b"EXEC", b"DISCARD"):
            queue, self.queue = self.queue, None
            return listed(queue) if name == b"EXEC" else b"+OK\r\n"
        self.queue.append(self.case.reply(data, words))
        return b"+QUEUED\r\n"

    def send(self, data):
        if self.side == OURS and self.case.harm and CHECK not in data:
            dice = self.case.dice(data)
            if dice.randrange(4) == 0:
                self.harm(dice, data)
                return
        self.send_whole(data)

    def harm(self, dice, data):
        if self.case.harm == DAMAGE:
            self.transport.write(damaged(dice, data))
            ends = dice.randrange(8) > 0  # If it stays open, the reader may wait.
        else:
            size = min(len(data), 1 << dice.randrange(16))
            self.transport.write(data[: dice.randrange(size + 1)])
            ends = True
        if ends and dice.randrange(8) == 0:
            self.transport.abort()  # This resets the connection.
        elif ends:
            self.transport.close()

    def send_whole(self, data):
        """Sends the data, sometimes in two packets with a moment between them."""
        cut = zlib.crc32(data[:4096], self.case.seed)
        if self.late:
            self.late.append(data)
        elif self.case.cuts and cut % 4 == 0 and len(data) > 1:
            place = 1 + (cut >> 4) % min(len(data) - 1, 1 << (cut >> 2) % 21)
            self.transport.write(data[:place])
            self.late.append(data[place:])
            asyncio.get_running_loop().call_later(0.0004, self.send_late)
        else:
            self.transport.write(data)

    def send_late(self):
        if self.transport.is_closing():
            return
        self.transport.write(b"".join(self.late))
        self.late.clear()


class Control(asyncio.Protocol):
    """`seed rate cuts gentle harm\\n` begins a case. The answer has what both sides have sent.

    The answer is two lengths and, if the bytes of the sides differ, the bytes.
    """

    def __init__(self, case):
        self.case, self.data = case, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.data += data
        if self.data.endswith(b"\n"):
            # After two turns of the loop all that has arrived on other connections has been read.
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self.answer)

    def answer(self):
        numbers = map(int, self.data.split())
        self.data = b""
        plain, ours = self.case.begin(*numbers)
        if plain == ours:
            plain = ours = b""
        self.transport.write(struct.pack("<II", len(plain), len(ours)) + plain + ours)


async def listen(case):
    """Starts the node. Returns the ports of the plain side, of ours, and of the control."""
    loop = asyncio.get_running_loop()
    servers = [
        await loop.create_server(lambda: Connection(case, PLAIN), "127.0.0.1", 0),
        await loop.create_server(lambda: Connection(case, OURS), "127.0.0.1", 0),
        await loop.create_server(lambda: Control(case), "127.0.0.1", 0),
    ]
    return [server.sockets[0].getsockname()[1] for server in servers]
