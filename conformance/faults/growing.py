"""Rings grow and shrink under load by docs/growing.md, and no key is lost.

First the published experiment: three nodes become six. PHP and Java look for 300,708 keys, with the
new ring alone, then with `moving_from`.

Then four nodes become six, and four again, while php-fpm, a PHP script that lives long and a JVM
read and write keys of all types (growing.php). Once all hosts have the new file, the mover begins;
it is killed 20 times. In the end the removed nodes must be empty, and all else be as the ledgers
say. Until all hosts have the new file, a write may be lost or undone: that is counted.
"""

import glob
import json
import os
import subprocess
import tempfile
import threading
import time

from built import EXTENSION, JAR, PHP, cli
from figures import Figure
from lab import LabError, Process, RedisNode
from lab.fpm import Fpm
from lab.slots import until

HERE = os.path.dirname(os.path.abspath(__file__))
# Of the published experiment: where its nodes were, and the share of keys that it found.
PUBLISHED = [f"192.168.2.{host}:{port}" for port in (10000, 10002) for host in (65, 66, 68)]
PUBLISHED_SHARE = 51.86
PUBLISHED_KEYS = 300_708
SMALL, LARGE = range(4), range(6)
# Who has a ledger. Requests use a ledger of php-fpm one after the other.
PAGES, SCRIPTS, THREADS = ("fpm0", "fpm1"), ("php0",), ("java0", "java1")
PAGE_ROUNDS = 10
RATE = "0"  # Of `onehop move`: no limit.
RECORD_BYTES = 20
BRIEF_S = 3  # As in growing.php.
EXPIRED_S = 30  # By then a node has removed all expired keys.
FOLLOWED_S = 1  # By then all calls that used the old file have ended.


class Fleet:
    """Nodes, and a file that names some of them."""

    def __init__(self, names):
        self._directory = tempfile.TemporaryDirectory(prefix="onehop-growing-")
        self.directory = self._directory.name
        self.path = os.path.join(self.directory, "onehop.yml")
        self.settings = {"extension": EXTENSION, "onehop.config": self.path}
        self.names, self.nodes = names, []
        try:
            self.nodes += [RedisNode() for _ in names]
        except BaseException:
            self.__exit__()
            raise

    def write(self, ring, old=()):
        """Replaces the file; returns its fingerprint."""
        text = "alpha:\n  engine: redis\n  timeout: 30000\n  servers:\n" + self._lines(ring)
        if old:
            text += "  moving_from:\n" + self._lines(old)
        with open(self.path + ".new", "w") as file:
            file.write(text)
        os.rename(self.path + ".new", self.path)
        return self.php("-r", "echo (new OneHop\\Topology('alpha'))->fingerprint();")

    def _lines(self, ring):
        return "".join(
            f"    - {self.nodes[number].server_line(name=self.names[number])}\n" for number in ring
        )

    def php(self, *words):
        """What a script of PHP prints."""
        return finished([*self.php_command, *words])

    @property
    def php_command(self):
        return [*PHP, "-d", f"onehop.config={self.path}", "-d", "memory_limit=1G"]

    def sizes(self):
        return [node.command("DBSIZE") for node in self.nodes]

    def signal(self, name):
        path = os.path.join(self.directory, name)
        open(path, "w").close()
        return path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.stop()
        self._directory.cleanup()


