"""Result files: JSON with one row per line, so that a diff shows which rows have changed."""

import json
import os


def save(path, content, rows):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    lines = ",\n  ".join(json.dumps(row, separators=(",", ":")) for row in rows)
    text = json.dumps({**content, "rows": []}, indent=1)
    with open(path, "w") as file:
        file.write(text.removesuffix("[]\n}") + f"[\n  {lines}\n ]\n}}\n")
