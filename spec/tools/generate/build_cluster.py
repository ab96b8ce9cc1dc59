#!/usr/bin/python3
"""Makes the vectors of a Redis Cluster.

They are vectors/cluster_replies.json, cluster_adoption.json and ../route/vectors/redirects.json.
The replies come from real clusters (recorded/, by record_cluster.py), judged here by the CLUSTER
NODES recorded with them. More replies are made up: no honest node gives those. `--check` fails if a
page is stale.
"""

import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))
import cluster

TOPOLOGY = Path(__file__).resolve().parents[2] / "topology"


def bulk(word):
    return (
        "$-1\r\n"
        if word is None
        else f":{word}\r\n"
        if isinstance(word, int)
        else f"${len(word)}\r\n{word}\r\n"
    )


def resp(value):
    return (
        f"*{len(value)}\r\n" + "".join(map(resp, value)) if isinstance(value, list) else bulk(value)
    )


def ident(name):
    return hashlib.sha1(name.encode()).hexdigest()


def shard(ranges, *nodes):
    """A shard of SHARDS; a node is (host, port, role, health, further fields)."""
    told = []
    for host, port, role, health, *more in nodes:
        fields = {
            "id": ident(f"{host}:{port}"),
            "port": port,
            "ip": host,
            "endpoint": host,
            "role": role,
            "replication-offset": 7,
            "health": health,
            **(more[0] if more else {}),
        }
        told.append(
            [part for name, value in fields.items() if value is not ... for part in (name, value)]
        )
    return ["slots", list(ranges), "nodes", told]


def slots(*ranges):
    """SLOTS: (first, last, name, name ...)"""
    return resp(
        [
            [
                first,
                last,
                *(
                    [name.rpartition(":")[0], int(name.rpartition(":")[2]), ident(name), []]
                    for name in names
                ),
            ]
            for first, last, *names in ranges
        ]
    )


def info(epoch):
    text = (
        "cluster_state:ok\r\ncluster_slots_assigned:16384\r\n"
        f"cluster_current_epoch:{epoch}\r\ncluster_my_epoch:1\r\n"
    )
    return f"${len(text)}\r\n{text}\r\n"


def fingerprint(told):
    lines = ["onehop-topology-1", "distribution=slots", "hash=crc16", "hash_tag=7b7d", "database=0"]
    lines += [
        f"slots={first}-{last} {told.nodes[owner]['name']}"
        for first, last, owner, served in told.runs()
        if served
    ]
    return hashlib.md5("".join(line + "\n" for line in lines).encode()).hexdigest()


def result(told):
    return {
        "epoch": told.epoch,
        "served": told.served,
        "nodes": told.nodes,
        "slots": told.runs(),
    } | ({"fingerprint": fingerprint(told)} if told.served else {})


def reading(comment, reply, info_reply="", **how):
    test = {
        "comment": comment,
        "reply": reply,
        "info": info_reply,
        "asked": how.get("asked", "127.0.0.1"),
        "zone": how.get("zone"),
    } | ({"zone_hosts": how["zone_hosts"]} if "zone_hosts" in how else {})
    try:
        test["map"] = result(
            cluster.Map(reply, info_reply, test["asked"], test["zone"], how.get("zone_hosts", ""))
        )
    except cluster.Refused as refused:
        test["reason"] = str(refused)
    return test


# ---- Replies ----


def recorded():
    for path in sorted((TOPOLOGY / "recorded").glob("*.json")):
        for situation in json.loads(path.read_text()):
            for form in ("shards", "slots"):
                test = reading(
                    f"{situation['comment']} ({form.upper()})",
                    situation[form],
                    situation["info"],
                    asked=situation["asked"],
                    zone="north",
                )
                judge(situation, form, test)
                yield test


