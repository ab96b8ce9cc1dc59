"""Who may import whom, in C and in Java: the layers of the architecture, enforced.

A folder is a room, and the rooms of a language stand in one list, the lowest first: a file uses its
own room and those before it, nothing else. A folder that is not in its list is an error: a new room
must be given its place here. Further rules keep the outside world behind its doors: Zend only in
php-ext/php, the kernel only in php-ext/engine, Jedis only in java/jedis and the testee, the clock
only in `clock`, YAML only in `config`. Prints every violation and exits with 1, or one line with
the number of files.
"""

import re
import sys

from sources import ROOT, code, files, name

C = (
    "core/generated", "core/base", "core/hash", "core/key", "core/resp", "core/command", "core/ssdb",
    "core/placement", "core/topology", "core/config", "core/cluster", "core/host",
    "engine/base", "engine/failure", "engine/shared", "engine/pool", "engine/snapshot",
    "engine/exchange", "engine/cluster", "engine/redirects", "engine/source", "engine/listener",
    "php/generated", "php/exception", "php/client", "php/phpredis", "php/call", "php/scatter", "php/batch",
    "php/transaction", "php/fleet", "php/route", "php/subscription", "php/session", "php/userland", "php/module",
)
# What the core may include of the system: nothing that waits, and nothing that differs between machines.
PURE_HEADERS = {f"std{x}.h" for x in ("int", "bool", "def", "lib", "io", "arg", "atomic", "align")} | {
    "string.h", "math.h", "limits.h", "errno.h", "assert.h"}
DOORS = {"time.h": "core/base", "yaml.h": "core/config"}
ZEND = re.compile(r"php[^/]*\.h|onehop_arginfo\.h|zend.*\.h|SAPI\.h|Zend/.*|main/.*|ext/.*|TSRM.*")
KERNEL = re.compile(r"sys/(socket|un|mman|uio|epoll|ioctl|wait)\.h|netinet/.*|arpa/inet\.h"
                    r"|(poll|netdb|unistd|fcntl|signal)\.h")

# Rooms of java/core.
LAYERS = {
    "limits": 0, "clock": 0, "memory": 0, "decimal": 0, "compiler": 0,
    "hash": 1, "key": 1, "command": 1, "wire": 1, "cursor": 1, "ssdb": 1,
    "server_pool": 2, "placement": 2, "topology": 2, "health": 2, "meter": 2, "fastest": 2,
    "store": 3, "pool": 3, "cluster": 3, "redirect": 3,
    "config": 4, "source": 4,
    "route": 5, "scatter": 5,
    "client": 6,
}
PURE = {"placement", "topology", "health", "wire", "hash", "key", "cursor", "ssdb", "redirect", "fastest"}
# Java classes of io.onehop.core that are not in a package of their room.
JAVA_ROOMS = {
    "Clock": "clock", "Limits": "limits", "ErrorKind": "limits", "Hash": "hash", "Key": "key", "HashTag": "key",
    "Server": "server_pool", "ServerPool": "server_pool", "Distribution": "server_pool", "Health": "health", "Latency": "meter",
    "Fastest": "fastest",
    "Topology": "topology", "PoolTopology": "topology", "Nodes": "topology", "Node": "topology", "Explanation": "topology", "Fingerprint": "topology",
    "Command": "command", "SsdbTable": "ssdb", "Ssdb": "ssdb", "SsdbForm": "ssdb", "SsdbWord": "ssdb", "Store": "store", "Pool": "pool",
    "Directive": "server_pool", "ReadFrom": "server_pool", "Role": "server_pool",
    "ClusterMap": "cluster", "ClusterReply": "cluster", "ClusterValues": "cluster", "ClusterException": "cluster",
    "ClusterAnswer": "cluster", "ClusterNode": "cluster", "ClusterNodes": "cluster",
    "Redirect": "redirect", "ServerSpelling": "config",
}
JAVA_CONFIG = re.compile(r"Config[A-Z]?\w*")

KERNEL_ROOMS = set()

violations = []


