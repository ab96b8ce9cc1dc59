"""The program of server.py: `serve.py DIRECTORY`."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from lab.server import serve

serve(sys.argv[1])
