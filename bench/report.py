"""The pictures and tables of docs/performance*.md, and those of the README, from bench/results.

    $(.ci/tools)/bin/python bench/report.py     # draws the pictures and fills the tables
    /usr/bin/python3 bench/report.py --check    # fails if a page has other figures than the results

A table stands between `<!-- table NAME -->` and `<!-- end -->`. NAME is a job of jobs.json (PHP's
rows), `java.` and a job, or another name in tables(). No figure of these pages is typed by hand.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import tree

from open_loop import knees
from paths import JOBS, LABELS

ROOT = Path(tree.ROOT)
RESULTS = ROOT / "bench/results"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("performance*.md")))
PICTURES = ROOT / "docs/images/performance"
PLACE = re.compile(r"(<!-- table ([\w.]+) -->\n).*?(<!-- end -->)", re.DOTALL)

UNITS = {"keys": "{:,} keys", "nodes": "{} nodes", "bytes": "{:,} bytes", "delay_ms": "{} ms"}
UNITS |= {"threads": "{} threads"}
AXES = {"keys": "keys", "nodes": "nodes", "bytes": "bytes of a value", "delay_ms": "delay, ms"}
# Who is drawn, so that a picture has no more curves than can be told apart.
DRAWN = (
    "c.floor",
    "php.onehop",
    "php.phpredis",
    "php.array",
    "php.predis",
    "php.proxy.15",
    "php.onehop.cluster",
    "php.cached",
)
DRAWN_JOBS = ("nodes.pipeline",)


def load(name):
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


# ---- Numbers ----


def time_of(ns):
    """1.2 ms, 34 us"""
    if ns >= 1e6:
        return f"{ns / 1e6:.3g} ms" if ns < 1e9 else f"{ns / 1e9:.2f} s"
    return f"{ns / 1e3:.3g} us" if ns < 1e5 else f"{ns / 1e3:.0f} us"


def times(value):
    return f"{value:.2f}" if value < 9.95 else f"{value:.0f}"


def spread(ratio):
    """1.75 (1.41 to 2.03)"""
    if not ratio:
        return "-"
    low, high = ratio["middle_half"]
    return f"**{times(ratio['median'])}** ({times(low)} to {times(high)})"


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


# ---- Tables ----


def point(row, varies):
    value = row["parameters"].get(varies) if varies else None
    text = UNITS[varies].format(value) if varies in UNITS else str(value or "time")
    return text.removesuffix("s") if value == 1 and varies in ("nodes", "threads") else text


def rows_of(results, job, language="PHP"):
    """The rows of the contestants in this language, and of the floors in C."""
    return [
        row
        for row in results["rows"]
        if row["job"] == job
        and results["contestants"][row["contestant"]]["language"] in (language, "C")
    ]


def job_table(results, job, language):
    """OneHop's time, and how many times as long each other contestant takes."""
    varies, rows = results["jobs"][job]["varies"], rows_of(results, job, language)
    points = list(dict.fromkeys(point(row, varies) for row in rows))
    if not points:
        return ""
    cells = {(row["contestant"], point(row, varies)): row for row in rows}
    lines = []
    for name, about in results["contestants"].items():
        mine = [cells.get((name, at)) for at in points]
        if not any(mine):
            continue
        is_onehop = about["onehop"] == name
        say = (
            (lambda row: f"{time_of(row['median_ns'] / row['calls'])}")
            if is_onehop or about["onehop"] is None
            else (lambda row: spread(row["of_onehop"]))
        )
        lines.append([about["label"], *(say(row) if row else "-" for row in mine)])
    return markdown(["", *points], lines)


def dead_table(results, language):
    rows = rows_of(results, "dead", language)
    lines = [
        [
            results["contestants"][row["contestant"]]["label"],
            row["parameters"]["death"],
            time_of(row["median_ns"]),
            f"{row['right']:,.0f} of {row['parameters']['keys']:,}",
        ]
        for row in rows
        if row["contestant"] not in ("c.floor", "c.cluster")
    ]
    return markdown(["", "the node is", "a pipeline takes", "values that arrived"], lines)


