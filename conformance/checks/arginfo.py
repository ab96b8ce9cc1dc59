"""The header of PHP's signatures, php-ext/onehop_arginfo.h, belongs to the current stub.

PHP's build/gen_stub.php writes the stub's hash into the header. Exits with 1 if the hash differs.
"""

import hashlib
import re
import sys

from sources import ROOT

stub = ROOT / "php-ext/stubs/onehop.stub.php"
header = ROOT / "php-ext/onehop_arginfo.h"
wanted = hashlib.sha1(stub.read_bytes()).hexdigest()
found = re.search(r"Stub hash: (\w+)", header.read_text())
if found is None or found[1] != wanted:
    sys.exit(f"{header.name} is stale: run PHP's build/gen_stub.php on {stub.name}")
print("the header of signatures belongs to the stub.")
