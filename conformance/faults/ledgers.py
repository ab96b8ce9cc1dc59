"""Two hosts that write and read: php-fpm workers, which share a segment, and a Java client.

with Ledgers(cluster) as ledgers:
    ...                          # move slots, kill masters
    records = ledgers.end()      # what each worker recorded, see ledger.php
"""

import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from built import EXTENSION, JAVA
from clusters import configure, tags_of
from figures import Figure
from lab import LabError, Process
from lab.cluster import SLOTS
from lab.fpm import Fpm
from lab.slots import until

HERE = os.path.dirname(os.path.abspath(__file__))
HOSTS = ("PHP", "Java")


class Ledgers:
    def __init__(self, cluster, workers=3, configure=configure, namespace=None, is_calm=False):
        """`configure` writes the configuration and returns its path, like clusters.configure.

        `is_calm`: workers pause after each batch, so that a short run leaves room for others.
        """
        self._directory = tempfile.TemporaryDirectory()
        if is_calm:
            self._signal("calm", "")
        self._signal("tags", ",".join(tags_of(range(SLOTS))))
        config = configure(cluster, self.directory)
        self._callers, self._java, self._fpm = ThreadPoolExecutor(workers), None, None
        command = [*JAVA, os.path.join(HERE, "Ledger.java")]
        try:
            self._java = Process(
                [*command, config, self.directory, workers],
                name="ledger",
                namespace=namespace,
                stdout=subprocess.PIPE,
            )
            self._fpm = Fpm(
                workers=workers + 1,
                namespace=namespace,
                settings={"extension": EXTENSION, "onehop.config": config, "memory_limit": "512M"},
            )
            self._php = [
                self._callers.submit(
                    self._ask, f"job=run&name=php{number}&directory={self.directory}"
                )
                for number in range(workers)
            ]
        except BaseException:
            self.__exit__()
            raise

    @property
    def directory(self):
        return self._directory.name

    def wait_until_at_work(self, cluster):
        """Returns once all hosts have written."""
        for host in HOSTS:
            until(
                lambda: any(node.command("KEYS", f"*{host.lower()}0") for node in cluster.nodes),
                f"{host} has written",
            )

    def work_in_pairs(self):
        self._signal("pairs", "")

    def redirects(self):
        """How many redirects the php-fpm workers have followed."""
        return int(self._ask("job=status"))

    def end(self):
        """({host: [records of a worker]}, redirects that the Java client has followed)"""
        self._signal("stop", "")
        php = {"PHP": [json.loads(ledger.result()) for ledger in self._php]}
        java = json.loads(self._java.child.communicate(timeout=120)[0] or "null")
        if java is None:
            raise LabError("Java's ledger ended without output\n" + self._java.log_tail())
        return {**php, "Java": java["ledgers"]}, java["redirects"]

    def _ask(self, query):
        status, body = self._fpm.request(
            os.path.join(HERE, "ledger.php"), query=query, seconds=3600
        )
        if status != 200 or not body or body[:1] not in b"{0123456789":
            shown = body[:2000].decode(errors="replace")
            raise LabError(f"PHP's ledger: {status} {shown}\n{self._fpm.process.log_tail()}")
        return body

    def _signal(self, name, text):
        with open(os.path.join(self.directory, name), "w") as file:
            file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._signal("stop", "")
        for process in (self._java, self._fpm):
            if process:
                process.stop()
        self._callers.shutdown()
        self._directory.cleanup()


def promises(records, is_lost_excused=lambda loss: False):
    """The promises that hold whatever happens. Prints how much the hosts did."""
    for host, workers in records.items():
        done = ", ".join(
            f"{sum(worker[what] for worker in workers)} {what}"
            for what in ("batches", "writes", "reads")
        )
        print(f"  {host}, {len(workers)} workers: {done}")
    workers = [worker for workers in records.values() for worker in workers]
    wrong = [example for worker in workers for example in worker["wrong"]]
    lost = [loss for worker in workers for loss in worker["lost"]]
    unexcused = [loss for loss in lost if not is_lost_excused(loss)]
    excused = len(lost) - len(unexcused)
    if excused:
        print(
            "  acknowledged writes lost with their master, which asynchronous replication allows: "
            f"{excused}"
        )
    for example in wrong[:3] + [loss[2] for loss in unexcused[:3]]:
        print("   ", example)
    return [
        Figure("wrong replies", len(wrong), 0, is_hard=True),
        Figure("acknowledged writes that are lost", len(unexcused), 0, is_hard=True),
    ]
