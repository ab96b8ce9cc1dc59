"""Part `vectors`: the vectors of every chapter with an op, for every testee that has that op.

Chapter route has no op: the checks in spec/tools/prove compare its vectors with the reference and
with live servers. Sentinels and the map of a Redis Cluster have no op either: the tests of both
cores use their vectors. spec/tools/generate/build_cluster.py compares those of the map with the
reference.
"""

import json

import reference

from .report import first_difference
from .testee import ROOT, is_unsupported

CHAPTERS = ("hash", "key", "placement", "topology", "wire")
WITHOUT_OP = {"ChooseTest", "ClusterAdoptionTest", "ClusterReplyTest", "LeavingTest"}
WITHOUT_OP |= {"SentinelReplicasTest", "SentinelTest", "SmoothTest", "OldRingTest"}
WITHOUT_OP |= {"MovingKindTest", "NothingTest", "BringTest"}
JUDGE_RING_POINTS = 2000  # On larger rings nutcracker is asked at every seventh point only.


def run(testees, report):
    pages = (
        path
        for chapter in CHAPTERS
        for path in sorted((ROOT / "spec" / chapter).glob("vectors/*.json"))
    )
    for path in pages:
        page = json.loads(path.read_text())
        groups = [group for group in page["testGroups"] if group["type"] not in WITHOUT_OP]
        if groups:
            report.begin(f"{path.parts[-3]}/{path.stem}")
            for group in groups:
                GROUPS[group["type"]](testees, report, page, group)
            report.end()


def hash_group(testees, report, _page, group):
    with_key = [test for test in group["tests"] if test["key"]]
    runs = ((testees.implementations(), group["tests"]), (["nutcracker"], with_key))
    for names, tests in runs:
        for function in tests[0]["hashes"]:
            request = {"op": "hash", "hash": function, "keys": [test["key"] for test in tests]}
            wanted = [{**test, "hash": test["hashes"][function]} for test in tests]
            for testee, (answer,) in testees.ask([request], names).items():
                compare(report, testee, answer, "hashes", wanted, "hash", f"{function}, ")


def compare(report, testee, answer, field, tests, expected, about=""):
    """One check per test: compares the answer's `field` with the `expected` value of the test."""
    if is_unsupported(answer):
        return
    row = answer.get(field)
    if row is None or len(row) != len(tests):
        report.fail(f"{testee} answered {str(answer)[:300]}")
        return
    for test, value in zip(tests, row):
        report.check(
            value == test[expected],
            lambda: (
                f"{about}test {test['tcId']} ({test['comment']}): key {test['key'] or '(empty)'}: "
                f"{testee} says {value!r}, the vector {test[expected]!r}"
            ),
        )


def tag_group(testees, report, _page, group):
    config = "p:\n  listen: 127.0.0.1:22121\n  servers:\n  - a:1:1\n  - b:1:1\n"
    if group["tag"]:
        config += f"  hash_tag: {json.dumps(bytes.fromhex(group['tag']).decode())}\n"
    request = {
        "op": "explain",
        "config": config,
        "pool": "p",
        "keys": [test["key"] for test in group["tests"]],
    }
    for testee, (answer,) in testees.ask([request], testees.implementations()).items():
        rows = (
            {"hashed": [row["hashed"] for row in answer["explanations"]]}
            if "explanations" in answer
            else answer
        )
        compare(report, testee, rows, "hashed", group["tests"], "hashed")


def slot_group(testees, report, _page, group):
    request = {"op": "slot", "keys": [test["key"] for test in group["tests"]]}
    for testee, (answer,) in testees.ask([request], testees.implementations()).items():
        compare(report, testee, answer, "slots", group["tests"], "slot")


def place_request(group, keys):
    return {
        "config": group["config"],
        "pool": group["pool"],
        "dead": group.get("dead", []),
        "keys": keys,
    }


