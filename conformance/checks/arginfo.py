"""The header of PHP's signatures, php-ext/onehop_arginfo.h, was generated from the stub as it is.

PHP's build/gen_stub.php leaves the stub's hash in the header. Exits with 1 if it is that of another stub.
"""

import hashlib
import re
import sys

from sources import ROOT

stub, header = ROOT / "php-ext/onehop.stub.php", ROOT / "php-ext/onehop_arginfo.h"
wanted = hashlib.sha1(stub.read_bytes()).hexdigest()
found = re.search(r"Stub hash: (\w+)", header.read_text())
if found is None or found[1] != wanted:
    sys.exit(f"{header.name} is stale: run PHP's build/gen_stub.php on {stub.name}")
print("the header of signatures is that of the stub.")
