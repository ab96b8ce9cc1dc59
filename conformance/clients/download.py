"""The clients from Maven Central and from Debian, unpacked into a directory of their own."""

import os
import subprocess
from pathlib import Path

DIRECTORY = Path(os.environ.get("ONEHOP_CLIENTS", "/tmp/onehop-clients"))
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"


def jars(*artifacts):
    """A directory with the jars of these artifacts, or an empty one of that name."""
    directory = DIRECTORY / artifacts[0].replace(":", "-")
    directory.mkdir(parents=True, exist_ok=True)
    for artifact in artifacts:
        group, name, version = (*artifact.split(":"), "", "")[:3]
        if name and not (directory / f"{name}-{version}.jar").exists():
            words = ["mvn", "-q", "-B", COPY, f"-Dartifact={group}:{name}:{version}"]
            subprocess.run([*words, f"-DoutputDirectory={directory}"], check=True)
    return directory
