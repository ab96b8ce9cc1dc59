"""Where a result was measured: processor, kernel, and the versions of all programs involved."""

import os
import platform
import subprocess

import tree  # noqa: F401 (finds the lab)

from lab.process import program

VERSIONS = {
    "redis": ["redis-server", "--version"],
    "nutcracker": ["nutcracker", "--version"],
    "php": ["php", "-r", "echo PHP_VERSION;"],
    "phpredis": ["php", "-r", "echo phpversion('redis');"],
    "java": ["java", "--version"],
}


def description():
    return {
        "processor": _processor(),
        "processors": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "load_1_minute": os.getloadavg()[0],
        **{name: _first_line(command) for name, command in VERSIONS.items()},
    }


def _processor():
    with open("/proc/cpuinfo") as info:
        models = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    return models[0] if models else platform.machine()


def _first_line(command):
    run = subprocess.run(
        [program(command[0]), *command[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return run.stdout.strip().split("\n")[0]
