#!/usr/bin/python3
"""Checks onehop-status.php in headless Chromium, with Debian's chromedriver.

Two nodes answer and one does not. The name of the third would be markup if it were not escaped. A
second server pool has thirty nodes with long names. PHP's own web server serves the pages, so one
process makes the calls and shows them. The checks are of words, widths, colours in light and dark
mode, and errors that the browser reports. `--keep DIRECTORY` saves the screenshots there. Prints
one line per failure and ends with "N passed, N failed".
"""

import argparse
import base64
import json
import os
import re
import sys
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "conformance"))

from lab import LabError, Process, RedisNode, free_port  # noqa: E402
from launch import Findings, fetch  # noqa: E402 (the path above finds it)

EVIL = "<b>evil</b>&amp;\"'"
ROUTER = """<?php
if ($_SERVER['SCRIPT_NAME'] !== '/load') {
    require 'ROOT/php-ext/onehop-status.php';
    return;
}
if (isset($_GET['many'])) {
    $redis = new OneHop\\Redis('beta');
    try {
        $redis->mGet(range(0, 300));
    } catch (OneHop\\PartialBatch) {
    }
}
$redis = new OneHop\\Redis('alpha');
for ($i = 0; $i < 300; $i++) {
    try {
        $redis->get(md5("$i"));
    } catch (OneHop\\NodeDown) {
    }
}
echo 'loaded';
""".replace("ROOT", ROOT)
CONFIG = """alpha:
  listen: 127.0.0.1:22121
  redis: true
  timeout: 2000
  servers:
   - {}
   - {}
   - '127.0.0.1:{}:1 {}'
"""
MANY = """beta:
  listen: 127.0.0.1:22122
  redis: true
  servers:
"""
LONG_NAME = "cache-node-with-a-long-name-{:02}.eu-central-1.production.example.org"
# Legibility: the contrast of each text with its background, as WCAG defines it.
CONTRASTS = """
const channel = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((part) => channel(part / 255))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (element) => {
    for (; element; element = element.parentElement) {
        const color = getComputedStyle(element).backgroundColor;
        if (!/, 0\\)$/.test(color)) { return color; }
    }
};
const texts = 'h1, h2, p, td, th, small, a, .up, .down, .bad, footer span';
return Math.min(...[...document.querySelectorAll(texts)].map((element) => {
    const pair = [light(getComputedStyle(element).color), light(behind(element))];
    pair.sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
}));
"""


# Lists the elements that are cut off or reach beyond the window.
CUT = """
const wide = [...document.querySelectorAll('body *:not(svg *)')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth || box.left < 0
        || (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
            && getComputedStyle(element).overflowX !== 'visible'));
});
return wide.map((element) => element.outerHTML.slice(0, 100));
"""


