"""One attempt to carry out a launch on one host: order it, send files that are missing, fetch the run.

The host of each launch is chosen so that runs which are judged together can be compared.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from distributed import CancelledError, Future, KilledWorker

from buto.engine.launching import LaunchRequest
from buto.engine.placement import Placement
from buto.errors import BadFileError, ButoError, MeasureError
from buto.run.files import storage_errors
from buto.run.model import Run
from buto.run.objects import PassingStorage, new_archive
from buto.run.store import RunStore
from buto_cluster import worker
from buto_cluster.connection import Cluster
from buto_cluster.host import Host, Inputs

PIECE_BYTES = 4 << 20

MOST_ORDERS = 3
"""How often a launch is ordered of a host that lacks files of the program."""


class HostLostError(MeasureError):
    """The host did not answer to the end; the launch may be tried again."""


class Conversation:
    """One attempt; :meth:`carry_out` is called in a thread of its own, which waits for the host.

    Args:
        report_s: time between two reports of its progress, at least.
    """

    def __init__(
        self, cluster: Cluster, launch: LaunchRequest, inputs: Inputs, host: Host, *, report_s: float = 1.0
    ) -> None:
        self.launch = launch
        self.host = host
        self.key = f"buto-{launch.test}-{secrets.token_hex(8)}"
        self._cluster = cluster
        self._inputs = inputs
        self._report_s = report_s
        self._future: Future | None = None
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._n_tasks = 0

    def cancel(self) -> None:
        """Take the task back; the host stops its program if it still can. Usable from any thread."""
        with self._lock:
            self._is_cancelled = True
            future = self._future
        if future is not None and not future.cancelled():
            future.cancel(force=True)

    def carry_out(self) -> Run:
        """Return the run of the launch, not stored yet."""
        delivery = self._order()
        if isinstance(delivery, ButoError):
            raise self._on_host(delivery)
        return self._receive(delivery)

    def _order(self) -> worker.Delivery | ButoError:
        """Order the launch, and again after each time that the host lacked files."""
        order = worker.LaunchOrder(self.key, self._report_s, self.launch, self._inputs)
        for _ in range(MOST_ORDERS):
            answer: worker.Delivery | worker.Missing | ButoError = self._ask(worker.carry_out, order)
            if not isinstance(answer, worker.Missing):
                return answer
            for sha256 in answer.sha256s:
                self._send(sha256)
        return MeasureError(
            f"files of the program vanished from the host before the launch, {MOST_ORDERS} times in a row",
            advice="see what else removes files below the directory of its buto worker",
        )

    def _send(self, sha256: str) -> None:
        source = next(file for file in self._inputs.files if file.sha256 == sha256)
        n_pieces = max(1, -(-source.size_bytes // PIECE_BYTES))
        for number, content in enumerate(_pieces(Path(self._inputs.path(source)), n_pieces)):
            is_last = number == n_pieces - 1
            error = self._ask(worker.receive, sha256, [content], number == 0, is_last)
            if error is not None:
                raise self._on_host(error)

    def _on_host(self, error: ButoError) -> MeasureError:
        """Return an error of the host as that of one launch: a full disk there ends no other launch."""
        return MeasureError(f"on {self.host.name}: {error.message}", advice=error.advice)

    def _receive(self, delivery: worker.Delivery) -> Run:
        """Return the run, which is read like any stored one: a damaged one is refused."""
        test, run_id = self.launch.test, delivery.run_id
        storage = PassingStorage(Path(self.host.name))
        store = RunStore(storage.root, storage)
        with storage_errors("keep a run in", gettempdir()), new_archive() as archive:
            archive.write(delivery.archive)
            if not delivery.archive:
                for offset in range(0, delivery.size_bytes, worker.INLINE_BYTES):
                    archive.write(self._ask(worker.piece, test, run_id, offset))
            storage.hold(store.key(test, run_id), archive)
            try:
                run = store.load(test, run_id)
            except BadFileError as error:
                raise HostLostError(f"a run arrived damaged: {error.message}") from error
        if not delivery.archive:
            with suppress(HostLostError):
                self._ask(worker.discard, test, run_id)
        return run

    def _ask(self, function: Callable[..., object], *arguments: object) -> Any:
        self._n_tasks += 1
        with self._lock:
            if self._is_cancelled:
                raise HostLostError("the launch was taken back")
            self._future = future = self._cluster.submit(
                f"{self.key}-{self._n_tasks}", self.host.address, function, *arguments
            )
        try:
            return future.result()
        except (CancelledError, KilledWorker) as error:
            raise HostLostError(f"the host {self.host.name} was lost") from error
        except OSError as error:
            raise HostLostError(f"the host {self.host.name} could not answer: {error}") from error


def _pieces(path: Path, n_pieces: int) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            for _ in range(n_pieces):
                yield file.read(PIECE_BYTES)
    except OSError as error:
        raise MeasureError(
            f"{path} cannot be read any more, so that it cannot be sent: {error.strerror}"
        ) from error


@dataclass(slots=True)
class Placing:
    """Knows to which host each test is bound.

    The first launch of a test, or of a group of tests, binds it to a host, and all others go there. If the
    host is lost, another one of the same class takes its place. Tests whose detector judges runs from unlike
    hosts are not bound.
    """

    _bound: dict[str, Host] = field(default_factory=dict)

    def choose(self, launch: LaunchRequest, hosts: Mapping[str, Host], busy: Collection[str]) -> Host | None:
        """Return an idle host for a launch; None if it must wait.

        Args:
            hosts: those that answer, by address.
            busy: addresses of those that have a launch.
        """
        fit = [host for host in self.fitting(launch, hosts) if host.address not in busy]
        return max(fit, key=lambda host: host.likeness(launch.where), default=None)

    def fitting(self, launch: LaunchRequest, hosts: Mapping[str, Host]) -> list[Host]:
        """Return the hosts on which a launch may be carried out, idle or not."""
        where = launch.where
        fit = [host for host in hosts.values() if host.fits(where)]
        if where.spread:
            return fit
        bound = self._bound.get(_group(launch))
        if bound is not None:
            fit = [host for host in fit if host.host_class == bound.host_class]
        name = where.host if bound is None else bound.name
        return [host for host in fit if host.name == name] or fit

    def bind(self, launch: LaunchRequest, host: Host) -> None:
        self._bound[_group(launch)] = host


def unplaced(where: Placement, hosts: Collection[Host]) -> str:
    wanted = where.labels.describe()
    asked = [f"hosts: {{{wanted}}}"] if wanted else []
    asked += [f"{key} {value}, as in earlier runs" for key, value in where.required.items()]
    there = "; ".join(host.describe() for host in hosts) or "none"
    return f"no host of the cluster fits ({', '.join(asked) or 'any would'}); there are: {there}"


def _group(launch: LaunchRequest) -> str:
    return launch.where.group or launch.test