def judge(situation, form, test):
    """Compares owners of slots and roles with CLUSTER NODES, line by line."""
    owners, roles = {}, {}
    for line in situation["nodes"].partition("\r\n")[2].strip().split("\n"):
        words = line.split()
        roles[words[0]] = words[2]
        for span in words[8:]:
            if not span.startswith("["):
                first, _, last = span.partition("-")
                owners.update(dict.fromkeys(range(int(first), int(last or first) + 1), words[0]))
    told = test["map"]
    read = {
        slot: told["nodes"][owner]["id"]
        for first, last, owner, served in told["slots"]
        if served
        for slot in range(first, last + 1)
    }
    assert read == owners, (situation["comment"], form)
    for node in told["nodes"]:
        flags = roles[node["id"]].split(",")
        assert (node["role"] == "replica") == ("slave" in flags), (
            situation["comment"],
            node,
            flags,
        )
        assert (
            form == "slots" or not node["failing"] or "fail" in flags or node["role"] == "replica"
        ), node


M, R, ON = "master", "replica", "online"


def made_up():
    whole = shard((0, 16383), ("10.0.0.1", 6379, M, ON))
    yield reading("one shard, one node", resp([whole]), info(3))
    yield reading("no shard at all", resp([]))
    yield reading(
        "fields of later servers are ignored",
        resp([["id", "x", *whole, "weather", ["fine", 3, None]]]),
    )
    yield reading(
        "slots before nodes and nodes before slots",
        resp(
            [
                shard((0, 5), ("a", 1, M, ON)),
                [
                    "nodes",
                    [["id", "b", "port", 2, "ip", "b", "endpoint", "b", "role", M, "health", ON]],
                    "slots",
                    [6, 16383],
                ],
            ]
        ),
    )
    for text, comment in (("", "left open"), (None, "nil"), ("?", "unknown, with an address")):
        yield reading(
            f"an endpoint that is {comment}",
            resp([shard((0, 16383), ("10.0.0.7", 7, M, ON, {"endpoint": text}))]),
            asked="seed.example",
        )
    yield reading(
        "an endpoint that is unknown, as is the address",
        resp([shard((0, 16383), ("", 7, M, ON, {"endpoint": "?"}))]),
        asked="seed.example",
    )
    yield reading(
        "no endpoint: the address",
        resp([shard((0, 16383), ("10.0.0.7", 7, M, ON, {"endpoint": ...}))]),
    )
    yield reading(
        "IPv6, with brackets and without",
        resp([shard((0, 9), ("::1", 7, M, ON)), shard((10, 16383), ("[fe80::1]", 7, M, ON))]),
    )
    yield reading(
        "a port for TLS in addition", resp([shard((0, 16383), ("h", 1, M, ON, {"tls-port": 2}))])
    )
    yield reading(
        "a node that has a port for TLS only has no address",
        resp(
            [
                shard((0, 99), ("h", 1, M, ON, {"port": ..., "tls-port": 2})),
                shard((100, 16383), ("g", 1, M, ON)),
            ]
        ),
    )
    yield reading(
        "zones, announced and as a label",
        resp(
            [
                shard(
                    (0, 16383),
                    ("a.west.example", 1, M, ON),
                    ("b.east.example", 1, R, ON),
                    ("c.example", 1, R, ON, {"availability-zone": "east"}),
                    ("east", 1, R, ON),
                    ("d.eastern.example", 1, R, ON),
                )
            ]
        ),
        zone="east",
    )
    yield reading(
        "a part of an IP address is no label",
        resp(
            [
                shard(
                    (0, 16383),
                    ("10.0.1.5", 1, M, ON),
                    ("::ffff:10.0.1.6", 1, R, ON),
                    ("fe80::7.0.1.2", 1, R, ON),
                    ("a.1.example", 1, R, ON),
                )
            ]
        ),
        zone="1",
    )
    yield reading(
        "zones of hosts, as the file gives them",
        resp(
            [
                shard(
                    (0, 16383),
                    ("10.0.0.1", 1, M, ON),
                    ("10.0.0.2", 1, R, ON),
                    ("10.0.0.20", 1, R, ON),
                    ("fe80::2", 1, R, ON),
                    ("10.0.0.4", 1, R, ON, {"availability-zone": "east"}),
                    ("10.0.0.5", 1, R, ON, {"availability-zone": "west"}),
                )
            ]
        ),
        zone="east",
        zone_hosts="fe80::2 10.0.0.2 10.0.0.5",
    )
    yield reading(
        "after a failover both are listed as masters: the one that is online",
        resp([shard((0, 16383), ("old", 1, M, "fail"), ("new", 1, M, ON), ("other", 1, R, ON))]),
    )
    yield reading(
        "two masters, both failing: the first",
        resp([shard((0, 16383), ("a", 1, M, "fail"), ("b", 1, M, "fail"))]),
    )
    yield reading(
        "a replica that is loading",
        resp([shard((0, 16383), ("a", 1, M, ON), ("b", 1, R, "loading"))]),
    )
    yield reading("a master without slots is a spare", resp([whole, shard((), ("new", 1, M, ON))]))
    yield reading("replicas without a master are spares", resp([whole, shard((), ("r", 1, R, ON))]))
    yield reading(
        "a node was replaced at its address: the failing one is left out",
        resp(
            [
                shard((0, 9), ("a", 1, M, "fail", {"id": "old"})),
                shard((10, 16383), ("a", 1, M, ON)),
                shard((), ("b", 1, R, ON)),
            ]
        ),
    )
    yield reading(
        "the failing one may come second",
        resp(
            [shard((10, 16383), ("a", 1, M, ON)), shard((0, 9), ("a", 1, M, "fail", {"id": "old"}))]
        ),
    )
    yield reading(
        "two failing nodes of one address: the later is left out",
        resp(
            [
                shard((10, 16383), ("a", 1, M, "fail")),
                shard((0, 9), ("a", 1, M, "fail", {"id": "old"})),
            ]
        ),
    )
    yield reading(
        "one address, two healthy nodes",
        resp([shard((0, 9), ("a", 1, M, ON)), shard((10, 99), ("a", 1, M, ON, {"id": "z"}))]),
    )
    yield reading(
        "one id, two addresses",
        resp(
            [
                shard((0, 9), ("a", 1, M, ON, {"id": "z"})),
                shard((10, 99), ("b", 1, M, ON, {"id": "z"})),
            ]
        ),
    )
    yield reading(
        "holes at both ends and in the middle",
        slots((5, 9, "a:1"), (20, 16000, "b:2", "c:3")),
        info(1),
    )
    yield reading(
        "one node owns two ranges and follows in a third",
        slots((0, 9, "a:1"), (10, 19, "b:1", "a:1"), (20, 29, "a:1")),
    )
    yield reading("a range without nodes", resp([[0, 16383]]))
    yield reading("servers before 4.0 give no id", resp([[0, 16383, ["h", 1], ["g", 2]]]))
    yield from refused()


