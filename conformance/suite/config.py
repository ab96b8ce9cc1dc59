"""Part `config`: which configurations are accepted; line and reason for each that is rejected.

Three rounds: the cases of spec/config/cases; every good file cut at every byte; mutated files. In
the last two there is no expected answer. The implementations must agree with each other, and
nutcracker judges a sample.
"""

import json
import re
from itertools import islice

import config_cases
import reference
from reference.config_values import ROWS
from reference.foreign import FOREIGN

from .testee import is_unsupported

CUT_BYTES_MAX = 1000  # Longer good texts only repeat themselves.
JUDGED = 600
NOT_YAML = "the text is not valid YAML"

# nutcracker 0.5.0 does not know these directives, so it is not asked about texts that have one.
UNKNOWN = [name for name, row in ROWS.items() if row["of"] != "nutcracker"]
ONEHOP_ONLY = re.compile("|".join(UNKNOWN).encode())
# Where OneHop is stricter than nutcracker on purpose: spec/config, section 10.
STRICTER = re.compile(
    "character U|TAB stands|not valid UTF-8|block scalars|larger than|longer than|more than|"
    'is not a scalar|is not a sequence|"servers" is a duplicate|empty address|empty name|'
    f"weights add up|invalid port|invalid mode|{'|'.join(UNKNOWN)}|the sentinel|the replica"
)
NO_LOOKUP = re.compile(rb"""["']?(127\.0\.0\.1:22\d{3}|/tmp/[a-z ]*)["']?\s*(#.*)?""")


def run(testees, report, chance, mutations):
    written(testees, report)
    report.begin("config/every good file cut at every byte")
    short = [text for _, _, text in config_cases.read("good") if len(text) <= CUT_BYTES_MAX]
    agree(testees, report, [data[:end] for data in short for end in range(len(data))])
    report.end()
    mutated(testees, report, chance, short, mutations)


def config_request(data, environment=None):
    variables = {"environment": environment} if environment else {}
    try:
        return {"op": "config", "text": data.decode(), **variables}
    except UnicodeDecodeError:
        return {"op": "config", "hex": data.hex(), **variables}


def written(testees, report):
    for kind in ("good", "bad"):
        report.begin(f"config/{kind} cases")
        cases = list(config_cases.read(kind))
        requests = [config_request(text, case.get("environment")) for _, case, text in cases]
        for testee, answers in testees.ask(requests).items():
            for (name, case, _), answer in zip(cases, answers):
                check_case(report, testee, kind, name, case, answer)
        if kind == "good":
            good_pools(testees, report, cases)
        report.end()


def check_case(report, testee, kind, name, case, answer):
    if is_unsupported(answer):
        return
    if testee == "nutcracker":
        says = case.get("nutcracker", "same")
        if says != "not asked":
            accepts = (kind == "good") if says == "same" else says == "accepts"
            report.check(
                ("ok" in answer) == accepts, lambda: f"{kind}/{name}: nutcracker says {answer}"
            )
    elif kind == "good":
        report.check(answer.get("ok") is True, lambda: f"good/{name}: {testee} says {answer}")
    else:
        told = answer.get("error")
        is_right = (
            isinstance(told, dict)
            and told["line"] >= 1
            and all(
                case[field] is None or told[field] == case[field] for field in ("line", "reason")
            )
        )
        if isinstance(told, dict) and case["reason"] == NOT_YAML == told["reason"]:
            is_right = told["line"] >= 1  # The line depends on the YAML parser.
        report.check(
            is_right,
            lambda: (
                f"bad/{name}: {testee} says {answer}, "
                f"expected line {case['line']}: {case['reason']}"
            ),
        )
        if case["reason"] not in (None, NOT_YAML):
            told = [{"line": case["line"], "reason": case["reason"]}]
            wanted = case.get("errors", told), case.get("more", 0)
            report.check(
                (answer.get("errors"), answer.get("more")) == wanted,
                lambda: f"bad/{name}: {testee} says {answer}, expected {wanted}",
            )


def good_pools(testees, report, cases):
    """Checks servers and fingerprint of each pool of the good cases."""
    wanted = [
        (name, pool, text.decode())
        for name, case, text in cases
        if "environment" not in case
        for pool in case.get("pools", [])
    ]
    requests = [
        {"op": "topology", "config": config, "pool": pool["name"]} for _, pool, config in wanted
    ]
    for testee, answers in testees.ask(requests, testees.implementations()).items():
        for (name, pool, _), answer in zip(wanted, answers):
            if not is_unsupported(answer):
                servers = pool["servers"]
                if pool["directives"].get("distribution") not in FOREIGN:
                    servers = sorted(
                        servers, key=lambda s: (len(s["name"].encode()), s["name"].encode())
                    )
                # After the servers come nodes that only have moving keys.
                told = answer.get("servers", [])[: len(servers)]
                report.check(
                    (told, answer.get("fingerprint")) == (servers, pool["fingerprint"]),
                    lambda: f"good/{name}, pool {pool['name']}: {testee} says {answer}",
                )


