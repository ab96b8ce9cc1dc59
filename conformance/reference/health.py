"""Chapter health: whether to ask a node."""


class Health:
    """One node. It is in use if `until` is 0. `heard` is the time of its last answer."""

    def __init__(self, ejects, failure_limit, retry_ms):
        self.ejects, self.limit, self.retry = ejects, failure_limit, retry_ms
        self.until = self.failures = self.step = self.generation = self.heard = 0

    def state(self):
        return [self.until, self.failures, self.step, self.generation]

    def turn(self):
        self.generation = (self.generation + 1) % 64

    def ask(self, now, patience):
        if self.ejects or self.until == 0:
            return "go"
        if now < self.until <= now + 10000:
            return "refuse"
        self.until = now + 200 + (1000 if patience == 0 else min(patience, 5000))
        return "probe"

    def failed(self, now, cause, born, heard, chance):
        if born != self.generation or (heard != self.heard and not self.ejects):
            return
        self.failures = min(self.failures + 1, 16383)
        limit = min(self.limit or (1 if self.ejects else 2), 16383)
        if self.ejects and self.failures >= limit:
            self.failures = self.step = 0
            self.until = max(1, now + self.retry)
            self.turn()
        elif not self.ejects:
            if cause == "refused" or self.failures >= limit or self.until:
                longest = 200 if cause == "refused" else 700
                pause = min(50 << self.step, longest)
                self.until = max(1, now + min(pause + chance % (pause // 4), longest))
                self.step = min(self.step + 1, 15)
            self.turn()

    def answered(self, now):
        self.heard = now
        if self.failures == self.step == 0 and (self.ejects or self.until == 0):
            return
        if self.until:
            self.turn()
        self.until = self.failures = self.step = 0

    def rebuild(self, now):
        """True if the node is in the ring."""
        if 0 < self.until <= now:
            self.until, self.step = 0, 1
            self.turn()
        return self.until == 0


class Nodes:
    """The nodes of a scenario, and when their ring must be rebuilt."""

    def __init__(self, count, rules):
        self.nodes = [Health(**rules) for _ in range(count)]
        self.due = 0

    def take(self, step):
        now, node = step["at"], self.nodes[step.get("node", 0)]
        if "rebuild" in step:
            return self.rebuild(now)
        if "place" in step:
            rebuilds = self.due != 0 and now > self.due
            return {"rebuilds": rebuilds, **(self.rebuild(now) if rebuilds else {})}
        told = {}
        if "ask" in step:
            told["answer"] = node.ask(now, step["ask"])
        elif "failed" in step:
            for _ in range(step.get("times", 1)):
                node.failed(
                    now,
                    step["failed"],
                    step["born"],
                    step.get("heard", node.heard),
                    step.get("chance", 0),
                )
        else:
            node.answered(now)
        return {**told, "state": node.state()}

    def rebuild(self, now):
        live = [index for index, node in enumerate(self.nodes) if node.rebuild(now)]
        self.due = min((node.until for node in self.nodes if node.until), default=0)
        return {"live": live, "due": self.due}
