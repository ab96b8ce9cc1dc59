"""A result file: the machine that it was measured on, and its rows.

It is JSON with one row per line, so that a diff shows which rows have changed.
"""

import json
import os
import platform
import subprocess

import tree

from lab.process import program

PREDIS = (
    "require 'Predis/Autoloader.php'; Predis\\Autoloader::register(); echo Predis\\Client::VERSION;"
)
VERSIONS = {
    "redis": ["redis-server", "--version"],
    "nutcracker": ["nutcracker", "--version"],
    "php": ["php", "-r", "echo PHP_VERSION;"],
    "phpredis": ["php", "-r", "echo phpversion('redis');"],
    "predis": ["php", "-r", PREDIS],
    "java": ["java", "--version"],
    "onehop": ["git", "-C", tree.ROOT, "describe", "--always", "--dirty"],
}


def save_rows(path, content, rows):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    lines = ",\n  ".join(json.dumps(row, separators=(",", ":")) for row in rows)
    with open(path, "w") as file:
        file.write("{\n")
        for name, value in content.items():
            if name != "rows":
                file.write(f" {json.dumps(name)}: {shown(value)},\n")
        file.write(f' "rows": [\n  {lines}\n ]\n}}\n')


def shown(value):
    """A line for each member of an object."""
    if not isinstance(value, dict):
        return json.dumps(value)
    members = (f"  {json.dumps(name)}: {json.dumps(member)}" for name, member in value.items())
    return "{\n" + ",\n".join(members) + "\n }"


def machine():
    """Processor, kernel, and the versions of all programs involved."""
    return {
        "processor": _processor(),
        "processors": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "load_1_minute": os.getloadavg()[0],
        **{name: first_line(command) for name, command in VERSIONS.items()},
    }


def _processor():
    with open("/proc/cpuinfo") as info:
        models = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    return models[0] if models else platform.machine()


def first_line(command):
    """The first line that a program prints: its version."""
    run = subprocess.run(
        [program(command[0]), *command[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return run.stdout.strip().split("\n")[0]
