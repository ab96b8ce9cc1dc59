"""Where two placements begin to differ: at the tag, at the hash, or at the ring."""


def first_difference(testees, name, request, key, expected):
    """A report on a key that `name` places wrongly: its stages next to those of the reference."""
    ask = {**request, "op": "explain", "keys": [key]}
    told = {}
    for other in dict.fromkeys((name, "reference")):
        answer = testees.ask([ask], [other]).get(other) if other in testees.all else None
        told[other] = (
            answer[0]["explanations"][0] if answer and "explanations" in answer[0] else None
        )
    stage = stage_of(told.get(name), told.get("reference"))
    return (
        f"key {key or '(empty)'}: {name} differs from {expected}, first at the stage: {stage}\n"
        + "".join(f"         {other}: {words}\n" for other, words in told.items())
        + indented(request["config"])
        + (f"         dead: {request['dead']}" if request.get("dead") else "")
    )


def stage_of(ours, theirs):
    if not ours or not theirs:
        return "unknown, because there is no op explain"
    for stage, field in (
        ("tag", "hashed"),
        ("hash", "hash"),
        ("ring", "point"),
        ("ring, server of the point", "node"),
    ):
        if ours[field] != theirs[field]:
            return stage
    return "none: explain and place contradict each other"


def indented(text, lines=12):
    rows = text.splitlines()
    return "".join(f"         | {row}\n" for row in rows[:lines]) + (
        "         | ...\n" if len(rows) > lines else ""
    )
