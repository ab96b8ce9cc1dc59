"""The root of the tree and what `make build` produces: the PHP extension, and all of Java."""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXTENSION = os.path.join(ROOT, "php-ext/modules/onehop.so")
JAR = os.path.join(ROOT, "java/testee/target/onehop-testee.jar")
PHP = ["php", "-d", f"extension={EXTENSION}"]