# Figures of the batch of 1000 HGETs: title, contestant, the ratio in the contestant's row, bound.
FIGURES = (
    ("PHP: OneHop / raw C floor", "php.onehop", "of_floor", "<=", 1.2),
    ("PHP: phpredis node after node / OneHop", "php.phpredis", "of_onehop", ">=", 1.6),
    ("PHP: phpredis through nutcracker / OneHop", "php.proxy.15", "of_onehop", ">=", 5.5),
    ("Java: Jedis through nutcracker / OneHop", "java.proxy.15", "of_onehop", ">=", 3.0),
    ("Java: one Jedis pipeline on one node / OneHop", "java.one", "of_onehop", ">=", 0.95),
    ("Java: RedisClusterClient.pipelined() / OneHop", "java.cluster", "of_onehop", ">=", 1.8),
)


def batch(results):
    """{contestant: row} of 1000 HGETs on 4 nodes."""
    rows = [row for row in results["rows"] if row["job"] == "pipeline"]
    return {row["contestant"]: row for row in rows if row["parameters"]["keys"] == 1000}


def figures_table(results):
    """The figures of the batch beside their bounds."""
    rows, lines = batch(results), []
    for what, contestant, column, sign, bound in FIGURES:
        ratio = rows[contestant][column]
        median = round(ratio["median"], 2)
        is_met = median <= bound if sign == "<=" else median >= bound
        lines.append([what, spread(ratio), f"{sign} {bound}", "met" if is_met else "**missed**"])
    return markdown(["figure", "measured", "must be", ""], lines)


WORTH = (
    ("PHP", "through nutcracker", "php.proxy.15"),
    ("PHP", "phpredis, node after node", "php.phpredis"),
    ("Java", "through nutcracker", "java.proxy.15"),
    ("Java", "RedisClusterClient", "java.cluster"),
)


def worth_table(results):
    """The figures of the README: how much faster OneHop is than what a user has today."""
    rows = batch(results)
    lines = [
        [language, before, f"**{times(rows[name]['of_onehop']['median'])} times as fast**"]
        for language, before, name in WORTH
    ]
    return markdown(["1000 HGETs on 4 nodes", "before", "OneHop is"], lines)


class Published:
    """The table of what users have published: the template published.md, and its figures."""

    def __init__(self, results, placed):
        self.placed = placed
        self.cells = {
            (row["job"], row["contestant"], point(row, results["jobs"][row["job"]]["varies"])): row
            for row in results["rows"]
        }

    def table(self):
        template = (ROOT / "bench/published.md").read_text().partition("-->\n")[2]
        return re.sub(r"\{([^}]*)\}", lambda found: self.figure(*found[1].split()), template)

    def figure(self, name, *arguments):
        return getattr(self, name)(*(argument.replace("_", " ") for argument in arguments))

    def time(self, job, contestant, at="time"):
        return time_of(self._ns(job, contestant, at))

    def peak(self, contestant):
        """How long 200 batches in parallel take."""
        return time_of(self.cells["threads.pipeline", contestant, "200 threads"]["median_ns"])

    def per_second(self, job, contestant, at="time"):
        return f"{1e9 / self._ns(job, contestant, at):,.0f}/s"

    def ratio(self, job, contestant, other, at):
        return f"{self._ns(job, other, at) / self._ns(job, contestant, at):.2f}"

    def _ns(self, job, contestant, at):
        row = self.cells[job, contestant, at]
        return row["median_ns"] / row["calls"]

    def right(self, contestant):
        row = self.cells["dead", contestant, "killed"]
        return f"{row['right']:,.0f} of {row['parameters']['keys']:,}"

    def rate(self, place, test):
        """Requests a second of redis-benchmark. `place`: direct, or the nodes behind nutcracker."""
        return f"{self.placed['per_second'][place][test]:,}/s"

    def count(self, name):
        return f"{self.placed[name]:,}"

    def stay(self, distribution):
        return f"{100 * self.placed[f'stay_{distribution}']:.2f} %"


