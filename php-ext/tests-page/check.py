#!/usr/bin/python3
"""onehop-status.php in a browser: what users see, in headless Chromium with Debian's chromedriver.

There are two nodes that answer and one that does not; its name would be markup if it were not
escaped. The pages come from PHP's own web server, so one process makes the calls and shows them.
Checked are words, widths, colours in light and dark mode, and the browser's own complaints.
`--keep DIRECTORY` saves the screenshots there. Prints one line per finding and ends with
"N passed, N failed".
"""

import argparse
import base64
import json
import os
import sys
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "conformance"))

from lab import LabError, Process, RedisNode, free_port  # noqa: E402 (the path above finds it)

EVIL = "<b>evil</b>&amp;\"'"
ROUTER = """<?php
if ($_SERVER['SCRIPT_NAME'] !== '/load') {
    require 'ROOT/php-ext/onehop-status.php';
    return;
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


class Findings:
    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, what, is_so, seen=""):
        self.passed, self.failed = self.passed + bool(is_so), self.failed + (not is_so)
        if not is_so:
            print(f"not so: {what} {seen}")


def fetch(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


def look_at_words(browser, findings):
    findings.expect(
        "the title names the host", browser.ask("return document.title").startswith("OneHop on ")
    )
    findings.expect(
        "a server pool",
        browser.ask("return [...document.querySelectorAll('h2')].map((e) => e.innerText)")
        == ["alpha"],
    )
    heads = browser.ask("return [...document.querySelectorAll('tbody th')].map((e) => e.innerText)")
    findings.expect(
        "three nodes by name, sorted",
        [head.split()[0] for head in heads] == ["one", "two", EVIL],
        heads,
    )
    findings.expect(
        "names are escaped",
        browser.ask(
            "return document.querySelector('main b') === null && document.scripts.length === 0"
        ),
    )
    states = browser.ask(
        "return [...document.querySelectorAll('tbody th + td')].map((e) => e.innerText)"
    )
    findings.expect(
        "states of the nodes",
        states[:2] == ["up", "up"] and states[2].startswith("resting"),
        states,
    )
    findings.expect(
        "why",
        browser.ask("return document.querySelector('.reason').innerText")
        == "Connection refused while connecting",
    )
    totals = browser.ask(
        "return document.querySelector('tfoot').innerText.split(/[\\t\\n]+/).map((e) => e.trim())"
    )
    findings.expect(
        "totals",
        totals[:3] == ["3 nodes", "2 up", "0 leased, 2 idle"] and totals[3] == "300",
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


def look_at_shape(browser, findings, keep):
    colors = {}
    for scheme in ("light", "dark"):
        for width in (1500, 390):
            browser.resize(width, 900, scheme)
            findings.expect(
                f"{scheme}, {width}: fits",
                browser.ask("return document.documentElement.scrollWidth <= innerWidth"),
            )
            image = browser.screenshot()
            is_whole = browser.ask(
                "const e = document.querySelector('.scroll'); return e.scrollWidth <= e.clientWidth"
            )
            findings.expect(f"{scheme}, {width}: the table fits", is_whole or width < 1500)
            findings.expect(
                f"{scheme}, {width}: has a screenshot",
                image.startswith(b"\x89PNG") and len(image) > 10_000,
            )
            if keep:
                with open(os.path.join(keep, f"status-{scheme}-{width}.png"), "wb") as file:
                    file.write(image)
        colors[scheme] = browser.ask("return getComputedStyle(document.body).backgroundColor")
        contrast = browser.ask(CONTRASTS)
        findings.expect(f"{scheme}: is legible", contrast >= 4.5, contrast)
    findings.expect("light and dark differ", colors["light"] != colors["dark"], colors)


def look_at_links(browser, findings, url):
    browser.ask("document.querySelector('header a').click()")
    findings.expect(
        "it can refresh by itself",
        browser.ask("return document.querySelector('meta[http-equiv=refresh]')?.content") == "5",
    )
    findings.expect(
        "and stop again",
        browser.ask("return document.querySelector('header a').innerText") == "stop",
    )
    links = browser.ask("return [...document.querySelectorAll('footer a')].map((e) => e.href)")
    findings.expect("three more formats", len(links) == 3, links)
    for link in links:
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
        seen = browser.ask("return document.querySelector('.refused').innerText")
        findings.expect(
            "a rejected file: since when and why",
            seen.startswith("The file is refused since 20") and "alpha.yml, line 1: " in seen,
            seen,
        )
        findings.expect(
            f"{scheme}: it fits",
            browser.ask("return document.documentElement.scrollWidth <= innerWidth"),
        )
        contrast = browser.ask(CONTRASTS)
        findings.expect(f"{scheme}: it is legible", contrast >= 4.5, contrast)


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
        look(config, port, findings, keep)
    print(f"{findings.passed} passed, {findings.failed} failed")
    return 1 if findings.failed else 0


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
        look_at_shape(browser, findings, keep)
        look_at_links(browser, findings, url)
        look_at_refusal(page, browser, findings, url)
        complaints = browser.complaints()
        findings.expect("the browser does not complain", not complaints, complaints)
        browser.stop()


def is_loaded(url):
    try:
        return fetch(url + "load") == "loaded"
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
