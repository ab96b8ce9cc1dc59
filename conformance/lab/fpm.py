"""A php-fpm master with a fixed number of workers on a unix socket; no web server is needed.

    with Fpm(workers=4, settings={"extension": "/path/to/onehop.so"}) as fpm:
        status, body = fpm.request("/path/to/script.php", query="key=user:1")

Workers outlive requests. So this is the place to test what must survive from one request to the
next, and what must not leak; the command line's php cannot. Each request opens its own FastCGI
connection, so requests from several threads reach several workers.
"""

import getpass
import grp
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess

from .process import Process, Running, is_listening, program

BEGIN, END, PARAMETERS, STDIN, STDOUT, STDERR = 1, 3, 4, 5, 6, 7  # FastCGI record types.

CONFIG = """[global]
daemonize = no
error_log = /proc/self/fd/2
process_control_timeout = 10s
[www]
user = {user}
group = {group}
listen.mode = 0666
process.dumpable = yes
listen = fpm.sock
pm = static
pm.max_children = {workers}
catch_workers_output = yes
"""


class Fpm(Running):
    def __init__(self, *, workers=2, settings=None, namespace=None, user=None, descriptors=None):
        """`settings` are php.ini directives, passed as `-d name=value`.

        The workers connect from `namespace` and run as `user`. `descriptors` is the limit of open
        files for the master and for each worker.
        """
        user = user or getpass.getuser()
        limit = [program("prlimit"), f"--nofile={descriptors}", "--"] if descriptors else []
        definitions = [
            word for name, value in (settings or {}).items() for word in ("-d", f"{name}={value}")
        ]
        # Workers run as the user who runs the lab, root included, so that they can read the tree.
        # On SIGTERM the master ends its workers; SIGKILL would leave them running.
        self.process = Process(
            [
                *limit,
                _fpm_program(),
                "--nodaemonize",
                "--allow-to-run-as-root",
                "--prefix",
                ".",
                "--fpm-config",
                "fpm.conf",
                *definitions,
            ],
            name="php-fpm",
            namespace=namespace,
            death_signal=signal.SIGTERM,
            files={
                "fpm.conf": CONFIG.format(
                    user=user,
                    group=grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name,
                    workers=workers,
                )
            },
        )
        self.path = os.path.join(self.process.directory, "fpm.sock")
        try:
            self.process.wait_until(lambda: is_listening(self.path), what="listen")
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self):
        return self.process.pid

    def worker_pids(self):
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as children:
            return [int(pid) for pid in children.read().split()]

    def reload(self):
        """SIGUSR2: workers finish their requests, and the master re-executes itself."""
        os.kill(self.pid, signal.SIGUSR2)

    def request(self, script, *, query="", seconds=30.0):
        """Runs a script; returns (HTTP status, body as bytes). Drops headers other than Status."""
        parameters = {
            "SCRIPT_FILENAME": script,
            "QUERY_STRING": query,
            "REQUEST_METHOD": "GET",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "GATEWAY_INTERFACE": "CGI/1.1",
        }
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(self.path)
            connection.sendall(
                _record(BEGIN, struct.pack(">HB5x", 1, 0))  # Role "responder", close when done.
                + _record(PARAMETERS, b"".join(map(_pair, parameters.items())))
                + _record(PARAMETERS, b"")
                + _record(STDIN, b"")
            )
            with connection.makefile("rb") as stream:
                head, _, body = _read_output(stream).partition(b"\r\n\r\n")
        status = next(
            (line for line in head.split(b"\r\n") if line.startswith(b"Status: ")), b"Status: 200"
        )
        return int(status.split()[1]), body


def _fpm_program():
    """Debian calls it php-fpm8.2, others php-fpm."""
    version = subprocess.run(
        [program("php"), "-n", "-r", "echo PHP_MAJOR_VERSION, '.', PHP_MINOR_VERSION;"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    debian = f"php-fpm{version}"
    has_debian_name = shutil.which(debian, path="/usr/local/sbin:/usr/sbin:/sbin")
    return program(debian if has_debian_name else "php-fpm")


def _record(kind, content):
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def _pair(item):
    """A name and a value, each preceded by its length in four bytes, which is always allowed."""
    name, value = (part.encode() for part in item)
    return struct.pack(">II", len(name) | 1 << 31, len(value) | 1 << 31) + name + value


def _read_output(stream):
    """The script's output up to the END record. Raises if the connection ends before it."""
    output = b""
    while True:
        header = stream.read(8)
        if len(header) < 8:
            raise ConnectionError("php-fpm closed the connection before the request ended")
        _, kind, _, length, padding = struct.unpack(">BBHHB", header[:7])
        content = stream.read(length + padding)[:length]
        if kind == STDOUT:
            output += content
        elif kind == END:
            return output
