#!/usr/bin/python3
"""Checks the alert rules and the Grafana dashboard against a real Prometheus.

First without a server: promtool checks the rules and runs the cases of rules.yml, and the dashboard
must follow Grafana's schema (schema.py). Then Debian's Prometheus scrapes onehop-status.php of two
hosts (two times nginx and php-fpm). Of their nodes one is dead, and one is slow and has too few
connections. The hosts differ in a weight; later one rejects its file and the other one stops.
Every alert must fire, and every query of the dashboard must find series. The rules are used as they
are, except that each `for:` is 0 s. Prints one line per failure and ends with "N passed, N failed".
"""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "conformance"))

from lab import LabError, Process, RedisNode, free_port  # noqa: E402
from lab.fpm import Fpm  # noqa: E402
from lab.nginx import Nginx  # noqa: E402
from launch import Findings, fetch  # noqa: E402 (the path above finds it)

RULES = os.path.join(ROOT, "monitoring/onehop.rules.yml")
PAGE = os.path.join(ROOT, "php-ext/onehop-status.php")
DASHBOARD = os.path.join(ROOT, "monitoring/onehop-dashboard.json")

# Pool beta has one connection for each node. A transaction keeps it for longer than `timeout`, so a
# worker that runs this script meanwhile waits for it and then fails. The script in Lua is slower
# than OneHopCallsSlow allows.
LOAD = """<?php
$alpha = new OneHop\\Redis('alpha', $_GET['config']);
for ($i = 0; $i < 20; $i++) {
    try {
        $alpha->get("key:$i");
    } catch (OneHop\\NodeDown) {
    }
}
$beta = new OneHop\\Redis('beta', $_GET['config']);
$script = "local function now() local t = redis.call('TIME') return t[1] * 1e6 + t[2] end
    local start = now() while now() - start < 200000 do end return 1";
try {
    $beta->eval($script, ['key'], 1);
    $beta->multi();
    $beta->get('key');
    usleep(2_200_000);
    $beta->exec();
} catch (OneHop\\Exception) {
}
echo 'loaded';
"""
CONFIG = """alpha:
  listen: 127.0.0.1:22121
  redis: true
  timeout: 30000
  servers:
   - {one}
   - {two}
   - {dead}
beta:
  listen: 127.0.0.1:22122
  redis: true
  timeout: 2000
  pool_size: 1
  servers:
   - {one}
   - {weighted}
"""
PROMETHEUS = """global:
  scrape_interval: 500ms
  evaluation_interval: 500ms
rule_files: [onehop.rules.yml]
scrape_configs:
  - job_name: onehop
    metrics_path: {page}
    params: {{format: [prometheus]}}
    static_configs:
      - targets: {targets}
"""


def run(*command):
    """(True if it ended with 0, its output)"""
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.returncode == 0, done.stdout


def check_without_server(findings):
    tools = run(".ci/tools")[1].split("\n")[-2]
    here = "monitoring/tests"
    findings.expect("promtool check rules", *run("promtool", "check", "rules", RULES))
    findings.expect("promtool test rules", *run("promtool", "test", "rules", f"{here}/rules.yml"))
    schema = run(f"{tools}/bin/python", f"{here}/schema.py", DASHBOARD)
    findings.expect("the dashboard follows Grafana's schema", *schema)
    with open(os.path.join(ROOT, "docs/operations.md")) as page:
        text = page.read()
    documented = set(re.findall(r"^\| `(OneHop\w+)`", text, re.MULTILINE))
    findings.expect("docs/operations.md lists the alerts", documented == alerts(), documented)
    config = re.search(r"```yaml\n(rule_files:.*?)```", text, re.DOTALL).group(1)
    with tempfile.NamedTemporaryFile("w", suffix=".yml", dir=os.path.dirname(RULES)) as file:
        file.write(config)
        file.flush()
        checked = run("promtool", "check", "config", file.name)
    findings.expect("its configuration of Prometheus is correct", *checked)


def alerts():
    with open(RULES) as rules:
        return set(re.findall(r"- alert: (\w+)", rules.read()))


class Host:
    """A php-fpm with workers that call the nodes, and nginx, which serves the status page."""

    def __init__(self, config):
        self.port = free_port()
        self.fpm = Fpm(workers=4, settings={"extension": f"{ROOT}/php-ext/modules/onehop.so"})
        self.nginx = Nginx(self.fpm, self.port)
        self.script, self.config = map(self.path_of, ("load.php", "pools.yml"))
        for path, text in ((self.script, LOAD), (self.config, config)):
            with open(path, "w") as file:
                file.write(text)

    def path_of(self, name):
        return os.path.join(self.fpm.process.directory, name)

    def load(self):
        status, answer = self.fpm.request(self.script, query=f"config={self.config}", seconds=60)
        if answer != b"loaded":
            raise LabError(f"{self.script}: {status}\n{self.fpm.process.log_tail()}")

    def reject_file(self):
        with open(self.config, "w") as file:
            file.write("rubbish")

    def stop(self):
        self.nginx.stop()
        self.fpm.stop()


