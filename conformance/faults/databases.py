"""Callers with three databases share connections that are cut and silenced: no command crosses.

Each value has the number of its database. Callers check what they read. At the end each database of
each node is read directly, so a write that was executed elsewhere is found, too.
"""

import concurrent.futures
import contextlib
import json
import os
import random
import subprocess
import tempfile
import threading

from built import EXTENSION, JAVA
from figures import Figure
from lab import LabError
from lab.fpm import Fpm
from lab.redis import RedisNode
from lab.relay import Relay
from table import bold, show

CALLERS = 4
COMMANDS_OF_A_PAGE = 200
DATABASES = range(3)
NODES = 2
HERE = os.path.dirname(os.path.abspath(__file__))
CONFIG = "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  timeout: 200\n  servers:\n"


def run(progress, is_short):
    commands = 3000 if is_short else 1000000
    found = []
    for label, ask in (("php-fpm", ask_pages), ("Java", ask_jvm)):
        progress.step(f"databases: {label}")
        found.append((label, *measure(ask, commands)))
    progress.done()
    print(bold(f"\n{CALLERS} callers with {len(DATABASES)} databases; connections are cut\n"))
    show(
        ("client", "commands answered", "failed calls", "selects", "read crossings", "written"),
        [
            (
                label,
                f"{answer['commands']:,}",
                f"{answer['errors']:,}",
                f"{answer['selects']:,}",
                len(answer["wrong"]),
                len(strangers),
            )
            for label, answer, strangers in found
        ],
    )
    return [
        figure
        for label, answer, strangers in found
        for figure in (
            Figure(
                f"{label}: commands answered",
                answer["commands"],
                commands,
                is_hard=True,
                is_least=True,
            ),
            Figure(f"{label}: values of other databases", len(answer["wrong"]), 0, is_hard=True),
            Figure(f"{label}: writes into other databases", len(strangers), 0, is_hard=True),
        )
    ]


def measure(ask, commands):
    """The answers of the callers together, and the values that are in a wrong database."""
    with tempfile.TemporaryDirectory(prefix="onehop-databases-") as directory:
        nodes = [RedisNode() for _ in range(NODES)]
        try:
            answers = among_faults(ask, commands, nodes, directory)
            strangers = [
                value
                for node in nodes
                for database in DATABASES
                for value in values_of(node, database)
                if not value.startswith(b"%d of " % database)
            ]
        finally:
            for node in nodes:
                node.stop()
    total = {
        name: sum(one[name] for one in answers) for name in ("commands", "errors", "selects")
    } | {"wrong": [wrong for one in answers for wrong in one["wrong"]]}
    return total, strangers


def values_of(node, database):
    node.database = database
    keys = node.command("KEYS", "*")
    return node.command("MGET", *keys) if keys else []


def among_faults(ask, commands, nodes, directory):
    is_over = threading.Event()
    with contextlib.ExitStack() as stack:
        relays = [stack.enter_context(Relay(node.port)) for node in nodes]
        servers = (f"    - 127.0.0.1:{relay.port}:1 n{relay.port}\n" for relay in relays)
        config = os.path.join(directory, "onehop.yml")
        with open(config, "w") as file:
            file.write(CONFIG + "".join(servers))
        harm = threading.Thread(target=do_harm, args=(relays, is_over))
        harm.start()
        try:
            return ask(config, commands)
        finally:
            is_over.set()
            harm.join()


def do_harm(relays, is_over):
    """Cuts each connection after a few calls, and silences those of a node about once a second."""
    while not is_over.wait(0.1):
        for relay in relays:
            relay.limit(random.randint(100, 20000))
        if random.random() < 0.1:
            random.choice(relays).silence()


def ask_jvm(config, commands):
    source = os.path.join(HERE, "Databases.java")
    command = [*JAVA, source, config, str(commands), str(CALLERS)]
    jvm = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in jvm.stdout.splitlines()]


def ask_pages(config, commands):
    def ask(_):
        status, body = fpm.request(
            os.path.join(HERE, "databases.php"),
            query=f"config={config}&commands={COMMANDS_OF_A_PAGE}",
            seconds=60,
        )
        if status != 200:
            raise LabError(f"databases.php ended with {status}: {body[:300]!r}")
        return json.loads(body)

    with (
        Fpm(workers=CALLERS, settings={"extension": EXTENSION}) as fpm,
        concurrent.futures.ThreadPoolExecutor(CALLERS) as pool,
    ):
        answers = list(pool.map(ask, range(commands // COMMANDS_OF_A_PAGE)))
    for answer in answers[:-1]:
        answer["selects"] = 0  # Each answer has the counts of the whole host.
    return answers
