"""make bench-guard: fails if a command costs over 3 % more than counts.json says.

    make bench-guard                             # counts and compares
    make bench-guard WRITE=1                     # accepts a change: writes counts.json
    /usr/bin/python3 bench/guard --owners        # whose instructions PHP's pipeline executes

It counts instructions in PHP, allocated bytes in Java, and system calls on sockets in both. None of
them depends on time or other load; counting.py says how. All of them depend on compilers and
libraries. So the counts of a language are compared only with the toolchain on which they were
recorded, that of Debian 12, where CI runs. With another toolchain they are just printed.
"""

import argparse
import json
import os
import platform
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tree  # noqa: F401 (the path above finds it; it finds the rest)

import launch
from counting import counts, owners, servers
from result import VERSIONS, first_line
from table import Progress, bold, green, red, show

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "counts.json")
RECORDING_SYSTEM = "Debian 12"
CHANGE_MAX = 0.03
WRITE = "make bench-guard WRITE=1"
LABELS = {
    "set": "SET",
    "get": "GET",
    "mget": "MGET of 100 keys",
    "pipeline": "pipeline of 1000 HGETs",
    "cluster.pipeline": "Redis Cluster, the same pipeline",
    "cluster.mget": "Redis Cluster, MGET of 1000 keys",
}


def main():
    parser = argparse.ArgumentParser(
        prog="bench/guard", description="Counts what commands cost and compares with counts.json."
    )
    parser.add_argument("--write", action="store_true", help="record the counts in counts.json")
    parser.add_argument("--owners", action="store_true", help="show where PHP's instructions go")
    options = parser.parse_args()
    if options.write and system() != RECORDING_SYSTEM:
        sys.exit(f"Counts are recorded on {RECORDING_SYSTEM}, where CI runs; this is {system()}.")
    progress = Progress()
    progress.step("starting servers")
    with servers() as configs:
        progress.step("counting")
        found = owners(configs) if options.owners else counts(configs)
    progress.done()
    if options.owners:
        show_owners(found)
    elif options.write:
        write(found)
    else:
        compare(found)


def show_owners(found):
    total = sum(found.values())
    rows = [
        (owner, f"{count:,.0f}", f"{100 * count / total:.0f} %")
        for owner, count in sorted(found.items(), key=lambda item: -item[1])
        if round(count)
    ]
    show(
        ("PHP, pipeline", "instructions per HGET", "share"),
        [*rows, ("all", f"{total:,.0f}", "100 %")],
    )


# ---- The file ----


def write(found):
    result = {"toolchains": toolchains(), "versions": versions(), "counts": found}
    with open(RECORDED, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    print(f"  Written to {os.path.relpath(RECORDED)}.")


def toolchains():
    """What must be equal if counts are to be equal."""
    with open("/proc/cpuinfo") as info:
        avx2 = "with" if " avx2 " in info.read() else "without"
    php = ".".join(first_line(VERSIONS["php"]).split(".")[:2])
    java = first_line(VERSIONS["java"]).split()[1].split(".")[0]
    return {
        "PHP": f"{system()}, {platform.machine()} {avx2} AVX2, PHP {php}",
        "Java": f"{system()}, {platform.machine()}, JDK {java}",
    }


def system():
    release = platform.freedesktop_os_release()
    return f"{release['NAME'].split()[0]} {release.get('VERSION_ID', '')}".strip()


def versions():
    commands = {name: VERSIONS[name] for name in ("php", "phpredis", "java")}
    for name in ("cc", "valgrind", "strace"):
        commands[name] = [name, "--version"]
    return {
        **{name: first_line(command) for name, command in commands.items()},
        "libc": os.confstr("CS_GNU_LIBC_VERSION"),
    }


# ---- Comparing ----


def compare(found):
    with open(RECORDED) as file:
        recorded = json.load(file)
    here = toolchains()
    known = {name for name, toolchain in here.items() if recorded["toolchains"][name] == toolchain}
    rows, worse, better = [], [], []
    for road, now in found.items():
        for what, value in now.items():
            row, change = compared(road, what, value, recorded["counts"])
            rows.append(row)
            if road.split()[0] in known and abs(change) > CHANGE_MAX:
                (worse if change > 0 else better).append(row)
    show(
        ("road", "count", "recorded", "now", "change"),
        rows,
        left=2,
        paint=lambda row: red if row in worse else green if row in better else str,
    )
    print()
    for name in sorted(set(here) - known):
        print(
            f"  {name} is not compared: its counts are of another toolchain.\n"
            f"    recorded: {recorded['toolchains'][name]}\n    here:     {here[name]}"
        )
    report(worse, better, recorded["versions"])
    passed = sum(row[0].split(",")[0] in known for row in rows) - len(worse)
    print(f"{passed} passed, {len(worse)} failed")
    sys.exit(1 if worse else 0)


def compared(road, what, value, recorded):
    """(a row of the table, the change: 0.01 is 1 % more, and infinite if no count is recorded)"""
    language, name = road.split()
    before = recorded.get(road, {}).get(what)
    change = value / before - 1 if before else float("inf")
    return (
        f"{language}, {LABELS[name]}",
        what,
        f"{before:,}" if before else "nothing",
        f"{value:,}",
        f"{100 * change:+.1f} %" if before else "new",
    ), change


def report(worse, better, recorded):
    for road, what, before, now, change in worse:
        print(red(f"  {road}: {what} were {before}, are {now} ({change})."))
    if worse:
        for name, version in versions().items():
            if version != recorded.get(name):
                print(f"  {name} has changed, too: {recorded.get(name)} -> {version}")
        print(bold(f"  If a change is meant to be, accept it: {WRITE}"))
    elif better:
        print(bold(f"  Some counts are better by over 3 %; record them: {WRITE}"))


if __name__ == "__main__":
    launch.run(main, "guard")
