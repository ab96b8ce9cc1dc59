"""Prints what is wrong with a Grafana dashboard, by Grafana's own schema.

    schema.py FILE

Grafana publishes its schema as classes of the package grafana-foundation-sdk (.ci/tools.txt). A
dashboard that was read into these classes and written again has lost every property that Grafana
does not know. What is left must also have the types that the classes declare.
"""

import enum
import json
import sys
import types
import typing

from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard


def main(path):
    with open(path) as file:
        text = json.load(file)
    plugins.register_default_plugins()
    dashboard = Dashboard.from_json(text)
    findings = [
        *lost(text, json.loads(JSONEncoder().encode(dashboard)), "dashboard"),
        *misfits(dashboard, Dashboard, "dashboard"),
    ]
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


def lost(before, after, where):
    """What the schema does not know, or changes."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            if name in after:
                yield from lost(value, after[name], f"{where}.{name}")
            else:
                yield f"{where}.{name}: the schema has no such property"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, pair in enumerate(zip(before, after)):
            yield from lost(*pair, f"{where}[{i}]")
    elif before != after:
        yield f"{where}: {before!r} becomes {after!r}"


def misfits(value, kind, where):
    """Values that are not of the declared type."""
    if kind in (typing.Any, object):
        kind = type(value)  # The options of a panel: of another class for each type of panel.
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(value, dict) and hasattr(kind, "from_json"):
        value = kind.from_json(value)  # The package leaves the lists of some classes as they were.
    if origin in (typing.Union, types.UnionType):
        fitting = [part for part in parts if value is None or part is not types.NoneType]
        yield from min((list(misfits(value, part, where)) for part in fitting), key=len)
    elif origin is typing.Literal:
        if value not in parts:
            yield f"{where}: {value!r} is none of {parts}"
    elif origin in (list, dict):
        if not isinstance(value, origin):
            yield f"{where}: {value!r} is no {origin.__name__}"
            return
        pairs = value.items() if origin is dict else enumerate(value)
        for name, part in pairs:
            yield from misfits(part, parts[-1], f"{where}[{name}]")
    elif issubclass(kind, enum.Enum):
        if value not in [member.value for member in kind]:
            yield f"{where}: {value!r} is no {kind.__name__}"
    elif not isinstance(value, (kind, int) if kind is float else kind):
        yield f"{where}: {value!r} is no {kind.__name__}"
    else:
        for name, part in typing.get_type_hints(type(value)).items():
            yield from misfits(getattr(value, name), part, f"{where}.{name}")


if __name__ == "__main__":
    main(sys.argv[1])
