"""A name server that is slow or does not know a name: how long calls take, and what the keys of other nodes notice.

The programs that ask run in a namespace with a name server of their own (conformance/lab/dns.py): this file is started
again in there, as `names.py SECONDS FILE`, and leaves what it found in the file.
"""

import json
import os
import subprocess
import sys
import tempfile

if __name__ == "__main__":
    sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from built import EXTENSION, ROOT
from figures import Figure
from lab.fpm import Fpm
from lab.process import program
from lab.redis import RedisNode
from table import bold, show

TIMEOUT_MS, LONGEST_MS, WORKERS = 200, 225.0, 3
HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {
    "at-once": {"a": ["127.0.0.1"], "ttl": 1},
    "after-1-s": {"a": ["127.0.0.1"], "ttl": 1, "delay": 1},
    "after-5-s": {"a": ["127.0.0.1"], "ttl": 1, "delay": 5},
    "never": {"drop": True},
}


def run(progress, is_short):
    progress.step("names: php and php-fpm with five kinds of names")
    with tempfile.TemporaryDirectory(prefix="onehop-names-") as directory:
        zone, found = os.path.join(directory, "zone"), os.path.join(directory, "found")
        with open(zone, "w") as file:
            json.dump({f"{name}.test": entry for name, entry in NAMES.items()}, file)
        subprocess.run(
            [
                "unshare",
                "-m",
                "-n",
                "--",
                sys.executable,
                os.path.join(ROOT, "conformance/lab/dns.py"),
                zone,
                "--",
                sys.executable,
                os.path.join(HERE, "names.py"),
                "1" if is_short else "8",
                found,
            ],
            check=True,
        )
        with open(found) as file:
            rows = json.load(file)
    progress.done()
    print(bold(f"\nOne node of three is named, timeout: {TIMEOUT_MS}\n"))
    show(
        ("client", "name answered", "calls", "longest", "failed: named", "failed: others"),
        [
            (
                row["client"],
                row["name"],
                f"{row['calls']:,}",
                f"{row['longest']:.1f} ms",
                row["named"],
                row["others"],
            )
            for row in rows
        ],
    )
    return [
        figure
        for row in rows
        for figure in (
            Figure(
                f"{row['client']}, {row['name']}: longest call",
                row["longest"],
                LONGEST_MS,
                unit=" ms",
            ),
            Figure(
                f"{row['client']}, {row['name']}: failures of other nodes",
                row["others"],
                0,
                is_hard=True,
            ),
            Figure(
                f"{row['client']}, {row['name']}: may have been sent", row["sent"], 0, is_hard=True
            ),
        )
    ]


def ask_all(seconds):
    rows, nodes = [], [RedisNode() for _ in range(3)]
    try:
        for name in (*NAMES, "no-such-name"):
            for client, ask in (("command line", ask_script), ("php-fpm", ask_pages)):
                with tempfile.NamedTemporaryFile("w", suffix=".yml") as config:
                    config.write(
                        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n"
                        f"  timeout: {TIMEOUT_MS}\n  servers:\n   - {name}.test:{nodes[2].port}:1 named\n"
                        f"   - 127.0.0.1:{nodes[0].port}:1 node-0\n   - 127.0.0.1:{nodes[1].port}:1 node-1\n"
                    )
                    config.flush()
                    rows.append(
                        {
                            "client": client,
                            "name": name.replace("-", " "),
                            **ask(config.name, seconds),
                        }
                    )
    finally:
        for node in nodes:
            node.stop()
    return rows


def ask_script(config, seconds):
    return json.loads(
        subprocess.run(
            [
                program("php"),
                "-d",
                f"extension={EXTENSION}",
                os.path.join(HERE, "names.php"),
                config,
                str(seconds),
            ],
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
    )


def ask_pages(config, seconds):
    from concurrent.futures import ThreadPoolExecutor

    with (
        Fpm(workers=WORKERS, settings={"extension": EXTENSION}) as fpm,
        ThreadPoolExecutor(WORKERS) as callers,
    ):
        query = f"config={config}&seconds={seconds}"
        pages = [
            callers.submit(
                fpm.request, os.path.join(HERE, "names.php"), query=query, seconds=seconds + 10
            )
            for _ in range(WORKERS)
        ]
        answers = [json.loads(page.result()[1]) for page in pages]
    return {
        what: max(answer[what] for answer in answers)
        if what == "longest"
        else sum(answer[what] for answer in answers)
        for what in answers[0]
    }


if __name__ == "__main__":
    found = ask_all(float(sys.argv[1]))
    with open(sys.argv[2], "w") as output:
        json.dump(found, output)