class Browser:
    """One window of Chromium."""

    def __init__(self):
        port = free_port()
        self.driver = Process(["chromedriver", f"--port={port}"])
        self.base = f"http://127.0.0.1:{port}"
        self.driver.wait_until(lambda: self.is_ready(), what="listen")
        options = {
            "args": [
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                f"--user-data-dir={self.driver.directory}/profile",
            ]
        }
        answer = self.tell(
            "POST",
            "/session",
            {
                "capabilities": {
                    "alwaysMatch": {
                        "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL"},
                    }
                }
            },
        )
        self.base += f"/session/{answer['sessionId']}"

    def is_ready(self):
        try:
            return self.tell("GET", "/status")["ready"]
        except OSError:
            return False

    def tell(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path,
            method=method,
            headers={"Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode(),
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise LabError(f"chromedriver, {path}: {error.read().decode()[:500]}") from error

    def open(self, url):
        self.tell("POST", "/url", {"url": url})

    def ask(self, script):
        return self.tell("POST", "/execute/sync", {"script": script, "args": []})

    def resize(self, width, height, scheme):
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.devtools(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def devtools(self, command, **parameters):
        return self.tell("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def complaints(self):
        return [entry["message"] for entry in self.tell("POST", "/se/log", {"type": "browser"})]

    def screenshot(self):
        return base64.b64decode(self.tell("GET", "/screenshot"))

    def stop(self):
        self.tell("DELETE", "")
        self.driver.stop()


def look_at_words(browser, findings):
    findings.expect(
        "the title names the host",
        browser.ask("return document.title").startswith("down: OneHop on "),
    )
    findings.expect(
        "the server pool is shown",
        browser.ask("return [...document.querySelectorAll('h2')].map((e) => e.innerText)")
        == ["alpha"],
    )
    heads = browser.ask("return [...document.querySelectorAll('tbody th')].map((e) => e.innerText)")
    findings.expect(
        "three nodes, the one that is down first",
        [head.split()[0] for head in heads[:3]] == [EVIL, "one", "two"],
        heads,
    )
    findings.expect(
        "names are escaped",
        browser.ask(
            "return document.querySelector('main b') === null && document.scripts.length === 0"
        ),
    )
    look_at_states(browser, findings)
    totals = browser.ask(
        "return document.querySelector('tfoot').innerText.split(/[\\t\\n]+/).map((e) => e.trim())"
    )
    findings.expect(
        "totals",
        totals[:4] == ["3 nodes", "2 up", "0 leased, 2 idle", "300"] and totals[4] == totals[5],
        totals,
    )
    findings.expect(
        "the shares fill the ring",
        browser.ask(
            "return [...document.querySelectorAll('.ring rect')]"
            ".reduce((sum, e) => sum + e.width.baseVal.value, 0)"
        )
        > 999,
    )


def look_at_states(browser, findings):
    states = browser.ask(
        "return [...document.querySelectorAll('tbody td.state')].map((e) => e.innerText)"
    )
    verdict = browser.ask("return document.querySelector('.verdict.down').innerText")
    findings.expect(
        "the verdict names the pool, and the share of keys that fail",
        re.fullmatch(
            r"Server pool alpha: 1 of 3 nodes is down: calls for \d\d\.\d % of the keys fail\.",
            verdict,
        ),
        verdict,
    )
    findings.expect(
        "states of the nodes",
        states[0].startswith("resting")
        and states[0].endswith("no answer yet")
        and all(re.fullmatch(r"up\s+answered \d+ s ago", state) for state in states[1:3]),
        states,
    )
    findings.expect(
        "the reason why a node rests",
        browser.ask("return document.querySelector('.reason').innerText")
        == "Connection refused while connecting",
    )


def look_at_shape(browser, findings, keep, what):
    colors = {}
    for scheme in ("light", "dark"):
        for width in (1280, 820, 390):
            browser.resize(width, 900, scheme)
            cut = browser.ask(CUT)
            findings.expect(f"{scheme}, {width}: {what}: nothing is cut", not cut, cut[:3])
            image = browser.screenshot()
            findings.expect(
                f"{scheme}, {width}: {what}: has a screenshot",
                image.startswith(b"\x89PNG") and len(image) > 10_000,
            )
            if keep:
                with open(os.path.join(keep, f"status-{what}-{scheme}-{width}.png"), "wb") as file:
                    file.write(image)
        colors[scheme] = browser.ask("return getComputedStyle(document.body).backgroundColor")
        contrast = browser.ask(CONTRASTS)
        findings.expect(f"{scheme}: {what}: is legible", contrast >= 4.5, contrast)
    findings.expect("light and dark differ", colors["light"] != colors["dark"], colors)


def look_at_links(browser, findings, url):
    browser.ask("document.querySelector('header a').click()")
    findings.expect(
        "the page can refresh itself",
        browser.ask("return document.querySelector('meta[http-equiv=refresh]')?.content") == "5",
    )
    findings.expect(
        "the page offers to stop refreshing itself",
        browser.ask("return document.querySelector('header a').innerText") == "stop",
    )
    links = browser.ask("return [...document.querySelectorAll('footer a')].map((e) => e.href)")
    findings.expect(
        "there are links to three more formats and to the documentation",
        len(links) == 4 and links[3].endswith("/docs/operations.md"),
        links,
    )
    for link in links[:3]:
        findings.expect(
            f"{link} lists the nodes",
            "two" in fetch(link) and "127.0.0.1" in fetch(url + "?format=json"),
        )


def look_at_refusal(page, browser, findings, url):
    with open(os.path.join(page.directory, "alpha.yml"), "w") as file:
        file.write("rubbish")
    page.wait_until(
        lambda: fetch(url + "load") and '"ok": false' in fetch(url + "?format=json"),
        what="refuse the file",
    )
    for scheme in ("light", "dark"):
        browser.resize(390, 900, scheme)
        browser.open(url)
        seen = browser.ask("return document.querySelector('.verdict.refused').innerText")
        findings.expect(
            "a rejected file is a verdict: since when and why",
            seen.startswith("Server pool alpha: the file is refused since 20")
            and "alpha.yml, line 1: " in seen,
            seen,
        )
        findings.expect(
            f"{scheme}: the refusal fits",
            browser.ask("return document.documentElement.scrollWidth <= innerWidth"),
        )
        contrast = browser.ask(CONTRASTS)
        findings.expect(f"{scheme}: the refusal is legible", contrast >= 4.5, contrast)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", metavar="DIRECTORY", help="where to save the screenshots")
    keep, findings, port = parser.parse_args().keep, Findings(), free_port()
    with RedisNode() as one, RedisNode() as two:
        config = CONFIG.format(
            one.server_line(name="one"),
            two.server_line(name="two"),
            free_port(),
            EVIL.replace("'", "''"),
        )
        many = "".join(
            f"   - {one.server_line(name=LONG_NAME.format(number))}\n" for number in range(29)
        )
        dead = f"   - 127.0.0.1:{free_port()}:1 {LONG_NAME.format(29)}\n"
        look(config + MANY + many + dead, port, findings, keep)
    return findings.end()


def look(config, port, findings, keep):
    with Process(
        [
            "php",
            "-d",
            f"extension={ROOT}/php-ext/modules/onehop.so",
            "-d",
            "onehop.config=alpha.yml",
            "-S",
            f"127.0.0.1:{port}",
            "router.php",
        ],
        name="page",
        files={"router.php": ROUTER, "alpha.yml": config},
    ) as page:
        url = f"http://127.0.0.1:{port}/"
        page.wait_until(lambda: is_loaded(url), what="serve")
        browser = Browser()
        browser.resize(1500, 900, "light")
        browser.open(url)
        look_at_words(browser, findings)
        look_at_shape(browser, findings, keep, "three-nodes")
        look_at_links(browser, findings, url)
        fetch(url + "load?many=1")
        browser.open(url)
        look_at_shape(browser, findings, keep, "thirty-nodes")
        look_at_refusal(page, browser, findings, url)
        complaints = browser.complaints()
        findings.expect("the browser reports no errors", not complaints, complaints)
        browser.stop()


def is_loaded(url):
    try:
        return fetch(url + "load") == "loaded"
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