# ---- Rising load: bench/open_loop.py ----


def knees_table(load, job):
    """What each path answers at the rates that it holds."""
    found = knees(load["rows"])
    lines = []
    for path, words in LABELS.items():
        rows = [row for row in load["rows"] if (row["job"], row["path"]) == (job, path)]
        if (job, path) not in found:
            continue
        top = found[job, path][1]
        half = min(
            (row for row in rows if row["part"] == "rising"),
            key=lambda row: abs(row["offered"] - top["offered"] / 2),
        )
        lines.append([words, f"**{top['offered']:,.0f}**", *latencies(half), *latencies(top)])
    times_at = ["p50", "p99", "p99.9"]
    return markdown(
        ["", "requests a second", *[f"{each} at half of it" for each in times_at], *times_at], lines
    )


def latencies(row):
    return [time_of(row[name] * 1e3) for name in ("p50_us", "p99_us", "p999_us")]


def first_requests_table(load):
    return markdown(
        ["", "first request", "second request"],
        [
            [
                LABELS[row["path"]],
                time_of(row["first_p50_us"] * 1e3),
                time_of(row["second_p50_us"] * 1e3),
            ]
            for row in load["rows"]
            if row["part"] == "cold"
        ],
    )


def death_table(load):
    """The median in each second, and which share failed."""
    rows = [row for row in load["rows"] if row["part"] == "death"]
    return markdown(
        ["", *(f"{second} s" for second in range(len(rows[0]["seconds"])))],
        [
            [
                f"{LABELS[row['path']]}, {row['offered']:,.0f} a second",
                *(
                    f"{time_of(each['p50_us'] * 1e3)}; {each['failed'] / each['requests']:.0%}"
                    for each in row["seconds"]
                ),
            ]
            for row in rows
        ],
    )


def load_tables(load):
    found = {f"load.{job}": knees_table(load, job) for job in JOBS}
    return found | {"load.cold": first_requests_table(load), "load.death": death_table(load)}


def machine_table(results):
    return markdown(
        ["machine", ""], [[key, str(value)] for key, value in results["machine"].items()]
    )


def counts_table(results):
    """What one command costs, by bench/guard."""
    return markdown(
        ["one command", "costs"],
        [
            [road, f"{value:,.0f} {what}" if value >= 20 else f"{value:g} {what}"]
            for road, counts in results["counts"].items()
            for what, value in counts.items()
        ],
    )


def tables():
    """{name: text} of every table whose results are there."""
    found = {}
    jobs = load("jobs")
    for prefix, language in (("", "PHP"), ("java.", "Java")) if jobs else ():
        for job in jobs["jobs"]:
            table = dead_table(jobs, language) if job == "dead" else job_table(jobs, job, language)
            found[prefix + job] = table
    if jobs:
        found |= {
            "machine": machine_table(jobs),
            "published": Published(jobs, load("published")).table(),
            "figures": figures_table(jobs),
            "worth": worth_table(jobs),
        }
    under_load = load("open_loop")
    if under_load:
        found |= load_tables(under_load)
    guard = json.loads((ROOT / "bench/guard/counts.json").read_text())
    return found | {"counts": counts_table(guard)}


def filled(text, found, page):
    def fill(match):
        if match[2] not in found:
            sys.exit(f"{page}: there are no results for the table {match[2]}")
        return match[1] + "\n" + found[match[2]] + "\n" + match[3]

    return PLACE.sub(fill, text)


# ---- Pictures ----


def label(results, name):
    return results["contestants"][name]["label"]


