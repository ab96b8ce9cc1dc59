"""Tests of the lab: what it starts works, and nothing outlives the program that started it.

Run as a program: `selftest.py [name of a test ...]`. Ends with "N passed, N failed".
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from lab import Cluster, Connection, LabError, Nutcracker, Process, RedisNode, ReplyError, slots
from lab.cluster import LargeCluster
from lab.fpm import Fpm
from lab.liar import lying_cluster
from lab.network import Namespace, Wire
from lab.node import ScriptedNode
from lab.nutcracker import check
from lab.ports import BLOCK
from lab.relay import Relay
from lab.resp import encode


class Servers(unittest.TestCase):
    def test_a_node_asks_for_its_password_and_restarts_empty(self):
        with RedisNode(password="secret", unix_socket=True) as node:
            node.command("SET", "key", "value")
            with Connection(node.path, password="secret") as connection:
                self.assertEqual(connection.command("GET", "key"), b"value")
            with Connection(node.address) as stranger, self.assertRaisesRegex(ReplyError, "NOAUTH"):
                stranger.command("GET", "key")
            node.restart()
            self.assertEqual(node.keys(), set())

    def test_a_paused_node_accepts_and_does_not_answer(self):
        with RedisNode() as node:
            node.pause()
            with (
                Connection(node.address, seconds=0.2) as connection,
                self.assertRaises(TimeoutError),
            ):
                connection.command("PING")
            node.resume()
            self.assertEqual(node.command("PING"), b"PONG")

    def test_nutcracker_spreads_keys_over_its_nodes(self):
        with (
            RedisNode() as one,
            RedisNode() as other,
            Nutcracker(
                {
                    "alpha": {
                        "redis": True,
                        "hash_tag": "{}",
                        "servers": [one.server_line(name="one"), other.server_line(2, "other")],
                    }
                }
            ) as proxy,
        ):
            with proxy.connect("alpha") as connection:
                self.assertEqual(
                    set(connection.pipeline([("SET", f"key:{n}", n) for n in range(1000)])), {b"OK"}
                )
            self.assertEqual(len(one.keys()) + len(other.keys()), 1000)
            self.assertTrue(one.keys() and other.keys())

    def test_nutcracker_judges_configurations(self):
        good = "alpha:\n  listen: 127.0.0.1:22121\n  servers:\n    - 127.0.0.1:6379:1\n"
        self.assertIsNone(check(good))
        self.assertIsNotNone(check(good.replace("listen", "lisen")))

    def test_a_cluster_serves_every_slot(self):
        with Cluster(3) as cluster:
            cluster.fill([(12182, ("SET", "foo", "bar"))])
            owner, stranger = cluster.node_of_slot(12182), cluster.node_of_slot(0)
            self.assertEqual(owner.command("GET", "foo"), b"bar")
            with self.assertRaisesRegex(ReplyError, f"MOVED 12182 127.0.0.1:{owner.port}"):
                stranger.command("GET", "foo")

    def test_each_master_has_its_replicas(self):
        with Cluster(2, 2) as cluster:
            for number, node in enumerate(cluster.nodes[2:], start=2):
                master = slots.identity(cluster.nodes[cluster.master_of(number)])
                self.assertEqual(slots.said_of_itself(node)[3], master)

    def test_a_slot_moves_with_its_keys(self):
        with Cluster(2) as cluster:
            cluster.fill([(12182, ("SET", "foo", "bar"))])
            target, source = cluster.nodes
            slots.begin_move(12182, source, target)
            slots.move_keys(12182, source, target, 1)
            with self.assertRaisesRegex(ReplyError, f"ASK 12182 127.0.0.1:{target.port}"):
                source.command("GET", "foo")
            slots.end_move(12182, source, target, cluster.nodes)
            self.assertEqual(
                (target.command("GET", "foo"), slots.owner(12182, source)), (b"bar", target.port)
            )

    def test_a_large_cluster_answers_for_all_its_nodes(self):
        with LargeCluster(1000, replicas=1) as cluster:
            self.assertEqual(len(cluster.nodes[0].command("CLUSTER", "SHARDS")), 1000)
            owner = next(master for master in range(1000) if 12182 in cluster.slots_of(master))
            with self.assertRaisesRegex(ReplyError, f"MOVED 12182 {cluster.name_of(owner)}$"):
                cluster.nodes[0].command("GET", "foo")

    def test_slots_are_given_to_a_later_node(self):
        with Cluster(2) as cluster:
            cluster.give(1, [0, 7])
            self.assertEqual(
                [entry[:2] for entry in cluster.nodes[0].command("CLUSTER", "SLOTS")][0:1], [[0, 0]]
            )

    def test_fpm_runs_a_script_in_one_of_its_workers(self):
        with (
            tempfile.NamedTemporaryFile("w", suffix=".php") as script,
            Fpm(workers=2, settings={"memory_limit": "77M"}) as fpm,
        ):
            script.write(
                "<?php http_response_code(404);"
                'echo getmypid(), " ", ini_get("memory_limit"), " ", $_GET["a"];'
            )
            script.flush()
            status, body = fpm.request(script.name, query="a=b")
            pid, limit, query = body.decode().split(" ")
            self.assertEqual((status, limit, query), (404, "77M", "b"))
            self.assertIn(int(pid), fpm.worker_pids())

    def test_a_server_that_cannot_start_says_why(self):
        with self.assertRaisesRegex(LabError, "(?s)redis .* ended with 1 .*no-such-option"):
            RedisNode(no_such_option="yes")


def assert_gone(pid):
    deadline = time.monotonic() + 30
    while os.path.exists(f"/proc/{pid}"):
        assert time.monotonic() < deadline, "a server outlived its program"
        time.sleep(0.01)


SERVE = [
    sys.executable,
    "-I",
    "-S",
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "serve.py"),
]


class Served(unittest.TestCase):
    """The lab as a separate process that reads lines of JSON."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="onehop-served-")
        self.lab = subprocess.Popen(
            [*SERVE, self.directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def tearDown(self):
        self.lab.stdin.close()
        self.lab.wait()
        self.lab.stdout.close()
        subprocess.run(["rm", "-rf", self.directory], check=True)

    def ask(self, what, **arguments):
        self.lab.stdin.write(json.dumps({"do": what, **arguments}).encode() + b"\n")
        self.lab.stdin.flush()
        answer = json.loads(self.lab.stdout.readline())
        if "failed" in answer:
            raise LabError(answer["failed"])
        return answer["is"]

    def test_all_it_has_started_ends_with_its_input(self):
        node = self.ask("redis", options=["--requirepass", "secret"])
        with Connection(("127.0.0.1", node["port"]), password="secret") as connection:
            self.assertEqual(connection.command("PING"), b"PONG")
        program = self.ask("start", command=["sleep", "60"])
        self.lab.stdin.close()
        self.lab.wait()
        self.assertFalse([pid for pid in (node["pid"], program) if os.path.exists(f"/proc/{pid}")])
        self.assertFalse(os.path.exists(self.directory))

    def test_all_it_has_started_ends_with_it(self):
        pids = [self.ask("redis")["pid"], self.ask("start", command=["sleep", "60"])]
        self.lab.kill()
        list(map(assert_gone, pids))

    def test_what_is_wrong_is_told_and_the_next_request_is_served(self):
        for wrong in (
            {"what": "nothing"},
            {"what": "redis", "no": 1},
            {"what": "stop", "pid": 1},
            {"what": "start", "command": ["no-such"]},
            {"what": "redis", "options": ["--no-such-option", "yes"]},
            {"what": "_keep", "process": 1},
        ):
            with self.assertRaises(LabError):
                self.ask(**wrong)
        self.assertTrue(self.ask("is_running", pid=self.ask("redis")["pid"]))

    def test_a_node_comes_back_to_its_cluster_at_another_port(self):
        nodes = self.ask("cluster", masters=2, options=["--cluster-node-timeout", "1500"])
        ports = [node["port"] for node in nodes]
        name = slots.identity(slots.Peer(ports[1]))
        self.ask("stop", pid=nodes[1]["pid"])
        back = self.ask("cluster_node", directory=nodes[1]["directory"])
        self.ask("await_known", node=back["port"], nodes=[ports[0], back["port"]])
        self.assertEqual(slots.identity(slots.Peer(back["port"])), name)

    def test_two_labs_never_have_a_port_in_common(self):
        ours = [self.ask("port") for _ in range(BLOCK)]
        with (
            tempfile.TemporaryDirectory() as directory,
            subprocess.Popen(
                [*SERVE, os.path.join(directory, "other")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            ) as other,
        ):
            theirs = other.communicate(b'{"do": "port"}\n' * BLOCK)[0]
        theirs = [json.loads(line)["is"] for line in theirs.splitlines()]
        self.assertEqual(len({*ours, *theirs}), 2 * BLOCK)


class Scripts(unittest.TestCase):
    def test_a_node_answers_by_its_script_and_waits_for_the_test(self):
        script = """
            for words in commands():
                if words[0] == "GET":
                    tell("asked")
                    wait("go on")
                    value("late " + test.what)
                elif words[0] == "BYE":
                    reset()
                else:
                    reply("*1", ":60")"""
        with ScriptedNode(script, {"what": "news"}) as node:
            with Connection(("127.0.0.1", node.port)) as connection:
                self.assertEqual(connection.command("HTTL"), [60])
                connection.socket.sendall(encode(["GET", b"\xff"]))
                while node.told != ["asked"]:
                    time.sleep(0.001)
                node.heard.add("go on")
                self.assertEqual(connection.stream.read(15), b"$9\r\nlate news\r\n")
                with self.assertRaises(ConnectionResetError):
                    connection.command("BYE")
            self.assertEqual([words[0] for _, words in node.commands], ["HTTL", "GET", "BYE"])
            node.stop()
            with self.assertRaises(ConnectionRefusedError):
                Connection(("127.0.0.1", node.port))

    def test_a_cluster_lies_as_it_is_told(self):
        one, other = lying_cluster(2)
        with one, other, Connection(("127.0.0.1", one.port)) as connection:
            ranges = connection.command("CLUSTER", "SLOTS")
            self.assertEqual([each[2][1] for each in ranges], [one.port, other.port])
            one.test.behaviour = 'f"-MOVED 5 127.0.0.1:{b}\\r\\n" if port == a else None'
            with self.assertRaisesRegex(ReplyError, f"MOVED 5 127.0.0.1:{other.port}"):
                connection.command("GET", "key")

    def test_a_relay_keeps_back_and_cuts(self):
        with RedisNode() as node, Relay(node.port) as relay:
            with Connection(("127.0.0.1", relay.port)) as connection:
                relay.hold(3)
                connection.socket.sendall(b"PING\r\n")
                self.assertEqual(connection.stream.read(3), b"+PO")
                relay.release()
                self.assertEqual(connection.stream.read(4), b"NG\r\n")
            relay.limit(3, of_node=True)
            with Connection(("127.0.0.1", relay.port)) as connection:
                connection.socket.sendall(b"PING\r\n")
                self.assertEqual(connection.stream.read(3), b"+PO")
                with self.assertRaises(ConnectionResetError):
                    connection.stream.read(1)
            self.assertEqual(relay.given, 10)


class Deaths(unittest.TestCase):
    """Ends a program that has started a node in several ways; the node must end with it."""

    PROGRAM = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from lab import RedisNode; node = RedisNode()\n"
        "print(node.pid, node.process.directory, flush=True); time.sleep(60)"
    )

    def end_with(self, number):
        """Sends a signal to a program that started a node; the node's pid and scratch directory."""
        command = [sys.executable, "-c", self.PROGRAM, sys.path[0]]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            pid, directory = child.stdout.readline().split()
            child.send_signal(number)
        return int(pid), directory

    def test_nothing_is_left_after_sigterm(self):
        pid, directory = self.end_with(signal.SIGTERM)
        assert_gone(pid)
        self.assertFalse(os.path.exists(directory))

    def test_no_process_is_left_after_sigkill(self):
        pid, directory = self.end_with(signal.SIGKILL)
        assert_gone(pid)
        subprocess.run(["rm", "-r", directory], check=True)  # No process was left to do it.

    def test_a_child_that_ignores_sigterm_is_killed(self):
        deaf = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"]
        with Process(deaf, stdout=subprocess.PIPE) as process:
            process.child.stdout.readline()
            process.stop(seconds=0.3)
            self.assertEqual(process.child.returncode, -signal.SIGKILL)


END = 255


class Wires(unittest.TestCase):
    def test_a_wire_delays_in_both_directions(self):
        with (
            Namespace() as near,
            Wire(near, far_count=2, delay_s=0.05) as wire,
            RedisNode(namespace=wire.far[1], host=wire.far[1].host) as node,
        ):
            with near.entered():
                connection = Connection(node.address)
            with connection:
                start = time.monotonic()
                self.assertEqual(connection.command("PING"), b"PONG")
                self.assertGreaterEqual(time.monotonic() - start, 0.1)

    def test_what_is_lost_depends_on_the_seed_alone(self):
        arrived = [self.arrived(seed) for seed in (1, 1, 2)]
        self.assertEqual(arrived[0], arrived[1])
        self.assertNotEqual(arrived[0], arrived[2])
        self.assertTrue(20 < len(arrived[0]) < 80, arrived[0])

    def arrived(self, seed):
        """Which of 100 datagrams survive a wire that loses half of them."""
        with Namespace() as near, Wire(near, loss=0.5, seed=seed) as wire:
            with wire.far[0].entered():
                receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            with near.entered():
                sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            with receiver, sender:
                receiver.bind((wire.far[0].host, 9))
                for number in range(100):
                    sender.sendto(bytes([number]), receiver.getsockname())
                # What arrives after an end arrives after everything that was sent before it.
                receiver.settimeout(0.1)
                numbers, deadline = [], time.monotonic() + 30
                while time.monotonic() < deadline and END not in numbers:
                    sender.sendto(bytes([END]), receiver.getsockname())
                    with contextlib.suppress(TimeoutError):
                        numbers += receiver.recv(1)
                return numbers[: numbers.index(END)]


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=[sys.argv[0], *sys.argv[1:]]).result
    failed = len(result.failures) + len(result.errors) + len(result.skipped)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