def main():
    c_files = files(*(f"php-ext/{tree}/**/*.[ch]" for tree in ("core", "engine", "php")))
    java_files = files("java/*/src/main/java/**/*.java")
    java_files = [path for path in java_files if not path.stem.endswith("-info")]
    for path in c_files:
        check_c(path)
    java_classes = {path.stem: java_room(path) for path in java_files if in_java_core(path)}
    for path in java_files:
        if in_java_core(path):
            check_core_java(path, java_classes)
        elif path.is_relative_to(ROOT / "java/jedis"):
            refuse(path, code(path), r"org\.snakeyaml\.[\w.]+", "only config reads YAML")
    for violation in violations:
        print(violation)
    if not c_files or not java_files:
        sys.exit("there is nothing to check: the sources have moved")
    if violations:
        sys.exit(1)
    print(f"{len(c_files) + len(java_files)} files import only what they may.")


# ---- C ----

def check_c(path):
    room = c_room(path)
    if room not in C:
        return tell(path, 1, f"its folder '{room}' has no place in the list of rooms")
    tree = room.split("/")[0]
    for line, header, is_system in includes(path):
        if tree != "php" and ZEND.fullmatch(header):
            tell(path, line, f"includes {header}: only php-ext/php knows Zend")
        elif is_system and tree == "php" and KERNEL.fullmatch(header):
            tell(path, line, f"includes <{header}>: only php-ext/engine calls the kernel")
        elif is_system and tree == "core" and DOORS.get(header, header in PURE_HEADERS and room) != room:
            tell(path, line, f"includes <{header}>, which {room} may not")
        elif not is_system and not ZEND.fullmatch(header):
            check_room(path, line, room, header.rpartition("/")[0])


def check_room(path, line, room, used):
    if used not in C:
        tell(path, line, f"uses '{used}', which has no place in the list of rooms")
    elif C.index(used) > C.index(room):
        tell(path, line, f"{room} uses {used}, which is above it")


def c_room(path):
    return str(path.parent.relative_to(ROOT / "php-ext"))


def includes(path):
    """(line, header, whether it is in angle brackets)"""
    for number, text in enumerate(path.read_text().splitlines(), start=1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', text)
        if match:
            yield number, match.group(2), match.group(1) == "<"


# ---- Java ----

def in_java_core(path):
    return path.is_relative_to(ROOT / "java/core")


def java_room(path):
    package = path.parent.name
    if package != "core":
        return package
    return JAVA_ROOMS.get(path.stem, "config" if JAVA_CONFIG.fullmatch(path.stem) else path.stem)


def check_core_java(path, classes):
    room, text = java_room(path), code(path)
    if room not in LAYERS:
        return tell(path, 1, f"its room '{room}' has no layer")
    refuse(path, text, r"redis\.clients\.[\w.]+|org\.apache\.commons\.pool2[\w.]*|io\.onehop\.jedis[\w.]*",
           "core knows no client library")
    if room != "config":
        refuse(path, text, r"org\.snakeyaml\.[\w.]+", "only config reads YAML")
    if room not in KERNEL_ROOMS:
        refuse(path, text, r"java\.net\.[\w.]+|java\.nio\.channels\.[\w.]+", f"{room} may not call the kernel")
    if room != "clock":
        refuse(path, text, r"System\.(nanoTime|currentTimeMillis)|\bInstant\.now|java\.time\.Clock",
               "time enters through Clock only")
    if room in PURE - {"wire"}:
        refuse(path, text, r"java\.nio\.file\.[\w.]+|java\.io\.(?!Serial)[\w.]+", f"{room} is pure")
    for match in re.finditer(r"\b[A-Z]\w*\b", text):
        if match.group() in classes:
            check_layer(path, line_of(text, match), room, classes[match.group()])


def refuse(path, text, pattern, why):
    for match in re.finditer(pattern, text):
        tell(path, line_of(text, match), f"uses {match.group()}: {why}")


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


# ---- Both ----

def check_layer(path, line, room, used):
    if used not in LAYERS:
        tell(path, line, f"uses room '{used}', which has no layer")
    elif LAYERS[used] > LAYERS[room]:
        tell(path, line, f"{room} (layer {LAYERS[room]}) uses {used} (layer {LAYERS[used]}), which is above it")


def tell(path, line, what):
    violations.append(f"{name(path)}:{line}: {what}")


if __name__ == "__main__":
    main()
