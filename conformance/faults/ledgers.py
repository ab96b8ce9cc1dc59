"""Two hosts that write and read: workers of php-fpm, which share a segment, and a Java client with several threads.

with Ledgers(cluster) as ledgers:
    ...                          # move slots, kill masters
    told = ledgers.end()         # what each worker has met; ledger.php says what that is
"""

import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from built import EXTENSION, JAR
from clusters import configure, tags_of, until
from figures import Figure
from lab import LabError, Process
from lab.cluster import SLOTS
from lab.fpm import Fpm

HERE = os.path.dirname(os.path.abspath(__file__))
HOSTS = ("PHP", "Java")


class Ledgers:
    def __init__(self, cluster, workers=3):
        self._directory = tempfile.TemporaryDirectory()
        self._tell("tags", ",".join(tags_of(range(SLOTS))))
        config = configure(cluster, self.directory)
        self._callers, self._java, self._fpm = ThreadPoolExecutor(workers), None, None
        try:
            self._java = Process(
                [
                    "java",
                    "-cp",
                    JAR,
                    os.path.join(HERE, "Ledger.java"),
                    config,
                    self.directory,
                    workers,
                ],
                name="ledger",
                stdout=subprocess.PIPE,
            )
            self._fpm = Fpm(
                workers=workers + 1,
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
        """Returns when both hosts have written."""
        for host in HOSTS:
            until(
                lambda: any(node.command("KEYS", f"*{host.lower()}0") for node in cluster.nodes),
                f"value of {host}",
            )

    def work_in_pairs(self):
        self._tell("pairs", "")

    def redirects(self):
        """How many the workers of php-fpm have followed."""
        return int(self._ask("job=status"))

    def end(self):
        """{host: [what a worker has met]}, and how many redirects the Java client has followed."""
        self._tell("stop", "")
        java = json.loads(self._java.child.communicate(timeout=120)[0] or "null")
        if java is None:
            raise LabError("Java's ledger ended without a word\n" + self._java.log_tail())
        return {
            "PHP": [json.loads(ledger.result()) for ledger in self._php],
            "Java": java["ledgers"],
        }, java["redirects"]

    def _ask(self, query):
        status, body = self._fpm.request(
            os.path.join(HERE, "ledger.php"), query=query, seconds=3600
        )
        if status != 200 or not body or body[:1] not in b"{0123456789":
            raise LabError(
                f"PHP's ledger: {status} {body[:2000].decode(errors='replace')}\n{self._fpm.process.log_tail()}"
            )
        return body

    def _tell(self, name, text):
        with open(os.path.join(self.directory, name), "w") as file:
            file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tell("stop", "")
        for process in (self._java, self._fpm):
            if process:
                process.stop()
        self._callers.shutdown()
        self._directory.cleanup()


def promises(told, is_lost_excused=lambda loss: False):
    """What no host may have met, whatever happens; prints what they did."""
    for host, workers in told.items():
        total = {
            name: sum(worker[name] for worker in workers) for name in ("batches", "writes", "reads")
        }
        print(
            f"  {host}, {len(workers)} workers: {total['batches']} batches, {total['writes']} writes, {total['reads']} reads"
        )
    workers = [worker for workers in told.values() for worker in workers]
    wrong = [example for worker in workers for example in worker["wrong"]]
    lost = [loss for worker in workers for loss in worker["lost"]]
    unexcused = [loss for loss in lost if not is_lost_excused(loss)]
    if len(lost) > len(unexcused):
        print(
            f"  acknowledged writes that a master took with it, as asynchronous replication may: {len(lost) - len(unexcused)}"
        )
    for example in wrong[:3] + [loss[2] for loss in unexcused[:3]]:
        print("   ", example)
    return [
        Figure("wrong replies", len(wrong), 0, is_hard=True),
        Figure("acknowledged writes that are lost", len(unexcused), 0, is_hard=True),
    ]
