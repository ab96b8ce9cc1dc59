"""Where the tree is; makes importable what conformance/ has for measurements, too: the lab, tables, php-fpm under load."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "conformance"), os.path.join(ROOT, "conformance/faults")]
