"""Where the tree is, and the lab (conformance/lab) made importable. Import this before anything of `lab`."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "conformance"))
