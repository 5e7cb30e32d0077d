"""The parent's end of the worker process: start it, send requests, and end it."""

from __future__ import annotations

import json
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from buto import jars
from buto.errors import MeasureError
from buto.extensions import require
from buto.measure.jmx.credentials import JmxFailure
from buto.measure.jvms import first_installation, own_environment
from buto.measure.output import last_lines
from buto.measure.progress import Closeable
from buto.steps import Action, Advice, Step

PROTOCOL_VERSION = 1
START_S = 60.0
WARM_UP_S = 20.0
CLOSE_S = 3.0
_MARGIN_S = 10.0
"""Time that an answer may take in addition to the bound of the operation."""


OLDEST_JAVA = 11
"""For the worker's own JVM; targets may run Java 8."""

_RESPONSE_MS = 10_000
"""How long a call may wait for the target. Longer than the longest pause of a usable run; a target that
does not answer for this long loses the connection."""

_JVM_OPTIONS = (
    "-Xrs",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xmx64m",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    "-Dsun.rmi.dgc.cleanInterval=200",
    f"-Dsun.rmi.transport.tcp.responseTimeout={_RESPONSE_MS}",
    f"-Dsun.rmi.transport.tcp.handshakeTimeout={_RESPONSE_MS}",
)
"""-Xrs leaves signals to Python. Without frequent cleaning, RMI leaks a thread per connection."""


def own_jvm() -> tuple[Path, list[str]]:
    """Return the library of a JVM for the worker, and its options.

    Raises:
        MeasureError: this machine has no JVM that is new enough.
    """
    purpose = f"collecting through JMX needs Java {OLDEST_JAVA} or newer for buto itself"
    installation = first_installation(OLDEST_JAVA, purpose, lambda java: _libjvm(java).is_file())
    # Since 24, a JVM warns of native code such as JPype's; a later one will refuse it.
    native = ["--enable-native-access=ALL-UNNAMED"] if (installation.major or 0) >= 24 else []
    return _libjvm(installation.java), [*_JVM_OPTIONS, *native]


def _libjvm(java: Path) -> Path:
    return java.parent.parent / "lib" / "server" / "libjvm.so"


class Worker(Closeable):
    """One process with a JVM that talks JMX. :meth:`start` or the first :meth:`ask` starts it.

    A worker that died or did not answer in time cannot be used again, see :attr:`is_usable`; create
    another one.

    Args:
        java_options: further options of its JVM, for example for a trust store. The process list
            does not show them.

    Attributes:
        is_warm: whether :meth:`warm_up` was called.
    """

    def __init__(self, java_options: Sequence[str] = ()) -> None:
        self._java_options = tuple(java_options)
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the worker)
        self._buffer = bytearray()
        self._n_asked = 0
        self._lock = Lock()
        self._closed = False
        self.is_warm = False

    @property
    def pid(self) -> int | None:
        """Its process id; None before its start."""
        return self._process.pid if self._process is not None else None

    def cpu_s(self) -> float:
        """Return the processor time that it has used; 0 before its start and after its end."""
        if self._process is None:
            return 0.0
        # Here, for it takes 15 ms to import: the worker starts in the meantime.
        import psutil

        try:
            times = psutil.Process(self._process.pid).cpu_times()
        except psutil.NoSuchProcess:
            return 0.0
        return float(times.user + times.system)

    @property
    def is_usable(self) -> bool:
        return not self._closed and (self._process is None or self._process.poll() is None)

    def start(self) -> None:
        """Start the worker if it is not running; takes some 0.5 s.

        Raises:
            MeasureError: the worker cannot be started, or this machine has no Java for it.
        """
        with self._lock:
            if self._closed:
                raise MeasureError("buto's JMX worker has ended, because an earlier request failed")
            if self._process is None:
                require("jpype", "measuring by JMX")
                self._start()

    def warm_up(self) -> None:
        """Load everything that a recording needs, some 0.5 s, to spare the first target."""
        self.ask("warm_up", WARM_UP_S, within_ms=round(WARM_UP_S * 1000))
        self.is_warm = True

    def ask(self, operation: str, within_s: float, **arguments: Any) -> Any:
        """Run an operation of :class:`buto.measure.jmx.worker.Jvm`.

        Args:
            within_s: the operation's own bound; the worker is killed ten seconds after it.

        Raises:
            JmxFailure: Java threw an exception; the worker can still be used.
            MeasureError: the worker could not be started, ended, or did not answer in time.
        """
        self.start()
        with self._lock:
            return self._exchange(operation, arguments, within_s + _MARGIN_S)

    def close(self) -> None:
        """Close its input, so that it ends; kill it if it still runs after three seconds."""
        if self._closed:
            return
        self._closed = True
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            try:
                self._process.wait(CLOSE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process.stdout.close()
        self._stderr.close()

    def _start(self) -> None:
        libjvm, options = own_jvm()
        # -P: a module in the working directory must not replace one of buto's.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "buto.measure.jmx.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            cwd=tempfile.gettempdir(),
            env=own_environment() | {"PYTHONPATH": str(Path(jars.__file__).parents[2])},
            bufsize=0,
            start_new_session=True,
        )
        hello = {
            "version": PROTOCOL_VERSION,
            "libjvm": str(libjvm),
            "jar": str(jars.path(jars.JMX)),
            "options": [*options, *self._java_options],
        }
        self._exchange("hello", hello, START_S)

    def _exchange(self, operation: str, arguments: dict[str, Any], within_s: float) -> Any:
        """Send a request and return its reply; skip replies to requests that Ctrl-C interrupted."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._n_asked += 1
        request = {"id": self._n_asked, "op": operation, "arguments": arguments}
        deadline = time.monotonic() + within_s
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            reply = self._reply(deadline)
            while reply["id"] != self._n_asked:
                reply = self._reply(deadline)
        except (BrokenPipeError, EOFError):
            raise self._end_broken(f"ended when asked to {operation}") from None
        except TimeoutError:
            self._process.kill()
            raise self._end_broken(f"did not answer to {operation} within {within_s:g} s") from None
        if "error" in reply:
            raise JmxFailure(reply["error"], tuple(reply["classes"]))
        return reply["value"]

    def _reply(self, deadline: float) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        poll = select.poll()
        poll.register(self._process.stdout, select.POLLIN)
        while b"\n" not in self._buffer:
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise TimeoutError
            data = self._process.stdout.read(1 << 20)
            if not data:
                raise EOFError
            self._buffer += data
        line, _, rest = self._buffer.partition(b"\n")
        self._buffer = rest
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _end_broken(self, what: str) -> MeasureError:
        """End the worker; return the error for it, with the last lines that it printed."""
        assert self._process is not None
        try:
            code = self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._stderr.seek(0)
        last_printed = last_lines(self._stderr.read()) or "(nothing)"
        self.close()
        return MeasureError(
            f"buto's JMX worker {what} (exit code {code}). It printed:\n{last_printed}",
            advice=Advice(
                "try again; if it happens again, look for another Java with: ", Step(Action.DOCTOR)
            ),
        )
