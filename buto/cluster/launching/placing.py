"""Choose the host of each launch, so that runs which are judged together can be compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from buto.cluster.host import Host
from buto.engine.placement import Placement
from buto.engine.protocol import Launch


@dataclass(slots=True)
class Placing:
    """Knows to which host each test is bound.

    The first launch of a test, or of a group of tests, binds it to a host, and all others go there. If the
    host is lost, another one of the same class takes its place. Tests whose detector judges runs from unlike
    hosts are not bound.
    """

    _bound: dict[str, Host] = field(default_factory=dict)

    def choose(self, launch: Launch, hosts: Mapping[str, Host], busy: Collection[str]) -> Host | None:
        """Return an idle host for a launch; None if it must wait.

        Args:
            hosts: those that answer, by address.
            busy: addresses of those that have a launch.
        """
        fit = [host for host in self.fitting(launch, hosts) if host.address not in busy]
        return max(fit, key=lambda host: host.likeness(launch.where), default=None)

    def fitting(self, launch: Launch, hosts: Mapping[str, Host]) -> list[Host]:
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

    def bind(self, launch: Launch, host: Host) -> None:
        """Note that a launch is carried out on a host."""
        self._bound[_group(launch)] = host


def unplaced(where: Placement, hosts: Collection[Host]) -> str:
    """Return why no host fits, as a message."""
    wanted = where.labels.describe()
    asked = [f"hosts: {{{wanted}}}"] if wanted else []
    asked += [f"{key} {value}, as in earlier runs" for key, value in where.required.items()]
    there = "; ".join(host.describe() for host in hosts) or "none"
    return f"no host of the cluster fits ({', '.join(asked) or 'any would'}); there are: {there}"


def _group(launch: Launch) -> str:
    return launch.where.group or launch.test
