#!/usr/bin/python3
"""Writes docs/ssdb.md from ssdb.json: what an SSDB node can be sent, what becomes of it, and what is refused and why.

ssdb_page.py            writes the page
ssdb_page.py --check    writes nothing; fails if the page is stale
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
import ssdb

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/ssdb.md"
HEAD = """# SSDB nodes

<!-- Written by spec/tools/generate/ssdb_page.py from spec/route/ssdb.json: change that page, not this one. -->

A server pool with `engine: ssdb` has nodes that are [SSDB](https://github.com/ideawu/ssdb) 1.9 or later. SSDB speaks redis' protocol and means
other things by it, mostly silently: it ignores the options of SET, says 1 to a DEL that deletes nothing, cuts scores. OneHop sends it only
what means the same there, translates where that can be done, and refuses everything else before a byte is sent.

```yaml
alpha:
  listen: 127.0.0.1:22121
  redis: true
  engine: ssdb
  servers:
   - 127.0.0.1:8888:1
```

* A new connection sends VERSION behind AUTH. A node that does not know it is refused: the two kinds differ silently, so nothing may be taken for the other.
* Of a call over several nodes, or a batch, either everything can be sent or nothing is.
* {differs}
* SSDB's own commands are reached by `rawCommand` (PHP) and `sendCommand` (Java), and so are the forms marked *raw*, whose replies are not those of redis.
  In a pipeline of PHP only SSDB's own commands can be raw.
* Transactions, scripts, subscriptions, sets, streams and cursors do not exist there.

## What can be sent

Capitals are words, small letters one argument of that type; `(a b)...` and `a...` are one or more.

"""


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def form_row(form):
    sent = (
        " then ".join(f"`{send}`" for send in form.get("send", form.get("send_each", [])))
        or "as it is"
    )
    if "send_each" in form:
        sent = "for each key " + sent
    return row(
        f"`{form['form']}`" + (" *raw*" if "raw" in form else ""), sent, form.get("differs", "")
    )


def page():
    text = (
        HEAD.format(differs=ssdb.PAGE["differs"])
        + row("form", "is sent", "what is not as on redis")
        + "|---|---|---|\n"
    )
    text += "".join(form_row(form) for forms in ssdb.PAGE["commands"].values() for form in forms)
    text += (
        "\n"
        + row("type", "")
        + "|---|---|\n"
        + "".join(row(name, what) for name, what in ssdb.PAGE["types"].items())
    )
    text += '\n## What is refused, and why\n\nEverything else. Where there is more to say than "SSDB has no such command":\n\n'
    text += row("command", "reason") + "|---|---|\n"
    text += "".join(row(name.upper(), why) for name, why in ssdb.PAGE["refusals"].items())
    own = [(name, entry) for name, entry in ssdb.PAGE["own"].items() if "state" not in entry]
    placed = ", ".join(name for name, entry in own if entry["spread"] != "refused")
    single = ", ".join(name for name, entry in own if entry["spread"] == "refused")
    return text + (
        f"\n## SSDB's own commands\n\nPlaced by their key, the first argument (all keys for multi_get and its kin): {placed}.\n\n"
        f"About one node, by onNode or onEachNode: {single}.\n"
    )


def main():
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != page():
            raise SystemExit("docs/ssdb.md is stale: run spec/tools/generate/ssdb_page.py")
        print("docs/ssdb.md is fresh.")
    else:
        PAGE.write_text(page())


if __name__ == "__main__":
    main()
