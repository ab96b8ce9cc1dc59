#!/usr/bin/python3
"""Reads from Jedis' bytecode which method of UnifiedJedis sends which command.

    capture_jedis.py            writes clients/jedis-8.0.json for the Jedis that java/pom.xml names,
                                from Maven's local repository
    capture_jedis.py --check    fails if the file differs

A method of UnifiedJedis builds its command in CommandObjects. There Protocol.Command names the
command, and for a container the Protocol.Keyword after it names the subcommand. A method that calls
another method also has the commands of that method. In: javap's listing. Out, per method: the names
of commands.json. Commands of modules (JSON, search ...) are not in that table and not here.
commands_page.py reads the result.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
import table

ROUTE = pathlib.Path(__file__).resolve().parents[2] / "route"
PAGE = ROUTE / "clients" / "jedis-8.0.json"
PACKAGE = "redis.clients.jedis."
CLASSES = ("UnifiedJedis", "CommandObjects")
METHOD = re.compile(
    r"  (?P<modifiers>(?:\w+ )*)(?:<.*?> )?[\w.$<>\[\], ?]+ (?P<name>\w+)\((?P<types>.*)\)"
    r"(?: throws .*)?;$"
)
COMMAND = re.compile(r"Field redis/clients/jedis/Protocol\$Command\.(\w+):")
KEYWORD = re.compile(r"Field redis/clients/jedis/Protocol\$Keyword\.(\w+):")
CALL = re.compile(r"Method (?:redis/clients/jedis/(\w+)\.)?(\w+):\(")
PREPARED = re.compile(
    r"getfield .*Field (?:redis/clients/jedis/CommandObjects\.)?(\w+_COMMAND_OBJECT):"
)
# For these methods Transactions and JedisPubSub write the words, not CommandObjects.
BY_NAME = ("multi", "subscribe", "psubscribe", "ssubscribe")


def version():
    """The Jedis version of java/pom.xml."""
    pom = (ROUTE.parents[1] / "java" / "pom.xml").read_text()
    return re.search(
        r"<jedis[.\w]*version>([\d.]+)<|<artifactId>jedis</artifactId>\s*<version>([\d.]+)<", pom
    ).group(1)


def listing(jedis, name):
    jar = pathlib.Path.home() / f".m2/repository/redis/clients/jedis/{jedis}/jedis-{jedis}.jar"
    return subprocess.run(
        ["javap", "-p", "-c", "-cp", str(jar), PACKAGE + name],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()


class Reader:
    """All methods of both classes: what each names and calls. Overloads count as one method."""

    def __init__(self, jedis):
        self.names, self.calls, self.public = {}, {}, set()
        for owner in CLASSES:
            self.read(owner, listing(jedis, owner))

    def read(self, owner, lines):
        here = (owner, "<init>")
        for line in lines:
            method = METHOD.match(line)
            if method:
                here = (owner, method["name"])
                if owner == CLASSES[0] and "public" in method["modifiers"]:
                    self.public.add(method["name"])
            elif command := COMMAND.search(line):
                self.command(here, command[1].lower())
            elif keyword := KEYWORD.search(line):
                self.keyword(here, keyword[1].lower())
            elif prepared := PREPARED.search(line):
                self.add(
                    here, prepared[1].removesuffix("_COMMAND_OBJECT").lower().replace("_", "|")
                )
            elif (call := CALL.search(line)) and call[1] in (None, *CLASSES):
                self.calls.setdefault(here, set()).add((call[1] or owner, call[2]))

    def add(self, here, name):
        self.names.setdefault(here, []).append(name)

    def command(self, here, name):
        """RESTORE is a command, but after FUNCTION it is a subcommand."""
        container = (self.names.get(here) or [""])[-1]
        self.add(here, f"{container}|{name}" if f"{container}|{name}" in table.COMMANDS else name)

    def keyword(self, here, word):
        """A keyword names a subcommand if the container that was named last has such a one."""
        names = self.names.get(here, [])
        container = names[-1].split("|")[0] if names else ""
        if f"{container}|{word}" in table.COMMANDS:
            names.append(f"{container}|{word}")

    def commands(self, method, seen=()):
        """The commands of the table that a method may send. Bare containers are left out."""
        found = set(self.names.get(method, []))
        for called in self.calls.get(method, set()) - {method, *seen}:
            found |= self.commands(called, (*seen, method))
        return {name for name in found if "spread" in table.COMMANDS.get(name, {})}


def capture(jedis):
    reader = Reader(jedis)
    found = {}
    for name in sorted(reader.public):
        commands = sorted(reader.commands((CLASSES[0], name))) or [name] * (name in BY_NAME)
        if commands:
            found[name] = commands
    return {"client": "jedis", "version": jedis, "methods": found}


def written(page):
    lines = [
        f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in page["methods"].items()
    ]
    client, version = json.dumps(page["client"]), json.dumps(page["version"])
    head = f'"client": {client},\n"version": {version},\n"methods": '
    return "{\n" + head + "{\n" + ",\n".join(lines) + "\n}\n}\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true")
    check = arguments.parse_args().check
    page = capture(version())
    if check and PAGE.read_text() != written(page):
        sys.exit(f"{PAGE.name} differs from what Jedis sends: run capture_jedis.py.")
    if not check:
        PAGE.write_text(written(page))
    commands = {command for commands in page["methods"].values() for command in commands}
    methods = len(page["methods"])
    print(f"{methods} methods of UnifiedJedis {page['version']} send {len(commands)} commands.")


if __name__ == "__main__":
    main()
