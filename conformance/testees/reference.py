#!/usr/bin/python3
"""The testee of the reference. In: requests of conformance/protocol.md. Out: their answers."""

import json
import sys
from pathlib import Path

CONFORMANCE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(CONFORMANCE), str(CONFORMANCE.parent / "spec/tools/reference")]

from cluster import Refused  # noqa: E402 (the paths above find it)
from reference.config import find_pool, read_config  # noqa: E402
from reference.config_text import Rejected  # noqa: E402
from reference.hashes import HASHES  # noqa: E402
from reference.health import Nodes  # noqa: E402
from reference.key import slot  # noqa: E402
from reference.topology import MappedTopology, Topology  # noqa: E402
from reference.wire import Framing  # noqa: E402


def keys_of(request):
    return [bytes.fromhex(key) for key in request["keys"]]


class Testee:
    def __init__(self):
        self.topologies = {}  # Only the last: consecutive requests often have the same.

    def topology(self, request):
        wanted = (request["config"], request["pool"], tuple(request.get("dead", ())))
        if wanted not in self.topologies:
            self.topologies = {wanted: Topology(find_pool(*wanted[:2]), wanted[2])}
        return self.topologies[wanted]

    def hash(self, request):
        if request["hash"] not in HASHES:
            raise ValueError("there is no such hash")
        return {"hashes": [HASHES[request["hash"]](key) for key in keys_of(request)]}

    def place(self, request):
        locate = self.topology(request).locate
        return {"nodes": [locate(key) for key in keys_of(request)]}

    def explain(self, request):
        topology = self.topology(request)
        stages = [topology.explain(key) for key in keys_of(request)]
        return {
            "explanations": [
                {"hashed": hashed.hex(), "hash": h, "point": point, "node": node}
                for hashed, h, point, node in stages
            ]
        }

    def topology_op(self, request):
        topology = self.topology(request)
        servers = [
            {field: server[field] for field in ("name", "address", "weight")}
            for server in topology.servers
        ]
        return {"fingerprint": topology.fingerprint(), "servers": servers}

    def config(self, request):
        data = (
            bytes.fromhex(request["hex"])
            if "hex" in request
            else request["text"].encode("utf-8", "surrogatepass")
        )
        try:
            read_config(data, request.get("environment"))
        except Rejected as error:
            told = [{"line": line, "reason": reason} for line, reason in error.errors]
            return {"error": told[0], "errors": told, "more": error.more}
        return {"ok": True}

    def map(self, request):
        topology = MappedTopology(find_pool(Path(request["config"]).read_text(), request["pool"]))
        return {
            "fingerprint": topology.fingerprint(),
            "nodes": [topology.locate(key) for key in keys_of(request)],
        }

    def slot(self, request):
        return {"slots": [slot(key) for key in keys_of(request)]}

    def wire(self, request):
        framing = Framing(request["commands"])
        for chunk in request["replies"]:
            framing.read(bytes.fromhex(chunk))
        return {
            "answered": framing.answered,
            "owed": framing.owed,
            "clean": framing.is_clean,
            "error": framing.error,
        }

    def subscribed(self, request):
        framing = Framing(request["commands"], is_subscribed=True)
        for chunk in request["replies"]:
            framing.read(bytes.fromhex(chunk))
        return {
            "answered": framing.answered,
            "messages": framing.messages,
            "owed": framing.owed,
            "clean": framing.is_clean,
            "error": framing.error,
        }

    def health(self, request):
        nodes = Nodes(request["nodes"], request["rules"])
        return {"steps": [nodes.take(step) for step in request["steps"]]}

    def answer(self, request):
        operations = {
            "hash": self.hash,
            "place": self.place,
            "explain": self.explain,
            "topology": self.topology_op,
            "config": self.config,
            "slot": self.slot,
            "wire": self.wire,
            "health": self.health,
            "subscribed": self.subscribed,
            "map": self.map,
        }
        operation = operations.get(request.get("op"))
        return operation(request) if operation else {"error": "unsupported op"}


def main():
    testee = Testee()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = testee.answer(request)
        except (ValueError, KeyError, TypeError, OSError, Refused) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request.get("id"), **answer}), flush=True)


if __name__ == "__main__":
    main()
