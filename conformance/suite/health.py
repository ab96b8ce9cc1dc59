"""Part `health`: the scenarios of spec/health, and random events on which all must agree."""

import json

from .testee import ROOT, is_unsupported

# The fields of a step that are its expected result; the others are its input.
TOLD = ("answer", "state", "rebuilds", "live", "due")


def run(testees, report, chance, sequences=300):
    report.begin("health/scenarios")
    scenarios = json.loads((ROOT / "spec/health/scenarios/health.json").read_text())["scenarios"]
    requests = [request_of(scenario) for scenario in scenarios]
    for testee, answers in testees.ask(requests, testees.implementations()).items():
        for scenario, answer in zip(scenarios, answers):
            if not is_unsupported(answer):
                check(report, testee, scenario, answer)
    report.end()
    by_chance(testees, report, chance, sequences)


def request_of(scenario):
    steps = [
        {field: value for field, value in step.items() if field not in TOLD}
        for step in scenario["steps"]
    ]
    return {"op": "health", "nodes": scenario["nodes"], "rules": scenario["rules"], "steps": steps}


def check(report, testee, scenario, answer):
    told = answer.get("steps") or []
    for at, step in enumerate(scenario["steps"]):
        wanted = {field: step[field] for field in TOLD if field in step}
        said = told[at] if at < len(told) else answer
        report.check(
            said == wanted,
            lambda: (
                f"{scenario['name']}, step {at + 1}: {testee} says {said}, the scenario {wanted}"
            ),
        )


def by_chance(testees, report, chance, sequences):
    report.begin(f"health/{sequences} sequences of events")
    requests = [sequence(chance) for _ in range(sequences)]
    said = testees.ask(requests, testees.implementations())
    for at, request in enumerate(requests):
        answers = {
            testee: answers[at]
            for testee, answers in said.items()
            if not is_unsupported(answers[at])
        }
        outcomes = {
            json.dumps(answer.get("steps", answer), sort_keys=True) for answer in answers.values()
        }
        report.check(
            len(outcomes) <= 1, lambda: f"they differ about {json.dumps(request)}: {answers}"
        )
    report.end()


def sequence(chance):
    ejects = chance.random() < 0.5
    nodes = chance.randint(1, 4)
    at = chance.randint(0, 5000)
    steps = []
    born = [0] * nodes  # Only roughly right, so that some news is old.
    heard = [[0] for _ in range(nodes)]
    for _ in range(40):
        at += chance.choice((0, 1, 7, 100, 499, 500, 1000, 9000, 20000))
        node = chance.randrange(nodes)
        event = chance.choice(
            ("ask", "failed", "failed", "failed", "answered") + ("rebuild", "place") * ejects
        )
        step = {"at": at} if event in ("rebuild", "place") else {"at": at, "node": node}
        if event == "ask":
            step["ask"] = chance.choice((0, 1, 300, 5000, 5001))
        elif event == "failed":
            step |= {
                "failed": chance.choice(("refused", "exchange")),
                "born": born[node],
                "chance": chance.randrange(1 << 32),
            }
            if heard[node] and chance.random() < 0.3:
                step["heard"] = chance.choice(heard[node])
            born[node] = (born[node] + (chance.random() < 0.6)) % 64
        else:
            step[event] = True
            if event == "answered":
                heard[node].append(at)
        steps.append(step)
    rules = {
        "ejects": ejects,
        "failure_limit": chance.choice((0, 1, 2, 3, 20000)),
        "retry_ms": chance.choice((0, 5, 1000, 30000)),
    }
    return {"op": "health", "nodes": nodes, "rules": rules, "steps": steps}
