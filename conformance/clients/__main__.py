"""The placements of other clients, asked of the clients themselves.

    make build && /usr/bin/python3 conformance/clients [NAME ...]

Each client places 100,000 keys (text, bytes, tags, UTF-8, the empty one) on several rings, and PHP
and Java have to place every one of them alike. NAME is a name of CLIENTS. Maven downloads the
clients of Java, apt-get those of Debian, into the directory ONEHOP_CLIENTS (/tmp/onehop-clients);
nothing is installed.
"""

import argparse
import functools
import os
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "spec/tools/reference")]

import libmemcached  # noqa: E402
import rings  # noqa: E402 (the paths above find it)
from suite.report import Report  # noqa: E402
from suite.testee import Testees  # noqa: E402

KEYS = 100_000
TESTEES = ("php", "java")
DIRECTORY = Path(os.environ.get("ONEHOP_CLIENTS", "/tmp/onehop-clients"))
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"


def jars(*artifacts):
    """A directory with the jars of these artifacts, or an empty one of that name."""
    directory = DIRECTORY / artifacts[0].replace(":", "-")
    directory.mkdir(parents=True, exist_ok=True)
    for artifact in artifacts:
        group, name, version = (*artifact.split(":"), "", "")[:3]
        if name and not (directory / f"{name}-{version}.jar").exists():
            words = ["mvn", "-q", "-B", COPY, f"-Dartifact={group}:{name}:{version}"]
            subprocess.run([*words, f"-DoutputDirectory={directory}"], check=True)
    return directory


def java(sources, artifacts, replaced=()):
    """Runs a program of Java with the jars of a client."""

    def run(text):
        directory = Path(jars("build")) / sources[0].removesuffix(".java")
        directory.mkdir(parents=True, exist_ok=True)
        for name in (*sources, "Keys.java"):
            source = (HERE / name).read_text()
            for old, new in replaced:
                source = source.replace(old, new)
            (directory / name).write_text(source)
        path = ":".join(str(jar) for jar in Path(jars(*artifacts)).glob("*.jar"))
        files = [str(directory / name) for name in (*sources, "Keys.java")]
        subprocess.run(["javac", "-nowarn", "-cp", path, "-d", directory, *files], check=True)
        return subprocess.run(
            ["java", "-cp", f"{directory}:{path}", "Main"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    return run


def jedis(version, program, package=""):
    artifacts = [
        f"redis.clients:jedis:{version}",
        "org.apache.commons:commons-pool2:2.11.1",
        "org.slf4j:slf4j-api:1.7.36",
        "org.json:json:20230227",
        "com.google.code.gson:gson:2.10.1",
    ]
    return java([program], artifacts, [("PACKAGE", package)])


def php(program):
    return lambda text: (
        subprocess.run(
            ["php", str(HERE / program)], input=text, capture_output=True, text=True, check=True
        ).stdout
    )


# What asks the client, and the rings.
CLIENTS = {
    "jedis-2.9.0": (jedis("2.9.0", "Sharded.java", "util"), rings.SHARDED_JEDIS_2_9),
    "jedis-2.10.2": (jedis("2.10.2", "Sharded.java", "util"), rings.SHARDED_JEDIS),
    "jedis-3.10.0": (jedis("3.10.0", "Sharded.java", "jedis.util"), rings.SHARDED_JEDIS),
    "jedis-4.4.8": (jedis("4.4.8", "Sharding.java"), rings.JEDIS_SHARDING),
    "jedis-5.2.0": (jedis("5.2.0", "Sharding.java"), rings.JEDIS_SHARDING),
    "jedis-6.2.0": (jedis("6.2.0", "Sharding.java"), rings.JEDIS_SHARDING),
    "redis-array": (php("redis_array.php"), rings.REDIS_ARRAY),
    "predis": (php("predis.php"), rings.PREDIS_HASHRING),
    "libmemcached": (
        functools.partial(libmemcached.ask, DIRECTORY / "libmemcached"),
        rings.LIBMEMCACHED_CONSISTENT,
    ),
    "spymemcached": (
        java(["Spymemcached.java"], ["net.spy:spymemcached:2.12.3"]),
        rings.SPYMEMCACHED,
    ),
}


def random_key(chance):
    kind = chance.randrange(10)
    if kind < 3:
        return b"user:%d" % chance.randrange(10 ** chance.randrange(1, 9))
    if kind < 5:
        return chance.randbytes(chance.randrange(0, 40))
    if kind < 7:
        tag = "".join(chance.choices("ab{}[]\n\r\u0085\u2028\u2029é\0 ", k=chance.randrange(6)))
        return f"{chance.randrange(9)}{{{tag}}}[{tag}]{chance.randrange(1000)}".encode()
    if kind < 9:
        letters = chance.choices("abcßé你好{}[]\0\n\u0085\u2028", k=chance.randrange(0, 24))
        return "".join(letters).encode()
    return chance.randbytes(3) + b"{%d}" % chance.randrange(1000)


def keys_of(chance):
    return [b"", b"a", b"\xff\xff\xff\xff", *(random_key(chance) for _ in range(KEYS - 3))]


def check(name, report, testees, keys):
    ask, all_rings = CLIENTS[name]
    lines = [str(len(keys)), *(key.hex() for key in keys), *(ring.line() for ring in all_rings)]
    answers = ask("\n".join(lines) + "\n").splitlines()
    for ring, answer in zip(all_rings, answers, strict=True):
        report.begin(f"{name}: {ring.about}")
        config, its_names = ring.config(), ring.names
        places = list(map(int, answer.split()))
        kept = [at for at, place in enumerate(places) if place >= 0]  # -1: no place.
        request = {
            "op": "place",
            "config": config,
            "pool": "p",
            "keys": [keys[at].hex() for at in kept],
        }
        for testee, (told,) in testees.ask([request]).items():
            names = [its_names[places[at]] for at in kept]
            wrong = [at for at, pair in enumerate(zip(names, told["nodes"])) if pair[0] != pair[1]]
            report.count(passed=len(names) - len(wrong))
            for at in wrong:
                where = f"on {told['nodes'][at]}, not {names[at]}"
                report.fail(f"{testee} puts {keys[kept[at]]!r} {where}")
        report.end()


def main():
    parser = argparse.ArgumentParser(description="Compares placements with the clients themselves.")
    parser.add_argument("names", nargs="*", default=list(CLIENTS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    chosen, report = parser.parse_args(), Report()
    print(f"seed {chosen.seed}", flush=True)
    testees, keys = Testees(TESTEES), keys_of(random.Random(chosen.seed))
    for name in chosen.names:
        check(name, report, testees, keys)
    testees.stop()
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
