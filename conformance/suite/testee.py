"""The other side of protocol.md: starts testees, asks them in parallel, reads answers in order.

A testee that dies, hangs or writes anything but its answers makes the run fail with the end of its
log; every wait has a limit. One thread per testee writes the requests without waiting for answers,
so a full pipe in one direction cannot stop the other.
"""

import json
import os
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab.process import LabError, Process

ROOT = Path(__file__).resolve().parents[2]
# How each testee is started, from the root of the repository, after `make build`.
COMMANDS = {
    "php": ["php", "-d", "extension=php-ext/modules/onehop.so", "conformance/testees/testee.php"],
    "java": [
        *("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
        *("-jar", "java/testee/target/onehop-testee.jar"),
    ],
    "reference": ["/usr/bin/python3", "conformance/testees/reference.py"],
    "nutcracker": ["/usr/bin/python3", "conformance/testees/nutcracker.py"],
}
ANSWER_SECONDS = 120  # For one answer. The slowest correct answers take a second or two.


class Testee:
    def __init__(self, name, command):
        self.name = name
        self.process = Process(
            command, name=f"testee-{name}", cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.unsupported = set()

    def ask(self, requests):
        """The answers to many requests, in their order."""
        writer = threading.Thread(target=self._write, args=(requests,), daemon=True)
        writer.start()
        self.answered_at = time.monotonic()
        done = threading.Event()
        threading.Thread(target=self._kill_when_hung, args=(done,), daemon=True).start()
        try:
            answers = [self._read(number, request) for number, request in enumerate(requests)]
        finally:
            done.set()
        writer.join()
        self.unsupported |= {
            request["op"] for request, answer in zip(requests, answers) if is_unsupported(answer)
        }
        return answers

    def _write(self, requests):
        stdin = self.process.child.stdin
        try:
            for number, request in enumerate(requests):
                stdin.write(json.dumps({"id": number, **request}).encode() + b"\n")
            stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # The testee has died; the reading side reports it.

    def _kill_when_hung(self, done):
        while not done.wait(1):
            if time.monotonic() - self.answered_at > ANSWER_SECONDS:
                self.process.child.kill()
                return

    def _read(self, number, request):
        line = self.process.child.stdout.readline()
        self.answered_at = time.monotonic()
        shown = json.dumps(request)[:300]
        if not line:
            raise LabError(
                f"testee {self.name} ended or hung at {shown}\n{self.process.log_tail()}"
            )
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise LabError(f"testee {self.name} answered {line[:200]!r} to {shown}") from error
        if answer.get("id") != number:
            raise LabError(
                f"testee {self.name} answered with another id to {shown}: {line[:200]!r}"
            )
        return answer


def is_unsupported(answer):
    return answer.get("error") == "unsupported op"


class Testees:
    """All testees of a run, by name."""

    def __init__(self, names):
        unknown = set(names) - set(COMMANDS)
        if unknown:
            raise LabError(f"there is no testee {', '.join(sorted(unknown))}")
        for name in names:
            artefacts = [word for word in COMMANDS[name] if word.endswith((".jar", ".php", ".py"))]
            artefacts += [
                word.split("=", 1)[1] for word in COMMANDS[name] if word.startswith("extension=")
            ]
            for path in artefacts:
                if not os.path.exists(ROOT / path):
                    raise LabError(f"{path} is missing; run `make build`")
        self.all = {name: Testee(name, COMMANDS[name]) for name in names}

    def ask(self, requests, names=None):
        """{name: answers}. All testees work in parallel."""
        chosen = [testee for name, testee in self.all.items() if names is None or name in names]
        with ThreadPoolExecutor(max(1, len(chosen))) as threads:
            answers = list(threads.map(lambda testee: testee.ask(requests), chosen))
        return {testee.name: answer for testee, answer in zip(chosen, answers)}

    def implementations(self):
        """All testees but the judge."""
        return [name for name in self.all if name != "nutcracker"]

    def has_judge(self):
        return "nutcracker" in self.all

    def stop(self):
        for testee in self.all.values():
            testee.process.stop()
