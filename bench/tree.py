"""Where the tree is. Makes conformance/ importable: the lab, tables, load on php-fpm."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "conformance"), os.path.join(ROOT, "conformance/faults")]