def place_group(testees, report, _page, group):
    tests = group["tests"]
    request = place_request(group, [test["key"] for test in tests])
    names = [name for name in testees.all if name != "nutcracker" or "nutcracker" not in group]
    for testee, (answer,) in testees.ask([{"op": "place", **request}], names).items():
        compare(report, testee, answer, "nodes", tests, "node", f"{group['comment']}, ")
    for testee, (answer,) in testees.ask(
        [{"op": "explain", **request}], testees.implementations()
    ).items():
        if is_unsupported(answer):
            continue
        expected = [
            {
                "hashed": test.get("hashed", test["key"]),
                **{f: test[f] for f in ("hash", "point", "node")},
            }
            for test in tests
        ]
        for test, wanted, told in zip(
            tests, expected, answer.get("explanations") or [answer] * len(tests)
        ):
            report.check(
                told == wanted,
                lambda: (
                    f"{group['comment']}, test {test['tcId']} ({test['comment']}): "
                    f"{testee} explains {told}, the vector {wanted}"
                ),
            )


# Keys made to measure: for every u32 there is exactly one key of four bytes with that crc32a. So a
# test can reach any point of a ring, from outside and in any implementation.
POLYNOMIAL = 0xEDB88320


def crc_entry(index):
    for _ in range(8):
        index = (index >> 1) ^ (POLYNOMIAL if index & 1 else 0)
    return index


TABLE = [crc_entry(index) for index in range(256)]
BY_TOP_BYTE = {value >> 24: index for index, value in enumerate(TABLE)}


def key_of(value):
    """The key of four bytes whose crc32a is `value`: finds the table entries backwards first."""
    register, entries = value ^ 0xFFFFFFFF, []
    for _ in range(4):
        entries.append(BY_TOP_BYTE[register >> 24])
        register = (register ^ TABLE[entries[-1]]) << 8 & 0xFFFFFFFF
    register, key = 0xFFFFFFFF, bytearray()
    for index in reversed(entries):
        key.append((register ^ index) & 0xFF)
        register = (register >> 8) ^ TABLE[index]
    return bytes(key)


def ring_group(testees, report, page, group):
    """The given tests, then each point of the ring: the key that hits it and the one after it."""
    if group["tests"]:
        place_group(testees, report, page, group)
    topology = reference.Topology(
        reference.find_pool(group["config"], group["pool"]), group.get("dead", ())
    )
    points = topology.placement.points
    report.check(
        ring_facts(points, len(topology.servers)) == (group["points"], group["checksum"]),
        lambda: f"{group['comment']}: the reference builds another ring",
    )
    values = sorted({near & 0xFFFFFFFF for value, _ in points for near in (value, value + 1)})
    for testee in testees.all:
        if testee == "nutcracker" and "nutcracker" in group:
            continue
        asked = (
            values[::7] if testee == "nutcracker" and len(points) > JUDGE_RING_POINTS else values
        )
        request = {"op": "place", **place_request(group, [key_of(value).hex() for value in asked])}
        nodes = testees.ask([request], [testee])[testee][0].get("nodes") or []
        wanted = [topology.servers[topology.placement.place(value)[1]]["name"] for value in asked]
        if nodes == wanted:
            report.count(passed=len(asked))
        else:
            show_ring_difference(testees, report, testee, request, nodes, wanted)


def ring_facts(points, servers_count):
    counts, checksum = [0] * servers_count, 2166136261
    for value, index in points:
        counts[index] += 1
        checksum = (checksum ^ value) * 16777619 & 0xFFFFFFFF
        checksum = (checksum ^ index) * 16777619 & 0xFFFFFFFF
    return counts, checksum


def show_ring_difference(testees, report, testee, request, nodes, wanted):
    for key, node, expected in zip(request["keys"], nodes or [None] * len(wanted), wanted):
        if node != expected:
            report.fail(first_difference(testees, testee, request, key, expected))
            return
    report.fail(f"{testee} gave {len(nodes)} answers to {len(wanted)} keys")


def member_group(testees, report, _page, group):
    request = {"op": "place", **place_request(group, [test["key"] for test in group["tests"]])}
    for testee, (answer,) in testees.ask([request]).items():
        for test, node in zip(
            group["tests"], answer.get("nodes") or [answer] * len(group["tests"])
        ):
            report.check(
                node in test["nodes"], lambda: f"{testee} says {node}, allowed are {test['nodes']}"
            )


