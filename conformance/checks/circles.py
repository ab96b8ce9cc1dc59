"""No circles: no two files of C, and no two classes of Java, use each other, even indirectly.

A C file uses another if its object needs a symbol that the other one's object defines, as `nm`
says; so uses that macros hide also count. If objects are missing, or a source is newer than its
object, names in the text count instead. A Java class uses another if it names it; nested classes
count as their outer class. Callbacks go through a pointer or an interface that belongs to the lower
of the two files or classes. Prints every circle and exits with 1, or prints one line with the
number of files. `circles.py --arrows A B` lists what A uses of B.
"""

import re
import subprocess
import sys

from imports import MODULES
from sources import code, files, name

# Definitions at the margin that are not `static`: a function with its body, or a variable.
C_FUNCTION = re.compile(
    r"^(?!static\b|typedef\b|extern\b|#)[a-zA-Z_][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{", re.MULTILINE
)
C_VARIABLE = re.compile(
    r"^(?!static\b|typedef\b|extern\b|#|struct\b|enum\b|union\b|return\b|\})"
    r"[a-zA-Z_][\w \t*]*?\b(oh_\w+)"
    r"(?:\[[^\]]*\])*\s*(?:=|;)",
    re.MULTILINE,
)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")


def main(arguments):
    c_files = [
        path for tree in ("core", "engine", "php") for path in files(f"php-ext/src/{tree}/**/*.c")
    ]
    java_files = [
        path
        for path in files(*(f"java/{module}/src/main/java/**/*.java" for module in MODULES))
        if not path.stem.endswith("-info")
    ]
    if not c_files or not java_files:
        sys.exit("found no sources: have they moved?")
    objects = fresh_objects(c_files)
    c_graph = object_arrows(objects) if objects else c_arrows(c_files)
    graphs = {"C": c_graph, "Java": java_arrows(java_files)}
    if arguments[:1] == ["--arrows"]:
        show_arrows(graphs, *arguments[1:])
        return
    largest = dict.fromkeys(graphs, 0)
    for language, arrows in graphs.items():
        for circle in circles(arrows):
            largest[language] = max(largest[language], len(circle))
            if len(circle) > 1:
                members = ", ".join(sorted(name(path) for path in circle))
                print(f"a circle of {len(circle)} in {language}: {members}")
    if max(largest.values()) > 1:
        sys.exit(1)
    seen = f"{len(c_files)} {'objects' if objects else 'files'} of C"
    print(f"{seen} and {len(java_files)} classes of Java: no circles.")


def fresh_objects(paths):
    """{file: its object}, or nothing if one is missing or older than its file."""
    objects = {path: path.parent / ".libs" / f"{path.stem}.o" for path in paths}
    are_fresh = all(
        built.exists() and built.stat().st_mtime >= path.stat().st_mtime
        for path, built in objects.items()
    )
    return objects if are_fresh else {}


def object_arrows(objects):
    """The same as c_arrows, by the symbols of objects."""
    needed, owners = {path: set() for path in objects}, {}
    paths = {str(built): path for path, built in objects.items()}
    command = ["nm", "--print-file-name", "--portability", "--extern-only", *paths]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        built, symbol, kind = line.split()[:3]
        path = paths[built.removesuffix(":")]
        if kind == "U":
            needed[path].add(symbol)
        else:
            owners[symbol] = path
    return {path: of_others(path, symbols, owners) for path, symbols in needed.items()}


def c_arrows(paths):
    """{file: {file it uses: the names that it uses}}"""
    texts = {path: code(path) for path in paths}
    owners = {}
    for path, text in texts.items():
        for pattern in (C_FUNCTION, C_VARIABLE):
            owners.update((match.group(1), path) for match in pattern.finditer(text))
    return {path: used_by(path, text, owners) for path, text in texts.items()}


def java_arrows(paths):
    texts = {path: code(path) for path in paths}
    packages = {path: package(text) for path, text in texts.items()}
    arrows = {}
    for path, text in texts.items():
        imported = set(
            re.findall(
                r"\bimport\s+(?:static\s+)?(io\.onehop\.[\w.]+|io\.onehop\.[\w.]+\.\*)\s*;", text
            )
        )
        reachable = {
            other.stem: other
            for other in paths
            if packages[other] == packages[path]
            or is_imported(packages[other], other.stem, imported)
        }
        arrows[path] = used_by(path, text, reachable)
    return arrows


def package(text):
    return re.search(r"\bpackage\s+([\w.]+)\s*;", text).group(1)


def is_imported(package_name, stem, imported):
    full = f"{package_name}.{stem}"
    return f"{package_name}.*" in imported or any(
        one == full or one.startswith(full + ".") for one in imported
    )


def used_by(path, text, owners):
    return of_others(path, set(WORD.findall(text)), owners)


def of_others(path, words, owners):
    used = {}
    for word in words:
        owner = owners.get(word)
        if owner and owner != path:
            used.setdefault(owner, set()).add(word)
    return used


def circles(arrows):
    """Tarjan's strongly connected components, without recursion."""
    order, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in arrows:
        if root in order:
            continue
        work = [(root, iter(sorted(arrows[root])))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    circle = []
                    while not circle or circle[-1] != node:
                        circle.append(stack.pop())
                        on_stack.discard(circle[-1])
                    found.append(circle)
            elif target not in order:
                order[target] = low[target] = len(order)
                stack.append(target)
                on_stack.add(target)
                work.append((target, iter(sorted(arrows[target]))))
            elif target in on_stack:
                low[node] = min(low[node], order[target])
    return found


def show_arrows(graphs, *stems):
    """Prints what files of these names use of each other; for one name, all its arrows."""
    for arrows in graphs.values():
        for path, used in arrows.items():
            for other, words in used.items():
                if (path.stem in stems and other.stem in stems) or (
                    len(stems) == 1 and stems[0] in (path.stem, other.stem)
                ):
                    print(f"{path.stem} -> {other.stem}: {', '.join(sorted(words))}")


if __name__ == "__main__":
    main(sys.argv[1:])
