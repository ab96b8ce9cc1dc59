"""One child process, known by its pid, that cannot outlive the program that started it.

Everything the lab starts (servers, proxies, workers, wires) is a `Process`. It takes a list of
arguments, gets its own scratch directory, session and log, and is stopped by pid, never by name.
Four mechanisms make sure that it ends; each of them would be enough:

  1. `with` blocks and `stop()`: the normal end.
  2. `atexit`: an exception, `sys.exit`, Ctrl-C.
  3. SIGTERM and SIGHUP are turned into `SystemExit`, so that 1 and 2 happen.
  4. PR_SET_PDEATHSIG: the kernel kills the child when the thread that started it dies, even by
     kill -9. So start processes from a thread that lives on, best the main thread. A child that
     has children itself needs a `death_signal` that it handles and passes on.

Servers that keep no data are killed outright, see `stop_signal`.

A process that does not become ready raises `LabError` with the end of its log: a test must never
hang on a dead server.
"""

import atexit
import contextlib
import ctypes
import functools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PR_SET_PDEATHSIG = 1
MEMORY, ROOM = "/dev/shm", 256 << 20  # The clients of server.py have the same rule.

_libc = ctypes.CDLL(None, use_errno=True)
_alive = []  # In order of start. The last one started is stopped first.
_guarded = False


class LabError(Exception):
    """The lab itself failed: a server did not start or did not answer.

    It says nothing about the program under test.
    """


def is_listening(path):
    """True if this unix socket accepts connections."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(path)
        except OSError:
            return False
    return True


def scratch(name):
    """A new directory, in memory where there is room.

    A node of a Redis Cluster syncs its file after each change and waits for it. On a busy disk that
    takes seconds, and the other nodes take the waiting one for dead.
    """
    has_room = os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free >= ROOM
    return tempfile.mkdtemp(prefix=f"onehop-{name}-", dir=MEMORY if has_room else None)


class Running:
    """`with` stops it when its block ends. A class without `process` has its own `stop`."""

    def stop(self):
        self.process.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Process(Running):
    """A running child. `arguments[0]` is looked up in PATH and in the sbin directories.

    It starts in its scratch directory, which already contains `files` (name to text), unless `cwd`
    is given. The scratch directory is removed when the process is stopped; a `directory` passed in
    stays. Output goes to `log_path`, except a piped stdout. `environment` is added to ours; the
    value None removes a name.

    A child with its own session can be ended with everything it started, by its process group. But
    the kernel gives sessions equal shares of a busy machine. A server that a test uses all the time
    should stay in the test's session.
    """

    def __init__(
        self,
        arguments,
        *,
        name=None,
        files=None,
        directory=None,
        log_path=None,
        cwd=None,
        environment=None,
        namespace=None,
        stdin=subprocess.DEVNULL,
        stdout=None,
        pass_fds=(),
        death_signal=signal.SIGKILL,
        stop_signal=signal.SIGTERM,
        has_own_session=True,
    ):
        _guard_this_program()
        command = [program(arguments[0]), *map(str, arguments[1:])]
        self.name = name or os.path.basename(arguments[0])
        self._is_own = directory is None
        self.directory = scratch(self.name) if self._is_own else directory
        self.log_path = log_path or os.path.join(self.directory, "log")
        environment = {**os.environ, **(environment or {})}
        self._popen = functools.partial(
            subprocess.Popen,
            command,
            cwd=cwd or self.directory,
            stdin=stdin,
            start_new_session=has_own_session,
            pass_fds=pass_fds,
            env={name: value for name, value in environment.items() if value is not None},
            preexec_fn=_before_exec(namespace, death_signal),
        )
        self._stdout, self._stop_signal = stdout, stop_signal
        try:
            os.makedirs(self.directory, exist_ok=True)
            for file_name, text in (files or {}).items():
                with open(os.path.join(self.directory, file_name), "w") as file:
                    file.write(text)
            self.start()
        except BaseException:
            self._remove_directory()
            raise

    def start(self):
        """Starts the command. The constructor calls it; call it again only after `kill`."""
        with open(self.log_path, "ab") as log:
            self.child = self._popen(
                stdout=log if self._stdout is None else self._stdout, stderr=log
            )
        if self not in _alive:
            _alive.append(self)

    @property
    def pid(self):
        return self.child.pid

    @property
    def is_running(self):
        return self.child.poll() is None

    def wait_until(self, is_ready, *, seconds=30.0, what="become ready"):
        """Calls `is_ready` until it is true. Raises LabError if the child dies or time runs out."""
        deadline, pause = time.monotonic() + seconds, 0.001
        while not is_ready():
            if not self.is_running:
                raise LabError(
                    f"{self.name} (pid {self.pid}) ended with {self.child.returncode} "
                    f"before it could {what}\n{self.log_tail()}"
                )
            if time.monotonic() > deadline:
                raise LabError(
                    f"{self.name} (pid {self.pid}) did not {what} within {seconds} s\n"
                    f"{self.log_tail()}"
                )
            time.sleep(pause)
            pause = min(2 * pause, 0.01)

    def log_tail(self, lines=20):
        """The last lines of the child's output, for an error message."""
        try:
            with open(self.log_path, errors="replace") as log:
                return "".join(log.readlines()[-lines:])
        except OSError:
            return ""

    def pause(self):
        """SIGSTOP: the kernel still accepts connections, but the process does not answer."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self):
        os.kill(self.pid, signal.SIGCONT)

    def kill(self):
        """SIGKILL: sudden death. The scratch directory stays, so `start` may follow."""
        if self.is_running:
            self.child.kill()
        self.child.wait()

    def ask_to_end(self):
        """Sends the signal that ends it and does not wait."""
        if self.is_running:
            self.child.send_signal(self._stop_signal)
            self.child.send_signal(signal.SIGCONT)  # A paused child could not handle SIGTERM.

    def stop(self, seconds=5.0):
        """Asks it to end; kills it if it does not. Safe to call twice."""
        if self.is_running:
            self.ask_to_end()
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe:
                with contextlib.suppress(OSError):  # A broken pipe: the child ended first.
                    pipe.close()
        self._remove_directory()
        if self in _alive:
            _alive.remove(self)

    def _remove_directory(self):
        if self._is_own:
            shutil.rmtree(self.directory, ignore_errors=True)


def program(name):
    """The full path of an installed program; a LabError says how to install a missing one."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin")
    if not path:
        raise LabError(f"{name} is not installed; `make setup` installs what the lab needs")
    return os.path.abspath(path)


def _before_exec(namespace, death_signal):
    """Returns what the child runs between fork and exec.

    It binds the child's life to ours and moves it into its network namespace.
    """
    parent = os.getpid()

    def run():
        _libc.prctl(PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:  # The parent died before the line above took effect.
            os._exit(1)
        if namespace is not None:
            namespace.enter()

    return run


def _guard_this_program():
    """Turns the signals that would end us silently into an exit, once, if nothing handles them."""
    global _guarded
    if _guarded:
        return
    _guarded = True
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda received, _frame: sys.exit(128 + received))


@atexit.register
def stop_all():
    """Stops all running processes, the last started first. Signals all of them before it waits."""
    for process in reversed(_alive):
        process.ask_to_end()
    for process in reversed(list(_alive)):
        process.stop()
