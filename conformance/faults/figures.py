"""A figure is a measurement and its bound. A hard one is a promise: if it breaks, the run fails."""

import dataclasses
import sys

from table import green, red, show


@dataclasses.dataclass
class Figure:
    name: str
    measured: float
    bound: float
    is_hard: bool = False
    is_least: bool = False  # The bound is a lower one.
    unit: str = ""

    @property
    def is_met(self):
        return self.measured >= self.bound if self.is_least else self.measured <= self.bound

    def cells(self):
        sign = ">=" if self.is_least else "<="
        return (
            self.name,
            _text(self.measured) + self.unit,
            f"{sign} {_text(self.bound)}{self.unit}",
            "met" if self.is_met else "BROKEN" if self.is_hard else "MISSED",
        )


def end_with(jobs):
    """Prints the figures of each job as it ends. Ends the program, as failed if a promise broke."""
    found = []
    for figures in jobs:
        print_table(figures)
        found += figures
    sys.exit(not total(found))


def print_table(figures):
    print()
    show(
        ("figure", "measured", "must be", ""),
        [figure.cells() for figure in figures],
        paint=lambda row: green if row[-1] == "met" else red,
    )


def total(figures):
    """Prints the figures that were not met and a summary. True if every promise was kept."""
    promises = [figure.is_met for figure in figures if figure.is_hard]
    for figure in figures:
        if not figure.is_met:
            print("\n" + " ".join(figure.cells()))
    print(
        f"\n{sum(figure.is_met for figure in figures)} of {len(figures)} figures met;"
        f" promises: {sum(promises)} passed, {len(promises) - sum(promises)} failed"
    )
    return all(promises)


def _text(value):
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}"
