"""What the checks of web pages share: fetching one, and counting what was expected of it."""

import urllib.request


def fetch(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


class Findings:
    """Prints each expectation that is not met."""

    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, what, is_so, seen=""):
        self.passed, self.failed = self.passed + bool(is_so), self.failed + (not is_so)
        if not is_so:
            print(f"FAILED {what} {seen}")

    def end(self):
        """Prints "N passed, N failed". Returns the status of the program."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