class Prometheus:
    def __init__(self, hosts):
        with open(RULES) as rules:
            immediate = re.sub(r"^( +for:) \w+$", r"\1 0s", rules.read(), flags=re.MULTILINE)
        targets = json.dumps([f"127.0.0.1:{host.port}" for host in hosts])
        self.base = f"http://127.0.0.1:{free_port()}"
        self.process = Process(
            [
                "prometheus",
                "--config.file=prometheus.yml",
                "--storage.tsdb.path=data",
                f"--web.listen-address={self.base.removeprefix('http://')}",
            ],
            files={
                "onehop.rules.yml": immediate,
                "prometheus.yml": PROMETHEUS.format(page=PAGE, targets=targets),
            },
        )

    def ask(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        return json.loads(fetch(f"{self.base}/api/v1/{path}?{query}"))["data"]

    def firing(self):
        """The firing alerts: {(name, server pool, node)}, '' for what an alert does not have."""
        try:
            found = self.ask("alerts")["alerts"]
        except OSError:
            return set()
        labels = [alert["labels"] for alert in found if alert["state"] == "firing"]
        return {
            tuple(each.get(name, "") for name in ("alertname", "pool", "node")) for each in labels
        }

    def fired(self):
        """The names of all alerts that have fired."""
        told = self.ask("query", query="count by (alertname) (last_over_time(ALERTS[10m]))")
        return {series["metric"]["alertname"] for series in told["result"]}

    def await_alerts(self, *expected, load=lambda: None):
        """Waits until each of them has fired, and keeps the load on meanwhile."""
        missing = set(expected)

        def all_have_fired():
            load()
            missing.difference_update(self.firing())
            return not missing

        try:
            self.process.wait_until(all_have_fired, what="fire all alerts", seconds=300)
        except LabError as error:
            raise LabError(f"{error}\nIt did not fire {sorted(missing)}.") from None


def check_with_server(findings):
    with RedisNode() as one, RedisNode() as two:
        lines = {
            "one": one.server_line(name="one"),
            "two": two.server_line(name="two"),
            "dead": f"127.0.0.1:{free_port()}:1 dead",
        }
        hosts = [
            Host(CONFIG.format(**lines, weighted=two.server_line(weight=weight, name="two")))
            for weight in (1, 2)
        ]
        prometheus = Prometheus(hosts)
        check_alerts(findings, prometheus, hosts)
        prometheus.process.stop()
        hosts[0].stop()


def check_alerts(findings, prometheus, hosts):
    calls = ("OneHopCallsFail", "OneHopCallsSlow", "OneHopConnectionsExhausted")
    expected = {
        ("OneHopNodeDown", "alpha", "dead"),
        ("OneHopPlacementDiffers", "beta", ""),
        *((name, "beta", "one") for name in calls),
    }
    with ThreadPoolExecutor() as threads:
        prometheus.await_alerts(
            *expected, load=lambda: list(threads.map(Host.load, [*hosts, *hosts]))
        )
    others = await_no_others(prometheus, expected)
    findings.expect("no other alert fires", not others, others)
    check_dashboard(findings, prometheus)
    hosts[0].reject_file()
    prometheus.await_alerts(("OneHopConfigRejected", "alpha", ""), load=hosts[0].load)
    hosts[1].stop()
    prometheus.await_alerts(("OneHopTargetGone", "", ""))
    # An alert that fires now has its first sample a moment later.
    prometheus.process.wait_until(
        lambda: prometheus.fired() >= alerts(), what="keep a sample of each alert", seconds=30
    )
    findings.expect("every alert has fired", prometheus.fired() == alerts(), prometheus.fired())
    for alert in prometheus.ask("alerts")["alerts"]:
        texts = " ".join(alert["annotations"].values())
        findings.expect("the text is whole", not re.search("<|  ", texts), texts)


def await_no_others(prometheus, expected):
    """The other alerts that fire, if they fire for half a minute: once without any is enough.

    A busy machine may make any node slow, and a target too late for a scrape.
    """
    deadline = time.monotonic() + 30
    while True:
        firing = prometheus.firing()
        others = {each for each in firing - expected if each[0] != "OneHopCallsSlow"}
        if (firing and not others) or time.monotonic() > deadline:
            return others or expected - firing
        time.sleep(0.5)


def check_dashboard(findings, prometheus):
    with open(DASHBOARD) as file:
        dashboard = json.load(file)
    for variable in dashboard["templating"]["list"][1:]:
        metric, label = re.fullmatch(
            r"label_values\((.+), (\w+)\)", filled(variable["query"]["query"])
        ).groups()
        values = prometheus.ask(f"label/{label}/values", **{"match[]": metric})
        findings.expect(f"values of ${variable['name']}", values)
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    for panel, target in itertools.chain.from_iterable(
        ((panel, target) for target in panel["targets"]) for panel in panels
    ):
        result = prometheus.ask("query", query=filled(target["expr"]))["result"]
        findings.expect(
            f"{panel['title']}, query {target['refId']}: finds series",
            any(series["value"][1] != "NaN" for series in result),
            target["expr"],
        )


def filled(query):
    """A query with Grafana's variables filled in: everything, in the last minute."""
    query = re.sub(r"\$(instance|pool|node)\b", ".*", query)
    return query.replace("$__rate_interval", "1m")


def main():
    findings = Findings()
    check_without_server(findings)
    check_with_server(findings)
    return findings.end()


if __name__ == "__main__":
    sys.exit(main())