def finished(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise LabError(f"{command[0]} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def java_command(program, *words):
    return ["java", "-cp", JAR, os.path.join(HERE, program), *words]


# ---- The published experiment ----


def published(progress, keys):
    progress.step(f"growing: {keys} keys on three nodes, then on six")
    three, six = range(3), range(6)
    with Fleet(PUBLISHED) as fleet:
        found_php = os.path.join(HERE, "found.php")
        before = fleet.write(three)
        fleet.php(found_php, "write", keys)
        readers = [
            Process([*command, "read", keys, fleet.directory + "/stop"], stdout=subprocess.PIPE)
            for command in ([*fleet.php_command, found_php], java_command("Found.java", fleet.path))
        ]
        try:
            time.sleep(3)
            alone = fleet.write(six)
            time.sleep(3)
            shares = [sweep(fleet, keys)]
            fleet.write(three)
            time.sleep(3)
            moving = fleet.write(six, old=three)
            time.sleep(3)
            shares.append(sweep(fleet, keys))
            fleet.signal("stop")
            told = [json.loads(reader.child.communicate(timeout=60)[0]) for reader in readers]
        finally:
            for reader in readers:
                reader.stop()
    progress.done()
    for name, host in zip(("PHP", "Java"), told):
        for what, known in (("three", before), ("six", alone), ("six, moving_from", moving)):
            asked, found, _ = host["found"].get(known, [0, 0, 0])
            print(f"  {name}, load by the file with {what}: {found:,} of {asked:,} found")
    print(f"  each key asked once, published: {PUBLISHED_SHARE} % found;")
    print(f"    with six nodes: PHP {shares[0][0]:.2f} %, Java {shares[0][1]:.2f} %;")
    print(f"    with moving_from: PHP {shares[1][0]:.2f} %, Java {shares[1][1]:.2f} %")
    by_both = [host["found"].get(known, [0, 0, 0]) for host in told for known in (before, moving)]
    return [
        Figure("keys found with moving_from", min(shares[1]), 100.0, True, True, " %"),
        Figure("keys not found under load", sum(each[0] - each[1] for each in by_both), 0, True),
        Figure("failed calls of readers", sum(len(host["failures"]) for host in told), 0, True),
    ]


def sweep(fleet, keys):
    """The share of keys that are found, in percent, by PHP and by Java."""
    answers = [
        fleet.php(os.path.join(HERE, "found.php"), "sweep", keys),
        finished(java_command("Found.java", fleet.path, "sweep", keys)),
    ]
    found = [next(iter(json.loads(answer)["found"].values())) for answer in answers]
    return [100 * right / asked for asked, right, _ in found]


# ---- Under load ----


class Load:
    """Hosts that read and write the keys of their ledgers."""

    def __init__(self, fleet, keys):
        self._fleet, self._epoch, self._told = fleet, int(time.time()), {}
        names = PAGES + SCRIPTS + THREADS
        for name in names:
            with open(os.path.join(fleet.directory, f"ledger-{name}"), "wb") as ledger:
                ledger.truncate(keys // len(names) * RECORD_BYTES)
        for name in names:
            self._take(name, self._script("fill", name))
        self._fpm, self._processes = None, []
        self._pages = [threading.Thread(target=self._request, args=(name,)) for name in PAGES]
        try:
            self._fpm = Fpm(workers=len(PAGES) + 1, settings=fleet.settings)
            self._processes = [
                Process(command, stdout=subprocess.PIPE) for command in self._commands()
            ]
            for page in self._pages:
                page.start()
        except BaseException:
            self.__exit__()
            raise

    def _words(self, job, name):
        return f"job={job}&name={name}&directory={self._fleet.directory}&epoch={self._epoch}"

    def _script(self, job, name):
        return json.loads(
            self._fleet.php(os.path.join(HERE, "growing.php"), self._words(job, name))
        )

    def _java(self, job, names):
        return java_command(
            "Growing.java", self._fleet.path, self._fleet.directory, self._epoch, job, *names
        )

    def _commands(self):
        script = os.path.join(HERE, "growing.php")
        yield from (
            [*self._fleet.php_command, script, self._words("work", name)] for name in SCRIPTS
        )
        yield self._java("work", THREADS)

    def _request(self, name):
        query = self._words("work", name) + f"&rounds={PAGE_ROUNDS}"
        while not os.path.exists(os.path.join(self._fleet.directory, "stop")):
            try:
                _, body = self._fpm.request(
                    os.path.join(HERE, "growing.php"), query=query, seconds=120
                )
                self._take(name, json.loads(body))
            except (OSError, ValueError, EOFError) as broken:
                self._take(
                    name, {"failures": [[0, 0, f"{broken}: {self._fpm.process.log_tail()}"]]}
                )
                return

    def _take(self, name, told):
        sums = self._told.setdefault(name, {"calls": 0, "unused": 0, "older": [], "failures": []})
        for what, value in told.items():
            sums[what] += value

    def now(self):
        return (time.time() - self._epoch) * 1000

    def follows(self, known):
        """Waits until all hosts have the file of this fingerprint."""

        def is_followed():
            files = glob.glob(os.path.join(self._fleet.directory, "follows-*"))
            return len(files) == len(self._told) and all(
                open(file).read() == known for file in files
            )

        until(is_followed, "all hosts have the new file")
        time.sleep(FOLLOWED_S)

    def end(self):
        """{name of a ledger: what its worker has printed}"""
        self._fleet.signal("stop")
        for page in self._pages:
            page.join()
        for process, names in zip(self._processes, [*([name] for name in SCRIPTS), THREADS]):
            told = json.loads(process.child.communicate(timeout=120)[0] or "null")
            if told is None:
                raise LabError("a worker ended without output\n" + process.log_tail())
            for name, one in zip(names, told if isinstance(told, list) else [told]):
                self._take(name, one)
        return self._told

    def check(self):
        """What each language reads, now that nobody writes: keys, and what is wrong with them."""
        names = list(self._told)
        told = [self._script("check", name) for name in names]
        return told + json.loads(finished(self._java("check", names)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._fleet.signal("stop")
        for page in self._pages:
            if page.ident:
                page.join()
        for process in (*self._processes, self._fpm):
            if process:
                process.stop()


class Mover:
    """`onehop move`, or a script: moves the rest of the keys, and is killed again and again."""

    SCRIPT = """
        $redis = new OneHop\\Redis('alpha');
        for ($cursor = null; ($keys = $redis->scan($cursor, '*', 1000)) !== false;) {
            $batch = $redis->pipeline();
            foreach ($keys as $key) { $batch->rawCommand('EXPIRE', $key, 1, 'GT'); }
            $batch->exec();
        }
    """

    def __init__(self, fleet, ring, old, is_script):
        self._fleet, self._is_script = fleet, is_script
        self._lasting = [number for number in ring if number in old]
        self._passing = [number for number in {*ring, *old} if number not in self._lasting]
        self._first, self.kills = self._placed(), 0

    def _placed(self):
        """How many keys are on nodes of only one ring: keys only come there, or only go."""
        sizes = self._fleet.sizes()
        return sum(sizes[number] for number in self._passing)

    def run(self, kills, expected):
        """Kills the mover each time it has moved some of the keys. Then lets it end."""
        while self.kills < kills:
            goal = abs(expected - self._first) * (self.kills + 1) / (kills + 2)
            with self._started() as mover:
                while mover.is_running and abs(self._placed() - self._first) < goal:
                    time.sleep(0.02)
                if not mover.is_running:
                    break
                mover.kill()
                self.kills += 1
        with self._started() as mover:
            if mover.child.wait() != 0:
                raise LabError("the mover failed\n" + mover.log_tail())

    def _started(self):
        command = (
            [*self._fleet.php_command, "-r", self.SCRIPT]
            if self._is_script
            else ["java", "-jar", cli(), "move", "--config", self._fleet.path, "--rate", RATE]
        )
        return Process(command, name="mover")


def changes(progress, keys, kills, is_short):
    figures = []
    with Fleet([f"node{number}" for number in LARGE]) as fleet:
        progress.step(f"growing: writing {keys} keys")
        fleet.write(SMALL)
        with Load(fleet, keys) as load:
            load.follows(fleet.write(SMALL))
            windows = []
            for ring, old, by_script in ((LARGE, SMALL, is_short), (SMALL, LARGE, False)):
                figures += change(progress, fleet, load, windows, ring, old, kills, by_script)
            time.sleep(1)
            told = load.end()
            progress.step("growing: reading all keys")
            time.sleep(BRIEF_S)
            checked = load.check()
            sizes, there = fleet.sizes(), placed_by(fleet)
    progress.done()
    return figures + judge(told, checked, windows, sizes, there)


def change(progress, fleet, load, windows, ring, old, kills, by_script):
    name = f"{len(old)} to {len(ring)} nodes"
    progress.step(f"growing: {name}")
    before, total = load.now(), sum(fleet.sizes())
    known = fleet.write(ring, old=old)
    load.follows(known)
    windows.append((before, load.now()))
    begun = time.monotonic()
    mover = Mover(fleet, ring, old, by_script)
    mover.run(kills, total // 3 if len(ring) > len(old) else 0)
    taken = time.monotonic() - begun
    left = keys_left(fleet, [number for number in old if number not in ring])
    load.follows(fleet.write(ring))
    seconds = (windows[-1][1] - windows[-1][0]) / 1000
    print(
        f"  {name}: {total:,} keys; hosts differed for at most {seconds:.1f} s;"
        f" the mover was killed {mover.kills} times in {taken:.0f} s"
    )
    return [
        Figure(f"{name}: kills of the mover", mover.kills, kills, is_least=True),
        Figure(f"{name}: keys on removed nodes", left, 0, is_hard=True),
    ]


def keys_left(fleet, removed):
    """How many keys the removed nodes still have once short-lived keys have expired."""
    deadline = time.monotonic() + EXPIRED_S
    while (left := sum(fleet.sizes()[number] for number in removed)) > 0:
        if time.monotonic() > deadline:
            break
        time.sleep(0.1)
    return left


def placed_by(fleet):
    """How many keys must exist according to the ledgers, without the short-lived ones."""
    count = 0
    for path in glob.glob(os.path.join(fleet.directory, "ledger-*")):
        with open(path, "rb") as ledger:
            words = memoryview(ledger.read()).cast("I")
        count += sum(words[at + 2] > 0 for at in range(0, len(words), 5) if at // 5 % 8 != 7)
    return count


def judge(told, checked, windows, sizes, there):
    """Writes and reads while hosts differed are excused, and so are their consequences."""

    def is_excused(older):
        _, _, at, begun, ended = older
        return any(
            first <= at <= last or (begun <= last and ended >= first) for first, last in windows
        )

    met = [older for one in told.values() for older in one["older"]]
    inside = {older[0] for older in met if is_excused(older)}
    outside = [older for older in met if not is_excused(older)]
    final = [older for one in checked for older in one["older"] if older[0] not in inside]
    final = [older for older in final if not is_excused(older)]
    failures = [failure for one in [*told.values(), *checked] for failure in one["failures"]]
    for name, one in told.items():
        print(f"  {name}: {one['calls']:,} calls, {one['unused']:,} reads of keys being written")
    print(f"  older than the last write while hosts differed: {len(met) - len(outside)}")
    for text in [older[1:] for older in outside[:5] + final[:5]] + failures[:5]:
        print("   ", *text)
    return [
        Figure("failed calls", len(failures), 0, is_hard=True),
        Figure("older than the last write, afterwards", len(outside), 0, is_hard=True),
        Figure("keys lost or wrong at the end", len(final), 0, is_hard=True),
        Figure("keys that no ledger has", max(0, sum(sizes) - there), 0, is_hard=True),
    ]


def run(progress, is_short):
    if is_short:
        return published(progress, 10_000) + changes(progress, 20_000, 2, is_short)
    return published(progress, PUBLISHED_KEYS) + changes(progress, 1_000_000, 20, is_short)
