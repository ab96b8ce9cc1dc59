"""The root of the tree and what `make build` produces: the PHP extension, and all of Java."""

import glob
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXTENSION = os.path.join(ROOT, "php-ext/modules/onehop.so")
JAR = os.path.join(ROOT, "java/testee/target/onehop-testee.jar")
# A program of Java that runs for seconds ends before an optimizing compiler pays off.
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", JAR]
PHP = ["php", "-d", f"extension={EXTENSION}"]


def cli():
    """The jar of the command line. `mvn -f java/pom.xml package -DskipTests -pl cli -am` makes it.

    Its name ends with the version. Jars of sources and documentation end with a letter."""
    return next(iter(glob.glob(os.path.join(ROOT, "java/cli/target/onehop-cli-*[0-9T].jar"))), None)