def agree(testees, report, texts):
    """One check per text: all accept it, or all reject it with the same line and reason."""
    answers = testees.ask([config_request(text) for text in texts], testees.implementations())
    for number, text in enumerate(texts):
        told = {testee: row[number] for testee, row in answers.items()}
        report.check(is_one_verdict(list(told.values())), lambda: f"{text!r}:\n         {told}")
    return answers


def is_one_verdict(told):
    told = [answer for answer in told if not is_unsupported(answer)]
    if any("ok" in answer for answer in told):
        return all(answer.get("ok") is True for answer in told)
    if not all(
        isinstance(answer.get("error"), dict) and answer["error"]["line"] >= 1 for answer in told
    ):
        return False
    errors = {(answer["error"]["line"], answer["error"]["reason"]) for answer in told}
    if any(reason == NOT_YAML for _, reason in errors):
        return True
    return (
        len({json.dumps([answer["errors"], answer["more"]], sort_keys=True) for answer in told})
        == 1
    )


FRAGMENTS = [
    "\t",
    " ",
    "\n",
    "\r",
    "\r\n",
    ": ",
    "- ",
    "# ",
    '"',
    "'",
    "|",
    ">",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&a ",
    "*a",
    "! ",
    "!!str ",
    "%",
    "%YAML 1.1\n",
    "\n---\n",
    "--- ",
    "\n...\n",
    "@",
    "`",
    "? ",
    "  ",
    "\t\t",
    "\\",
    "\\x",
    "\\u12",
    "~",
    "=",
    "<<",
    "é",
    "中",
    "x",
    "0",
    "-",
    ":",
    "\\\t",
    "\n\t",
    " \t",
    "\t#",
    " #",
    '""',
    "''",
    "\\ud800",
    "\\U00110000",
    "\\N",
    "\\L",
    "\\0",
    "\u00a0",
    "\u0085",
    "\u2028",
    "\ufeff",
    "\u0000",
    "\u0007",
    "/",
    "11211",
    "4294967297",
    "true",
    "false",
    "servers:",
    "listen:",
    "hash: md5\n  ",
    "\n  ",
    "\n",
    "alpha:",
    "cluster: true\n  ",
    "[a, b]",
    "{a: b}",
    "${A}",
    "$${",
    "ture",
]


def mutate(chance, data):
    text = data.decode()
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at, kind = chance.randrange(len(text) + 1), chance.randrange(7)
        if kind <= 2:
            text = text[:at] + chance.choice(FRAGMENTS) + text[at:]
        elif kind == 3:
            text = text[:at] + text[at + chance.choice((1, 1, 2, 5)) :]
        elif kind == 4:
            text = text[:at] + chance.choice(FRAGMENTS)[:1] + text[at + 1 :]
        else:
            other = chance.randrange(len(text) + 1)
            text = text[:at] + text[other : other + chance.randrange(30)] + text[at:]
    result = text.encode()
    if chance.randrange(20) == 0 and result:
        at = chance.randrange(len(result))
        result = result[:at] + bytes([chance.randrange(256)]) + result[at + 1 :]
    return result


def mutated(testees, report, chance, good, count):
    report.begin("config/mutated files")
    texts = [mutate(chance, chance.choice(good)) for _ in range(count)]
    agree(testees, report, texts)
    report.end()
    if testees.has_judge():
        report.begin("config/mutated files, judged by nutcracker")
        sample = list(islice(filter(is_for_the_judge, texts), JUDGED))
        requests = [config_request(text) for text in sample]
        for text, answer in zip(sample, testees.ask(requests, ["nutcracker"])["nutcracker"]):
            reason = verdict_of_reference(text)
            if reason is None:
                is_right = "ok" in answer
            else:
                is_right = "ok" not in answer or STRICTER.search(without_value(reason))
            report.check(
                is_right,
                lambda: f"{text!r}:\n         OneHop: {reason or 'accepted'}; nutcracker: {answer}",
            )
        report.end()


def is_for_the_judge(text):
    """True if nutcracker knows all directives, and no address needs the DNS."""
    addresses = re.findall(rb"""listen["']?\s*:\s*([^\r\n]*)""", text)
    return (
        not ONEHOP_ONLY.search(text)
        and all(NO_LOOKUP.fullmatch(address) for address in addresses)
        and all(NO_LOOKUP.fullmatch(address) for address in listeners(text))
    )


def listeners(text):
    """The addresses as the parser reads them: in the text one may go on in the next line."""
    try:
        return [pool["listen"].encode() for pool in reference.read_config(text)]
    except reference.Rejected:
        return []


def without_value(reason):
    """A reason without the text of the file that it quotes at its end."""
    return reason.partition(': "')[0]


def verdict_of_reference(text):
    try:
        reference.read_config(text)
    except reference.Rejected as error:
        return error.reason
    return None
