#!/usr/bin/python3
"""Makes the vectors of a Redis Cluster.

They are vectors/cluster_replies.json, cluster_adoption.json and ../route/vectors/redirects.json.
The replies come from real clusters (recorded.json, by record_cluster.py). Here they are compared
with the CLUSTER NODES recorded with them. The rest is made up (made_up.yml). `--check` fails if a
page is stale.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))
import cluster

TOPOLOGY = Path(__file__).resolve().parents[2] / "topology"
MADE_UP = yaml.safe_load((TOPOLOGY / "made_up.yml").read_text())


def bulk(word):
    return (
        "$-1\r\n"
        if word is None
        else f":{word}\r\n"
        if isinstance(word, int)
        else f"${len(word)}\r\n{word}\r\n"
    )


def resp(value):
    if isinstance(value, list):
        return f"*{len(value)}\r\n" + "".join(map(resp, value))
    return bulk(long(value))


def long(text):
    """Writes out "x * 256" in a text."""
    if not isinstance(text, str):
        return text
    return re.sub(r"x \* (\d+)", lambda found: "x" * int(found[1]), text)


def ident(name):
    return hashlib.sha1(name.encode()).hexdigest()


def reply_of(case):
    if "shards" in case:
        return resp([shard(**row) for row in case["shards"]])
    if "slots" in case:
        return resp([[first, last, *map(node, names)] for first, last, *names in case["slots"]])
    if "nodes" in case:
        return resp([[0, 9, *([f"h{n}", 1] for n in range(case["nodes"]))]])
    if "value" in case:
        return resp(case["value"])
    text, times = case["text"] if isinstance(case["text"], list) else (case["text"], 1)
    return text * times


def shard(slots, nodes):
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
        told.append([part for field in fields.items() if field[1] != "absent" for part in field])
    return ["slots", slots, "nodes", told]


def node(name):
    """A node of SLOTS."""
    host, _, port = name.rpartition(":")
    return [host, int(port), ident(name), []]


def info(epoch):
    if epoch is None:
        return ""
    return bulk(
        "cluster_state:ok\r\ncluster_slots_assigned:16384\r\n"
        f"cluster_current_epoch:{epoch}\r\ncluster_my_epoch:1\r\n"
    )


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
    for situation in json.loads((TOPOLOGY / "recorded.json").read_text()):
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


def made_up():
    for case in MADE_UP["replies"]:
        how = {name: case[name] for name in ("asked", "zone", "zone_hosts") if name in case}
        for text in case.get("texts", [None]):
            reply = reply_of(case if text is None else {"text": text})
            comment = case["comment"].format(text=repr(reply[:20]))
            yield reading(comment, reply, info(case.get("epoch")), **how)


# ---- Adoption ----


def adoption():
    for case in MADE_UP["adoption"]:
        current, done = None, []
        for told in case["steps"]:
            step, current = adopted(current, told)
            done.append(step)
        yield {"comment": case["comment"], "steps": done}


def adopted(asked, told):
    """A step and the map after it. `asked` is the map at the time when the nodes were asked."""
    answers = [
        {"reply": reply_of(told[name]), "info": info(told[name].get("epoch"))}
        if name in told
        else None
        for name in ("first", "second")
    ]
    maps = [answer and cluster.Map(answer["reply"], answer["info"]) for answer in answers]
    moves = told.get("moved", [])
    current = asked and asked.moved(moves)
    chosen, reason = cluster.choose(current, *maps)
    step = dict(zip(("first", "second"), answers)) | ({"moved": moves} if moves else {})
    if chosen is None:
        return step | {"reason": reason}, current
    chosen.keep_places(current)
    if asked:
        chosen.keep_moved(asked, current)
    which = "first" if chosen is maps[0] else "second"
    return step | {"chosen": which, "map": result(chosen)}, chosen


# ---- Redirects ----

FIRST_TRY = {
    "asked": 0,
    "hops": 0,
    "tries": 0,
    "left_ms": 1000,
    "held": False,
    "fresh": False,
    "chance": 0,
}
NO_DECISION = {
    "node": 0,
    "slot": 0,
    "has_moved": False,
    "wants_refresh": False,
    "wait_ms": 0,
    "reason": None,
}
# The defaults of each action: what `follow: 2` means, and whether to refresh.
ACTIONS = {
    "none": lambda fields: {},
    "ask": lambda fields: fields,
    "refresh": lambda fields: {"wants_refresh": True, **fields},
    "again": lambda fields: {"wants_refresh": True, **named("wait_ms", fields)},
    "give_up": lambda fields: {"wants_refresh": True, **named("reason", fields)},
    "follow": lambda fields: {
        "has_moved": True,
        "wants_refresh": fields.get("has_moved", True),
        **fields,
    },
}


def named(name, fields):
    return fields if isinstance(fields, dict) else {name: fields}


def redirects():
    for case in MADE_UP["redirects"]:
        action = next(action for action in ACTIONS if action in case)
        fields = ACTIONS[action](case[action])
        for error in map(long, case.get("errors") or [case["error"]]):
            yield {
                "comment": case["comment"].format(error=error[:30]),
                "error": error,
                **FIRST_TRY,
                **case.get("case", {}),
                "decision": {**NO_DECISION, "action": action, **fields},
            }


# ---- Pages ----


def page(algorithm, about, tests, **group):
    tests = [{"tcId": number, **test} for number, test in enumerate(tests, 1)]
    return {
        "algorithm": algorithm,
        "schema": "spec/schema/vectors.json",
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
            "Errors of nodes of the map `reply`, and the decision.",
            redirects(),
            type="RedirectTest",
            reply=reply_of({"slots": MADE_UP["redirected"]}),
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
