"""Where the tree is, and what `make build` makes of it: the extension of PHP, and all of Java in one file."""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXTENSION = os.path.join(ROOT, "php-ext/modules/onehop.so")
JAR = os.path.join(ROOT, "java/testee/target/onehop-testee.jar")
PHP = ["php", "-d", f"extension={EXTENSION}"]
