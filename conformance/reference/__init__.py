"""The reference: OneHop's specification as a program, written to be read, not to be fast.

It was written from the prose of spec/ and its data (constants.json, directives.json), not from C or
Java, so it is a third opinion beside them. Each file has the name of its chapter; chapter config
has several. It uses only Python's library, and PyYAML for the events of a YAML text (through
libyaml, which is nutcracker's parser).

Implements spec/hash, spec/key, spec/placement, spec/topology, spec/config, spec/wire, spec/health.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "spec/tools/reference"))  # cluster.py

from .config import find_pool, read_config
from .config_text import Rejected
from .hashes import HASHES
from .topology import Topology

__all__ = ["HASHES", "Rejected", "Topology", "find_pool", "read_config"]
