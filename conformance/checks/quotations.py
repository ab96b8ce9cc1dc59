"""Functions that README.md and docs/ quote are those of the source.

A quotation is a comment that names a file and a function, followed by a block of code that must
equal that function exactly. Prints what differs and exits with 1, or prints one line.
`quotations.py --write` updates the quotations.
"""

import re
import sys

from sources import ROOT, code, name

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
QUOTATION = re.compile(r"<!-- from (\S+): (\w+) -->\n```(c|java|php)\n(.*?)```\n", re.DOTALL)
# A comment that begins like a quotation must be one.
BEGINNING = re.compile("^<!-- from ", re.MULTILINE)


def main(arguments):
    if arguments == ["--write"]:
        for page in PAGES:
            page.write_text(QUOTATION.sub(quoted_again, page.read_text()))
    count, wrong = 0, []
    for page in PAGES:
        quotations = QUOTATION.findall(page.read_text())
        count += len(quotations)
        wrong += [
            f"{name(page)}: {function} of {path} differs from its quotation; run "
            "conformance/checks/quotations.py --write"
            for path, function, _, text in quotations
            if function_text(path, function) != text
        ]
        if len(BEGINNING.findall(page.read_text())) != len(quotations):
            wrong.append(f"{name(page)}: a quotation does not have the form of quotations.py")
    for line in wrong:
        print(line)
    if wrong or not count:
        sys.exit(1)
    print(f"{count} quotations are those of the source.")


def quoted_again(match):
    path, function, language, _ = match.groups()
    return f"<!-- from {path}: {function} -->\n```{language}\n{function_text(path, function)}```\n"


def function_text(path, function):
    """The first function of this name without its comment, from its type to its closing brace."""
    text, bare = (ROOT / path).read_text(), code(ROOT / path)
    match = re.search(
        rf"^( *)(?=[a-zA-Z@])[^\n;]*\b{function}\([^;{{]*\{{.*?^\1\}}\n",
        bare,
        re.MULTILINE | re.DOTALL,
    )
    if not match:
        sys.exit(f"{path} has no function {function}")
    indent = match.group(1)
    lines = text[match.start() : match.end()].split("\n")
    return "\n".join(line.removeprefix(indent) for line in lines)


if __name__ == "__main__":
    main(sys.argv[1:])