def draw_curves(svg, results, job):
    about, rows = results["jobs"][job], rows_of(results, job)
    with svg.style():
        figure, axes = svg.subplots(1, 1, (7, 3.6))
        for colour, name in zip(svg.COLOURS, DRAWN):
            mine = [row for row in rows if row["contestant"] == name]
            if not mine:
                continue
            at = [row["parameters"][about["varies"]] for row in mine]
            spent = [row["median_ns"] / row["calls"] / 1e3 for row in mine]
            axes.plot(at, spent, marker="o", markersize=3, color=colour, label=label(results, name))
        axes.set_yscale("log")
        if about["varies"] != "delay_ms":
            axes.set_xscale("log", base=10 if about["varies"] == "keys" else 2)
        axes.set_xlabel(AXES[about["varies"]])
        axes.set_ylabel("us")
        axes.set_title(about["title"], loc="left")
        axes.xaxis.set_major_formatter("{x:,g}")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.grid(linewidth=0.4)
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
        svg.save(figure, PICTURES / f"{job}.svg", "bench/report.py")


def draw_main(svg, results):
    """All contestants of 1000 HGETs on 4 nodes, beside the floor."""
    rows = [row for row in rows_of(results, "pipeline") if row["parameters"]["keys"] == 1000]
    rows.sort(key=lambda row: -row["median_ns"])
    with svg.style():
        figure, axes = svg.subplots(1, 1, (7, 0.28 * len(rows) + 0.8))
        names = [label(results, row["contestant"]) for row in rows]
        means = [row["median_ns"] / 1e6 for row in rows]
        colours = [
            svg.COLOURS[0] if ".onehop" in row["contestant"] else svg.COLOURS[5] for row in rows
        ]
        axes.barh(names, means, color=colours)
        for number, row in enumerate(rows):
            axes.text(means[number], number, " " + time_of(row["median_ns"]), va="center")
        axes.set_xscale("log")
        axes.set_xlabel("ms, on a scale where each step is ten times as long")
        axes.set_title("1000 HGETs in one pipeline on 4 nodes", loc="left")
        svg.save(figure, PICTURES / "main.svg", "bench/report.py")


def draw_load(svg, load, job):
    """The p99 of every path at every rate until it breaks."""
    with svg.style():
        figure, axes = svg.subplots(1, 2, (9, 3.4), sharey=True)
        for side, language in zip(axes, ("php.", "java.")):
            for colour, path in zip(svg.COLOURS, [p for p in LABELS if p.startswith(language)]):
                mine = sorted(
                    (row["offered"], row["p99_us"] / 1e3)
                    for row in load["rows"]
                    if (row["part"], row["job"], row["path"]) == ("rising", job, path)
                )
                words = LABELS[path].split(", ", 1)[1]
                side.plot(*zip(*mine), marker="o", markersize=3, color=colour, label=words)
            side.set_xscale("log")
            side.set_yscale("log")
            side.set_xlabel("requests a second")
            side.xaxis.set_major_formatter("{x:,.0f}")
            side.xaxis.set_minor_formatter("")
            side.yaxis.set_major_formatter("{x:,g}")
            side.grid(linewidth=0.4)
            side.legend(fontsize=7)
            side.set_title("php-fpm" if language == "php." else "JVM", loc="left")
        axes[0].set_ylabel("p99, ms")
        svg.save(figure, PICTURES / f"load.{job}.svg", "bench/report.py")


def draw():
    import svg

    PICTURES.mkdir(parents=True, exist_ok=True)
    results = load("jobs")
    draw_main(svg, results)
    for job in DRAWN_JOBS:
        draw_curves(svg, results, job)
    draw_load(svg, load("open_loop"), "hgets")


# ---- The program ----


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; 1 if a page is stale")
    is_check = parser.parse_args().check
    found, stale = tables(), []
    for page in PAGES:
        text = page.read_text()
        new = filled(text, found, page.name)
        if new != text:
            stale.append(page.name)
            if not is_check:
                page.write_text(new)
    if is_check and stale:
        sys.exit(f"{', '.join(stale)}: other figures than bench/results; run bench/report.py")
    if not is_check:
        draw()
    print("the figures of the pages are those of bench/results")


if __name__ == "__main__":
    main()