def refused():
    good = slots((0, 16383, "a:1"))
    for first, last in ((-1, 5), (5, 4), (0, 16384), (16384, 16384), (0, 10**17)):
        yield reading(f"slots {first} to {last}", slots((first, last, "a:1")))
    yield reading("overlap", slots((0, 10, "a:1"), (10, 20, "b:1")))
    yield reading("overlap with itself", slots((0, 10, "a:1"), (3, 3, "a:1")))
    for port in (-1, 65536):
        yield reading(f"port {port}", resp([[0, 9, ["h", port, "x"]]]))
    for host in ("a b", "a\nb", "a\u0000", "ä", 'a"b', "a/b", "x" * 256):
        yield reading(
            f"host {host[:9]!r}", resp([[0, 9, [host.encode().decode("latin-1"), 1, "x"]]])
        )
    yield reading("the longest host", resp([[0, 9, ["x" * 255, 1, "x"]]]))
    for name in ("x" * 65, "a b"):
        yield reading(f"id {name[:9]!r}", resp([[0, 9, ["h", 1, name]]]))
    yield reading("too many nodes", resp([[0, 9, *([f"h{n}", 1] for n in range(4097))]]))
    for reply in (
        "",
        "*",
        "*1\r\n",
        "*1\n",
        ":1\r\n",
        "$-1\r\n",
        "*-1\r\n",
        "+OK\r\n",
        "*1\r\n*0\r\n",
        "*1\r\n:5\r\n",
        good[:-1],
        good[:-9],
        good + "x",
        "*99999999\r\n",
        "*-2\r\n",
        "$5\r\nabc\r\n",
        "*1\r\n*1\r\n:0\r\n",
        "*1\r\n*3\r\n:0\r\n:9\r\n*1\r\n$1\r\nh\r\n",
        "*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n:7\r\n:1\r\n",
        "*1\r\n*2\r\n$5\r\nslots\r\n*1\r\n:1\r\n",
        "*1000000000000000000\r\n",
        "*1\r\n" * 50,
    ):
        yield reading(f"no reply of either form: {reply[:20]!r}", reply)
    yield reading("an error", "-ERR This instance has cluster support disabled\r\n")
    yield reading("an element that is an error", "*1\r\n-ERR x\r\n")


