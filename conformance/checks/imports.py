"""Which room may import which, in C and in Java: enforces the layers of the architecture.

A room is a folder, in Java a package. The rooms of a language form one list, the lowest first. A
file may use its own room and those before it, nothing else. A room that is missing in its list is
an error, so a new room must get its place here. More rules keep the outside world out: Zend only in
src/php, the kernel only in src/engine, Jedis only in java/jedis and the testee, the clock only in
the lowest room, YAML only in `config`. Prints every violation and exits with 1, or prints one line
with the number of files.
"""

import re
import sys

from sources import ROOT, code, files, name

C = (
    "core/generated",
    "core/base",
    "core/hash",
    "core/key",
    "core/resp",
    "core/command",
    "core/ssdb",
    "core/placement",
    "core/topology",
    "core/config",
    "core/cluster",
    "core/health",
    "core/store",
    "engine/base",
    "engine/failure",
    "engine/shared",
    "engine/tls",
    "engine/pool",
    "engine/snapshot",
    "engine/exchange",
    "engine/inquiry",
    "engine/nodes",
    "engine/resend",
    "engine/moving",
    "engine/listener",
    "engine/source",
    "engine/status",
    "php/generated",
    "php/base",
    "php/exception",
    "php/client",
    "php/express",
    "php/phpredis",
    "php/call",
    "php/scatter",
    "php/batch",
    "php/transaction",
    "php/fleet",
    "php/route",
    "php/subscription",
    "php/session",
    "php/userland",
    "php/module",
)
# System headers that the core may include: nothing that waits or differs between machines.
PURE_HEADERS = {
    f"std{x}.h" for x in ("int", "bool", "def", "lib", "io", "arg", "atomic", "align")
} | {"inttypes.h", "string.h", "math.h", "limits.h", "errno.h", "assert.h"}
DOORS = {"time.h": "core/base", "yaml.h": "core/config"}
ZEND = re.compile(
    r"php(?!_onehop)[^/]*\.h|onehop_arginfo\.h|zend.*\.h|SAPI\.h|Zend/.*|main/.*|ext/.*|TSRM.*"
)
# Headers that lie outside src, and their rooms.
OUTSIDE = {"php_onehop.h": "php/module"}
KERNEL = re.compile(
    r"sys/(socket|un|mman|uio|epoll|ioctl|wait)\.h|netinet/.*|arpa/inet\.h"
    r"|(poll|netdb|unistd|fcntl|signal)\.h"
)

JAVA = (
    "core",
    "core.base",
    "core.hash",
    "core.key",
    "core.resp",
    "core.command",
    "core.ssdb",
    "core.placement",
    "core.topology",
    "core.config",
    "core.cluster",
    "core.health",
    "jedis: failures",
    "jedis.internal.failure",
    "jedis.internal.tls",
    "jedis.internal.request",
    "jedis.internal.command",
    "jedis.internal.connection",
    "jedis.internal.pool",
    "jedis.internal.snapshot",
    "jedis.internal.batch",
    "jedis.internal.nodes",
    "jedis.internal.resend",
    "jedis.internal.route",
    "jedis",
    "spring",
    "test",
    "cli",
)
# The rooms that a program may use.
EXPORTED = {"core", "jedis", "jedis: failures", "spring", "test"}
MODULES = ("core", "jedis", "spring-boot-starter", "test", "cli")
# The client's exported package is two rooms. Its exceptions are the lowest room of all: every room
# throws them.
FAILURE = re.compile(r"\b(class OneHopException|extends OneHopException)\b")
PURE = {
    f"core{x}"
    for x in (
        "",
        ".hash",
        ".key",
        ".command",
        ".ssdb",
        ".placement",
        ".topology",
        ".cluster",
        ".health",
    )
}

violations = []


def main():
    c_files = files(*(f"php-ext/src/{tree}/**/*.[ch]" for tree in ("core", "engine", "php")))
    java_files = files(*(f"java/{module}/src/main/java/**/*.java" for module in MODULES))
    java_files = [path for path in java_files if not path.stem.endswith("-info")]
    for path in c_files:
        check_c(path)
    java_classes = {java_class(path): java_room(path) for path in java_files}
    for path in java_files:
        check_java(path, java_classes)
    for violation in violations:
        print(violation)
    if not c_files or not java_files:
        sys.exit("found no sources: have they moved?")
    if violations:
        sys.exit(1)
    print(f"{len(c_files) + len(java_files)} files import only what they may.")


