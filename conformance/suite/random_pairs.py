"""Part `random`: all implementations must name the same node for random pools and random keys.

The live nutcracker also gets a few of the pools. The seed is printed, so a run can be repeated.
"""

import json

import reference

from .report import first_difference

KEYS_PER_POOL = 1000
JUDGED_POOLS = 40
JUDGED_KEYS = 500
FOREIGN = ("redis_array", "redis_array_consistent", "predis_hashring", "libmemcached_consistent")
FOREIGN += ("spymemcached", "sharded_jedis", "sharded_jedis_2_9", "jedis_sharding")


def run(testees, report, chance, pairs):
    report.begin(f"random/{pairs:,} pairs of pool and key")
    names = testees.implementations()
    requests = [
        random_request(chance, min(KEYS_PER_POOL, pairs - done))
        for done in range(0, pairs, KEYS_PER_POOL)
    ]
    for start in range(0, len(requests), 8):
        some = requests[start : start + 8]
        answers = testees.ask(some, names)
        for number, request in enumerate(some):
            compare(testees, report, request, {name: answers[name][number] for name in names})
    report.end()
    if testees.has_judge():
        judge(testees, report, requests)


def compare(testees, report, request, told):
    """One check per key: all testees name the same node."""
    rows = {name: answer.get("nodes") for name, answer in told.items()}
    broken = [name for name, row in rows.items() if row is None or len(row) != len(request["keys"])]
    if broken:
        report.fail(f"{broken[0]} answered {str(told[broken[0]])[:300]}")
        return
    expected_by = "reference" if "reference" in rows else next(iter(rows))
    expected = rows[expected_by]
    for name, row in rows.items():
        if row != expected:
            at = next(i for i, (ours, theirs) in enumerate(zip(row, expected)) if ours != theirs)
            wanted = f"{expected_by} ({expected[at]})"
            report.fail(first_difference(testees, name, request, request["keys"][at], wanted))
            return
    report.count(passed=len(expected))


def judge(testees, report, requests):
    report.begin("random/some of them with nutcracker")
    seen = [request for request in requests if is_observable(request)]
    step = max(1, len(seen) // JUDGED_POOLS)
    some = [{**request, "keys": request["keys"][:JUDGED_KEYS]} for request in seen[::step]]
    told = testees.ask(some)
    for number, request in enumerate(some):
        compare(testees, report, request, {name: answers[number] for name, answers in told.items()})
    report.end()


def is_observable(request):
    pool = reference.find_pool(request["config"], request["pool"])
    servers = pool["servers"]
    slots = sum(server["weight"] for server in servers)
    return (
        pool["distribution"] in ("ketama", "modula")
        and len(request["dead"]) < len(servers)
        and (pool["distribution"] != "modula" or slots < 1_000_000)
    )


def random_request(chance, keys_count):
    """One request in five has a distribution of other clients, which nutcracker does not know."""
    return (foreign_request if chance.randrange(5) == 0 else usual_request)(chance, keys_count)


def foreign_request(chance, keys_count):
    lines = ["p:", "  engine: redis", f"  distribution: {chance.choice(FOREIGN)}", "  servers:"]
    lines += [f"  - 10.0.0.{n}:6379" for n in chance.sample(range(256), chance.randrange(1, 40))]
    keys = [random_key(chance, chance.choice((None, "{}"))).hex() for _ in range(keys_count)]
    return {"op": "place", "config": "\n".join(lines) + "\n", "pool": "p", "dead": [], "keys": keys}


def usual_request(chance, keys_count):
    servers = random_servers(chance)
    lines = [
        "p:",
        "  listen: 127.0.0.1:22121",
        f"  hash: {chance.choice(list(reference.HASHES))}",
        f"  distribution: {chance.choice(('ketama', 'ketama', 'modula'))}",
    ]
    tag = chance.choice((None, None, "{}", "{}", "$$", "ab", "é"))
    if tag:
        lines.append(f"  hash_tag: {json.dumps(tag, ensure_ascii=False)}")
    lines.append("  servers:")
    lines += [f"  - {json.dumps(line, ensure_ascii=False)}" for line in servers]
    config = "\n".join(lines) + "\n"
    names = [server["name"] for server in reference.find_pool(config, "p")["servers"]]
    dead = (
        chance.sample(names, chance.randrange(len(names) + 1)) if chance.randrange(3) == 0 else []
    )
    return {
        "op": "place",
        "config": config,
        "pool": "p",
        "dead": dead,
        "keys": [random_key(chance, tag).hex() for _ in range(keys_count)],
    }


def random_servers(chance):
    count = chance.choice((1, 2, 3, 4, 8, 25, chance.randrange(1, 60), chance.randrange(1, 200)))
    weights = chance.choice(((1,), (1, 2, 3), (1, 10, 100), (1, 7, 1000, 99999), (5_000_000,)))
    form = chance.choice(
        (
            "10.0.{0}.{1}:{2}:{3}",
            "10.0.{0}.{1}:{2}:{3} n{4}",
            "cache-{4}:{2}:{3}",
            "/run/r{4}.sock:{3}",
            "cache-{4}:11211:{3}",
            "::{4}:0{2}:{3}",
            "h:{2}:{3} 节点{4}",
        )
    )
    return [
        form.format(n // 250, n % 250 + 1, 6379 + n % 3, chance.choice(weights), n)
        for n in chance.sample(range(1000), count)
    ]


def random_key(chance, tag):
    """Short or long, text or any bytes; sometimes with the bytes of the tag, sometimes empty."""
    kind = chance.randrange(10)
    if kind < 4:
        key = b"user:%d" % chance.randrange(10 ** chance.randrange(1, 9))
    elif kind < 8:
        key = chance.randbytes(chance.randrange(0, 40))
    elif kind == 8:
        key = "größe/中文".encode() + chance.randbytes(chance.choice((3, 3, 3, 200)))
    else:
        key = b"%s:%d" % (b"abc{}$" * chance.randrange(3), chance.randrange(1000))
    if tag and chance.randrange(2):
        tag = tag.encode()
        key = key[:2] + tag[:1] + chance.randbytes(chance.randrange(0, 6)) + tag[1:] + key[2:]
    return key