# ---- Adoption ----


def scenario(comment, *steps):
    current, done = None, []
    for *step, moves in (step if len(step) == 3 else (*step, ()) for step in steps):
        first, second = (cluster.Map(*answer) if answer else None for answer in step)
        asked, current = current, current and current.moved(moves)
        chosen, reason = cluster.choose(current, first, second)
        told = {
            name: {"reply": answer[0], "info": answer[1]} if answer else None
            for name, answer in zip(("first", "second"), step)
        }
        told |= {"moved": [list(move) for move in moves]} if moves else {}
        if chosen is None:
            done.append({**told, "reason": reason})
            continue
        chosen.keep_places(current)
        if asked:
            chosen.keep_moved(asked, current)
        done.append(
            {**told, "chosen": "first" if chosen is first else "second", "map": result(chosen)}
        )
        current = chosen
    return {"comment": comment, "steps": done}


def adoption():
    def told(epoch, *ranges):
        return slots(*ranges), info(epoch)

    thirds = ((0, 5460, "a:1", "d:1"), (5461, 10922, "b:1", "e:1"), (10923, 16383, "c:1", "f:1"))
    start = told(6, *thirds)
    yield scenario("the first map", (start, None))
    yield scenario("only the second node answers", (None, start))
    yield scenario(
        "a node that knows of no slot", (("*0\r\n", info(6)), None), (("*0\r\n", info(6)), start)
    )
    yield scenario(
        "the higher epoch",
        (start, None),
        (told(7, *thirds[:2]), told(8, *thirds)),
        (told(10, *thirds), told(9, *thirds)),
    )
    yield scenario(
        "more slots, then the first",
        (start, told(6, *thirds[:2])),
        (told(6, *thirds[:2]), start),
        (start, start),
    )
    yield scenario(
        "an older answer, alone and of two",
        (start, None),
        (told(5, *thirds), None),
        (told(5, *thirds), told(4, *thirds)),
        (told(5, *thirds), start),
    )
    yield scenario("an unknown epoch is not compared", (start, None), ((slots(*thirds), ""), None))
    yield scenario(
        "a cluster that was built again begins at 0",
        (start, None),
        (told(1, (0, 16383, "x:1")), None),
    )
    foreign = told(9, (0, 16383, "x:1"))
    yield scenario(
        "an answer of another cluster is the worse one, whatever its epoch",
        (start, None),
        (foreign, start),
        (start, foreign),
    )
    yield scenario(
        "half of the slots, and less",
        (start, None),
        (told(6, (0, 8191, "a:1")), None),
        (told(6, (0, 4094, "a:1")), None),
    )
    yield scenario(
        "a failover changes roles, not places",
        (start, None),
        (told(7, (0, 5460, "d:1"), *thirds[1:]), None),
        (told(8, (0, 5460, "d:1", "a:1"), *thirds[1:]), None),
    )
    yield scenario(
        "nodes leave and come",
        (start, None),
        (told(7, (0, 8191, "a:1"), (8192, 16383, "c:1", "f:1")), None),
        (told(8, (0, 8191, "a:1"), (8192, 9000, "g:1"), (9001, 16383, "c:1")), None),
        (
            told(
                9,
                (0, 8191, "a:1"),
                (8192, 9000, "g:1", "h:1", "i:1", "j:1", "k:1"),
                (9001, 16383, "c:1", "b:1"),
            ),
            None,
        ),
    )
    yield scenario(
        "all are others", (start, None), (told(9, (0, 8191, "x:1"), (8192, 16383, "y:1")), None)
    )
    yield scenario(
        "what moved while the nodes were asked stays moved, "
        "and what they say of other slots is taken",
        (start, None),
        (
            told(6, (0, 4999, "a:1", "d:1"), (5000, 10922, "b:1", "e:1"), thirds[2]),
            None,
            ((0, "b:1"), (7, "b:1"), (5460, "c:1")),
        ),
        (start, None),
        (start, None, ((16383, "d:1"),)),
    )
    yield scenario(
        "what moved to a node that has left, or fails, goes where the nodes say",
        (start, None),
        (told(7, (0, 5460, "a:1"), (5461, 16383, "c:1", "f:1")), None, ((0, "b:1"), (1, "c:1"))),
        (
            (
                resp(
                    [
                        shard((0, 5460), ("a", 1, "master", "online")),
                        shard((5461, 16383), ("c", 1, "master", "fail")),
                    ]
                ),
                info(8),
            ),
            None,
            ((2, "c:1"),),
        ),
    )
    yield scenario(
        "a slot without an owner was found meanwhile",
        (told(6, *thirds[:2]), None),
        (told(6, *thirds[:2]), None, ((16383, "a:1"),)),
    )
    yield scenario(
        "the last one keeps its place",
        (start, None),
        (told(9, (0, 16383, "f:1")), None),
        (told(9, (0, 16383, "f:1", "n:1")), None),
    )


