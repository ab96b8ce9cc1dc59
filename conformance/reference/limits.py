"""The numbers of spec/constants.json."""

import json
from pathlib import Path

SPEC = Path(__file__).resolve().parents[2] / "spec"
LIMITS = {
    limit["name"]: limit["value"]
    for limit in json.loads((SPEC / "constants.json").read_text())["limits"]
}
U32 = 0xFFFFFFFF
