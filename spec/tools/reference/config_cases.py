"""The cases of chapter config. spec/config/cases/good.txt and bad.txt say how they are written.

`config_cases.py FOLDER` writes each text into a file there, for a fuzzer to begin with.
"""

import json
import sys
from pathlib import Path

CASES = Path(__file__).resolve().parents[2] / "config/cases"


def read(kind):
    """(name, head, text) of each case that is "good", or "bad"."""
    pieces = (CASES / f"{kind}.txt").read_bytes().removesuffix(b"\n").split(b"\n=== ")
    for piece in pieces[1:]:
        name, _, rest = (piece + b"\n").partition(b"\n")
        head, _, text = rest.partition(b"\n\n")
        head = json.loads(head)
        yield name.decode(), head, built(head["built"]) if "built" in head else filled(head, text)


def built(parts):
    return "".join(
        "".join(text.replace("{n}", str(n)) for n in range(times))
        if "{n}" in text
        else text * times
        for text, times in parts
    ).encode()


def filled(head, text):
    """The text, with the bytes that its stand-ins stand for."""
    for stand_in, code in head.get("bytes", {}).items():
        text = text.replace(stand_in.encode(), bytes.fromhex(code))
    return text


def main(folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    for kind in ("good", "bad"):
        for name, _, text in read(kind):
            Path(folder, f"{kind}_{name}.yml").write_bytes(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