# ---- Redirects ----

REDIRECTED = slots(
    (0, 5460, "10.0.0.1:1", "10.0.0.4:1"),
    (5461, 10922, "10.0.0.2:1", "10.0.0.5:1"),
    (10923, 16000, "::1:1", "h.example:1"),
)


def redirects():
    """[comment, error, what differs from a first try at node 0 with 1,000 ms left, decision]"""
    vain = "there is no time left to try again"
    held = "a transaction is never sent again"
    unknown = "the map of the cluster does not know the node"
    loop = "the nodes send it to each other"

    def give_up(reason):
        return {"action": "give_up", "wants_refresh": True, "reason": reason}

    def again(wait, refresh=True):
        return {"action": "again", "wants_refresh": refresh, "wait_ms": wait}

    def follow(node, slot, moved=True):
        return {
            "action": "follow",
            "node": node,
            "slot": slot,
            "has_moved": moved,
            "wants_refresh": moved,
        }

    refresh = {"action": "refresh", "slot": 7, "wants_refresh": True}
    none = {"action": "none"}
    yield "follow", "MOVED 7 10.0.0.2:1", {}, follow(2, 7)
    yield "to a replica: roles have changed", "MOVED 7 10.0.0.4:1", {}, follow(1, 7)
    yield "IPv6", "MOVED 16383 ::1:1", {}, follow(4, 16383)
    yield "IPv6 in brackets", "MOVED 7 [::1]:1", {}, follow(4, 7)
    yield "a hostname", "MOVED 7 h.example:1", {}, follow(5, 7)
    yield "ask", "ASK 7 10.0.0.2:1", {}, {"action": "ask", "node": 2, "slot": 7}
    for hops in (4, 5, 6):
        yield (
            f"{hops} hops",
            "MOVED 7 10.0.0.2:1",
            {"hops": hops},
            follow(2, 7) if hops < 5 else give_up(loop),
        )
    yield "ASK after 5 hops", "ASK 7 10.0.0.2:1", {"hops": 5}, give_up(loop)
    yield "to itself", "MOVED 7 10.0.0.1:1", {}, again(5)
    yield "to itself, left open", "MOVED 7 :1", {}, again(5)
    yield "to itself, unknown host", "ASK 7 ?:1", {"chance": 3}, again(8)
    yield "left open: the host that said it", "MOVED 7 :1", {"asked": 2}, again(5)
    yield "to an unknown node", "MOVED 7 10.0.0.9:1", {}, refresh
    yield "to an unknown port", "ASK 7 10.0.0.2:2", {}, refresh
    yield "left open, unknown port", "MOVED 7 ?:9", {}, refresh
    yield (
        "unknown after a refresh: the owner in the map",
        "MOVED 7000 10.0.0.9:1",
        {"fresh": True},
        follow(2, 7000, False),
    )
    yield (
        "unknown after a refresh, and the map still has the old one",
        "MOVED 7 10.0.0.9:1",
        {"fresh": True},
        again(5),
    )
    yield (
        "unknown after a refresh, and the slot has no owner",
        "MOVED 16001 10.0.0.9:1",
        {"fresh": True},
        again(5),
    )
    yield "ASK to an unknown node after a refresh", "ASK 7000 10.0.0.9:1", {"fresh": True}, again(5)
    yield (
        "unknown until the end",
        "MOVED 7 10.0.0.9:1",
        {"fresh": True, "left_ms": 5},
        give_up(unknown),
    )
    for error in (
        "MOVED",
        "MOVED ",
        "MOVED 7",
        "MOVED 7 ",
        "MOVED x 10.0.0.2:1",
        "MOVED -1 10.0.0.2:1",
        "MOVED 16384 10.0.0.2:1",
        "MOVED 7 10.0.0.2",
        "MOVED 7 10.0.0.2:",
        "MOVED 7 10.0.0.2:0",
        "MOVED 7 10.0.0.2:65536",
        "MOVED 7 10.0.0.2:x",
        "MOVED 7 10.0.0.2:1 ",
        "MOVED  7 10.0.0.2:1",
        "MOVED 7 10.0.0.2:1 x",
        "MOVED 99999999999999999999 10.0.0.2:1",
        "moved 7 10.0.0.2:1",
        "MOVEDX 7 10.0.0.2:1",
        "ASK 7",
        "ASKING 7 10.0.0.2:1",
        f"MOVED 7 {'x' * 256}:1",
        "ERR unknown command",
        "",
        "WRONGTYPE Operation",
        "CROSSSLOT Keys",
        "EXECABORT Transaction",
        "TRYAGAINX",
    ):
        yield f"no redirect: {error[:30]}", error, {}, none
    for tries, lowest, highest in (
        (0, 5, 10),
        (1, 10, 20),
        (4, 80, 160),
        (5, 160, 320),
        (63, 160, 320),
    ):
        yield (
            f"try {tries}, the shortest wait",
            "TRYAGAIN Multiple keys",
            {"tries": tries},
            again(lowest, False),
        )
        yield (
            f"try {tries}, the longest wait",
            "TRYAGAIN Multiple keys",
            {"tries": tries, "chance": highest - lowest},
            again(highest, False),
        )
    yield "no more tries", "TRYAGAIN Multiple keys", {"tries": 64, "left_ms": -1}, give_up(vain)
    yield "no deadline", "CLUSTERDOWN The cluster is down", {"left_ms": -1, "tries": 9}, again(160)
    yield (
        "chance is any number",
        "CLUSTERDOWN Hash slot not served",
        {"chance": 4294967295},
        again(8),
    )
    yield "just enough time", "CLUSTERDOWN The cluster is down", {"left_ms": 6}, again(5)
    yield "not enough time", "CLUSTERDOWN The cluster is down", {"left_ms": 5}, give_up(vain)
    yield "READONLY", "READONLY You can't write against a read only replica.", {}, again(5)
    unblocked = "UNBLOCKED force unblock from blocking operation"
    changed = f"{unblocked}, instance state changed (master -> replica?)"
    yield "a node that becomes a replica ends the waits", changed, {}, again(5)
    yield "the same, with no word of the reason", unblocked, {}, again(5)
    yield "the same, held", changed, {"held": True}, give_up(held)
    yield "CLIENT UNBLOCK", "UNBLOCKED client unblocked via CLIENT UNBLOCK", {}, none
    yield "a stream was deleted", "UNBLOCKED the stream key no longer exists", {}, none
    yield "UNBLOCKED alone", "UNBLOCKED", {}, none
    yield "a master loads", "LOADING Redis is loading the dataset in memory", {}, again(5)
    yield (
        "a replica loads",
        "LOADING Redis is loading the dataset in memory",
        {"asked": 1},
        follow(0, 0, False),
    )
    yield (
        "a replica has lost its master",
        "MASTERDOWN Link with MASTER is down",
        {"asked": 3},
        follow(2, 0, False),
    )
    yield (
        "a replica, too many hops",
        "MASTERDOWN Link with MASTER is down",
        {"asked": 3, "hops": 5},
        give_up(loop),
    )
    for error in (
        "MOVED 7 10.0.0.2:1",
        "ASK 7 10.0.0.2:1",
        "MOVED 7 10.0.0.9:1",
        "TRYAGAIN",
        "CLUSTERDOWN x",
        "LOADING x",
        "READONLY x",
        "MASTERDOWN x",
    ):
        yield f"held: {error}", error, {"held": True}, give_up(held)
    yield "held, but no redirect", "MOVED 7", {"held": True}, none