# ---- C ----


def check_c(path):
    room = c_room(path)
    if room not in C:
        complain(path, 1, f"its folder '{room}' is not in the list of rooms")
        return
    tree = room.split("/")[0]
    for line, header, is_system in includes(path):
        if tree != "php" and ZEND.fullmatch(header):
            complain(path, line, f"includes {header}: only src/php may use Zend")
        elif is_system and tree == "php" and KERNEL.fullmatch(header):
            complain(path, line, f"includes <{header}>: only src/engine may call the kernel")
        elif (
            is_system
            and tree == "core"
            and DOORS.get(header, header in PURE_HEADERS and room) != room
        ):
            complain(path, line, f"includes <{header}>, which {room} may not")
        elif not is_system and not ZEND.fullmatch(header):
            check_room(path, line, room, OUTSIDE.get(header, header.rpartition("/")[0]))


def check_room(path, line, room, used):
    if used not in C:
        complain(path, line, f"uses '{used}', which is not in the list of rooms")
    elif C.index(used) > C.index(room):
        complain(path, line, f"{room} uses {used}, which is above it")


def c_room(path):
    return str(path.parent.relative_to(ROOT / "php-ext/src"))


def includes(path):
    """(line, header, True if in angle brackets)"""
    for number, text in enumerate(path.read_text().splitlines(), start=1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', text)
        if match:
            yield number, match.group(2), match.group(1) == "<"


# ---- Java ----


def java_class(path):
    """io.onehop.core.topology.ServerPool"""
    return (
        str(path.relative_to(ROOT))
        .partition("src/main/java/")[2]
        .removesuffix(".java")
        .replace("/", ".")
    )


def java_room(path):
    room = java_class(path).rpartition(".")[0].removeprefix("io.onehop.")
    return "jedis: failures" if room == "jedis" and FAILURE.search(code(path)) else room


def check_java(path, classes):
    room, text = java_room(path), code(path)
    if room not in JAVA:
        complain(path, 1, f"its package '{room}' is not in the list of rooms")
        return
    for line, used in used_rooms(path, text, classes):
        if used not in JAVA:
            complain(path, line, f"uses '{used}', which is not in the list of rooms")
        elif JAVA.index(used) > JAVA.index(room):
            complain(path, line, f"{room} uses {used}, which is above it")
        elif room == "spring" and used not in EXPORTED:
            complain(path, line, f"{room} uses {used}, which no program may use")
        elif room == "cli" and (".internal." in used or used == "spring"):
            complain(path, line, f"{room} uses {used}, which belongs to others")
    if room.startswith("core"):
        refuse(
            path,
            text,
            r"redis\.clients\.[\w.]+|org\.apache\.commons\.pool2[\w.]*",
            "core must not use a client library",
        )
        refuse(
            path,
            text,
            r"java\.net\.[\w.]+|java\.nio\.channels\.[\w.]+",
            "core must not call the kernel",
        )
    if room != "core.config":
        refuse(path, text, r"org\.snakeyaml\.[\w.]+", "only config may read YAML")
    if room != "core.base":
        refuse(
            path,
            text,
            r"System\.(nanoTime|currentTimeMillis)|\bInstant\.now|java\.time\.Clock",
            "only Clock may read the time",
        )
    if room in PURE:
        refuse(path, text, r"java\.nio\.file\.[\w.]+|java\.io\.(?!Serial)[\w.]+", f"{room} is pure")


def used_rooms(path, text, classes):
    """(line, room) of every class of ours that a file names, in full or from its own package."""
    for match in re.finditer(r"\bio\.onehop\.([a-z.]+)\.([A-Z]\w*)", text):
        yield line_of(text, match), classes.get(match.group(), match.group(1))
    package = java_class(path).rpartition(".")[0]
    for match in re.finditer(r"(?<![\w.])[A-Z]\w*", text):
        if f"{package}.{match.group()}" in classes:
            yield line_of(text, match), classes[f"{package}.{match.group()}"]


def refuse(path, text, pattern, why):
    for match in re.finditer(pattern, text):
        complain(path, line_of(text, match), f"uses {match.group()}: {why}")


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def complain(path, line, what):
    violations.append(f"{name(path)}:{line}: {what}")


if __name__ == "__main__":
    main()
