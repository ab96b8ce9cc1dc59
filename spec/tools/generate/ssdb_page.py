#!/usr/bin/python3
"""Writes docs/ssdb.md from ssdb.json: what SSDB nodes can be sent, and what is refused and why.

ssdb_page.py            writes the page
ssdb_page.py --check    writes nothing; fails if the page is stale
"""

import pathlib
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
import ssdb

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/ssdb.md"
HEAD = """# SSDB nodes

<!-- Written by spec/tools/generate/ssdb_page.py from spec/route/ssdb.json: change those. -->

This page says which commands you can send to [SSDB](https://github.com/ideawu/ssdb) nodes, version
1.9 or later, and how they differ from redis. Set `engine: ssdb` in their server pool.

SSDB speaks redis' protocol, but many commands mean something else there, and no error says so: it
ignores the options of SET, answers 1 to a DEL that deletes nothing, and cuts scores. OneHop sends
it only commands that mean the same there, translates others where it can, and refuses the rest
before a byte is sent.

```yaml
alpha:
  listen: 127.0.0.1:22121
  redis: true
  engine: ssdb
  servers:
   - 127.0.0.1:8888:1
```

* A new connection sends VERSION after AUTH. A node that does not know VERSION is refused. Redis and
  SSDB differ silently, so neither may be taken for the other.
* A call over several nodes, or a batch, is sent as a whole or not at all.
{differs}
* Send SSDB's own commands by `rawCommand` (PHP) and `sendCommand` (Java), and also the forms marked
  *raw*, whose replies are not those of redis. In a pipeline of PHP only SSDB's own commands can be
  raw.
* SSDB has no transactions, scripts, subscriptions, sets, streams or cursors.

## What can be sent

Words in capitals are sent as they are. A word in small letters is one argument of that type; the
types are listed after the table. `(a b)...` and `a...` stand for one or more.

"""


def paragraph(text, **indents):
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False, **indents)


def row(*cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def form_row(form):
    sent = (
        " then ".join(f"`{send}`" for send in form.get("send", form.get("send_each", [])))
        or "the same"
    )
    if "send_each" in form:
        sent = "for each key " + sent
    return row(
        f"`{form['form']}`" + (" *raw*" if "raw" in form else ""), sent, form.get("differs", "")
    )


def page():
    text = (
        HEAD.format(
            differs=paragraph(ssdb.PAGE["differs"], initial_indent="* ", subsequent_indent="  ")
        )
        + row("form", "sent as", "differs from redis")
        + "|---|---|---|\n"
    )
    text += "".join(form_row(form) for forms in ssdb.PAGE["commands"].values() for form in forms)
    text += (
        "\n"
        + row("type", "")
        + "|---|---|\n"
        + "".join(row(name, what) for name, what in ssdb.PAGE["types"].items())
    )
    text += (
        "\n## What is refused, and why\n\n"
        'Everything else is refused. For most commands the reason is "SSDB has no such command".\n'
        "For these it is another one:\n\n"
    )
    text += row("command", "reason") + "|---|---|\n"
    text += "".join(row(name.upper(), why) for name, why in ssdb.PAGE["refusals"].items())
    own = [(name, entry) for name, entry in ssdb.PAGE["own"].items() if "state" not in entry]
    placed = ", ".join(name for name, entry in own if entry["spread"] != "refused")
    single = ", ".join(name for name, entry in own if entry["spread"] == "refused")
    by_key = paragraph(
        "The first argument is the key, which selects the node (multi_get and the like have several"
        " keys): "
        f"{placed}."
    )
    by_node = paragraph(
        f"These are about one node, so send them with onNode or onEachNode: {single}."
    )
    return f"{text}\n## SSDB's own commands\n\n{by_key}\n\n{by_node}\n"


def main():
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != page():
            raise SystemExit("docs/ssdb.md is stale: run spec/tools/generate/ssdb_page.py")
        print("docs/ssdb.md is fresh.")
    else:
        PAGE.write_text(page())


if __name__ == "__main__":
    main()