def redirect_tests():
    for comment, error, case, decision in redirects():
        yield {
            "comment": comment,
            "error": error,
            "asked": 0,
            "hops": 0,
            "tries": 0,
            "left_ms": 1000,
            "held": False,
            "fresh": False,
            "chance": 0,
            **case,
            "decision": {
                "node": 0,
                "slot": 0,
                "has_moved": False,
                "wants_refresh": False,
                "wait_ms": 0,
                "reason": None,
                **decision,
            },
        }


# ---- Pages ----


def page(algorithm, schema, about, tests, **group):
    tests = [{"tcId": number, **test} for number, test in enumerate(tests, 1)]
    return {
        "algorithm": algorithm,
        "schema": schema,
        "about": about,
        "numberOfTests": len(tests),
        "notes": {},
        "testGroups": [{**group, "tests": tests}],
    }


def pages():
    yield (
        "vectors/cluster_replies.json",
        page(
            "cluster_replies",
            "spec/schema/cluster_replies.json",
            "What a node says about its cluster (RESP, one character per byte), and the map that it"
            " means, or why it has none; map.slots: first, last, node, served.",
            [*recorded(), *made_up()],
            type="ClusterReplyTest",
        ),
    )
    yield (
        "vectors/cluster_adoption.json",
        page(
            "cluster_adoption",
            "spec/schema/cluster_adoption.json",
            "Pairs of answers, one after the other: which one is adopted, and the map afterwards;"
            " or why none is. What has moved since the nodes were asked: slot, node.",
            adoption(),
            type="ClusterAdoptionTest",
        ),
    )
    yield (
        "../route/vectors/redirects.json",
        page(
            "redirects",
            "spec/schema/redirects.json",
            "Errors of nodes of the map `reply`, and the decision.",
            redirect_tests(),
            type="RedirectTest",
            reply=REDIRECTED,
        ),
    )


def text_of(page):
    tests = page["testGroups"][0].pop("tests")
    head = json.dumps(page, indent=1, ensure_ascii=True)
    lines = ",\n".join("   " + json.dumps(test) for test in tests)
    return head.replace("\n  }\n ]\n}", ',\n   "tests": [\n' + lines + "\n   ]\n  }\n ]\n}\n")


def main():
    stale = []
    for name, made in pages():
        path, text = TOPOLOGY / name, text_of(made)
        if not path.exists() or path.read_text() != text:
            stale.append(name)
        if "--check" not in sys.argv:
            path.write_text(text)
    if "--check" in sys.argv and stale:
        sys.exit(f"stale: {' '.join(stale)}")


if __name__ == "__main__":
    main()
