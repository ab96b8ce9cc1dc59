"""`python3 conformance/lab DIRECTORY`: the lab as a process of its own; see server.py."""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from lab.server import serve  # noqa: E402 (the path above finds it)

serve(sys.argv[1])