def fingerprint_group(testees, report, _page, group):
    tests = group["tests"]
    requests = [
        {"op": "topology", "config": test["config"], "pool": test["pool"]} for test in tests
    ]
    for testee, answers in testees.ask(requests, testees.implementations()).items():
        for test, answer in zip(tests, answers):
            if not is_unsupported(answer):
                told = {field: answer.get(field) for field in ("fingerprint", "servers")}
                wanted = {field: test[field] for field in told}
                report.check(
                    told == wanted,
                    lambda: f"{test['comment']}: {testee} says {answer}, the vector {wanted}",
                )


def cuttings(data):
    """The ways to cut a stream: nowhere, at every byte, in two at any place, every 1,000 bytes."""
    yield [data]
    if len(data) <= 4096:
        yield [data[at : at + 1] for at in range(len(data))]
    if len(data) <= 48:
        yield from ([data[:at], data[at:]] for at in range(1, len(data)))
    if len(data) > 1000:
        yield [data[at : at + 1000] for at in range(0, len(data), 1000)]


def framing_group(testees, report, _page, group):
    check_streams(testees, report, group, "wire", ("answered", "owed", "clean"))


def subscribed_group(testees, report, _page, group):
    check_streams(testees, report, group, "subscribed", ("answered", "messages", "owed", "clean"))


def check_streams(testees, report, group, op, fields):
    """Checks every cutting of every stream. If a vector has no `clean`, its stream never is."""
    requests, tests = [], []
    for test in group["tests"]:
        parts = test.get("parts") or [[test["stream"], 1]]
        for chunks in cuttings(b"".join(bytes.fromhex(part) * times for part, times in parts)):
            requests.append(
                {"op": op, "commands": test["commands"], "replies": [c.hex() for c in chunks]}
            )
            tests.append(test)
    for testee, answers in testees.ask(requests, testees.implementations()).items():
        for test, request, answer in zip(tests, requests, answers):
            if is_unsupported(answer):
                continue
            told = [answer.get(field, answer) for field in fields] + [bool(answer.get("error"))]
            wanted = [test.get(field, False) for field in fields] + [bool(test["error"])]
            report.check(
                told == wanted,
                lambda: (
                    f"test {test['tcId']} ({test['comment']}) in {len(request['replies'])} chunks: "
                    f"{testee} says {answer}, the vector {wanted}"
                ),
            )


MOVED_KEYS = [f"key:{number}".encode().hex() for number in range(20000)]


def moved_group(testees, report, _page, group):
    """No op returns the fraction of moved keys, so it is counted from places before and after."""
    for test in group["tests"]:
        homes = [homes_of(testees, test[which]) for which in ("before", "after")]
        for testee in homes[0]:
            moved = sum(a != b for a, b in zip(*(home[testee] for home in homes)))
            report.check(
                (moved + 10) // 20 == test["moved"],
                lambda: (
                    f"test {test['tcId']} ({test['comment']}): {moved} of 20,000 keys move, "
                    f"according to {testee}"
                ),
            )


def homes_of(testees, config):
    """{testee: [(name, address) of the node of each key]}"""
    requests = [
        {"op": "place", "config": config, "pool": "p", "keys": MOVED_KEYS},
        {"op": "topology", "config": config, "pool": "p"},
    ]
    homes = {}
    for testee, (placed, topology) in testees.ask(requests, testees.implementations()).items():
        addresses = {server["name"]: server["address"] for server in topology["servers"]}
        homes[testee] = [(name, addresses[name]) for name in placed["nodes"]]
    return homes


GROUPS = {
    "HashTest": hash_group,
    "TagTest": tag_group,
    "SlotTest": slot_group,
    "PlaceTest": place_group,
    "RingTest": ring_group,
    "MemberTest": member_group,
    "MovedTest": moved_group,
    "FingerprintTest": fingerprint_group,
    "FramingTest": framing_group,
    "SubscribedTest": subscribed_group,
}
