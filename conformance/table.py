"""Tables, headings and progress: colour and a moving line in a terminal, otherwise plain text."""

import os
import sys

IS_TERMINAL = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
CLEAR_LINE = "\r\033[K"


def bold(text):
    return f"\033[1m{text}\033[0m" if IS_TERMINAL else text


def green(text):
    return f"\033[32m{text}\033[0m" if IS_TERMINAL else text


def red(text):
    return f"\033[31m{text}\033[0m" if IS_TERMINAL else text


def milliseconds(nanoseconds):
    return f"{nanoseconds / 1e6:.2f} ms"


def show(heading, rows, *, left=1, paint=None):
    """Prints aligned columns: the first `left` columns to the left, the others to the right.

    `paint(row)` returns a function that colours the row.
    """
    widths = [
        max(len(str(row[column])) for row in [heading, *rows]) for column in range(len(heading))
    ]

    def line(cells):
        aligned = [
            str(cell).ljust(width) if column < left else str(cell).rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths))
        ]
        return ("  " + "   ".join(aligned)).rstrip()

    print(bold(line(heading)))
    print("  " + "   ".join(("─" if IS_TERMINAL else "-") * width for width in widths))
    for row in rows:
        print(paint(row)(line(row)) if paint else line(row))


class Progress:
    """One line about the work in progress: rewritten in a terminal, otherwise a line per step."""

    def step(self, text):
        if IS_TERMINAL:
            print(f"{CLEAR_LINE}  {text} ...", end="", flush=True)
        else:
            print(f"  {text} ...", flush=True)

    def share(self, text, done, of):
        """A progress bar, in terminals only."""
        if IS_TERMINAL:
            bar = ("█" * (30 * done // of)).ljust(30, "░")
            print(f"{CLEAR_LINE}  {text} {bar} {100 * done // of:3d} %", end="", flush=True)

    def done(self):
        if IS_TERMINAL:
            print(CLEAR_LINE, end="", flush=True)
