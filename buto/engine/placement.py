"""Where the runs of a test may be recorded, if there are several hosts."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from buto.judging import registry
from buto.judging.settings import Settings
from buto.run.model import WORKER, MetadataValue
from buto.run.patterns import fits

_HOST = "host."


class HostLabels(Struct, frozen=True):
    """Which hosts a test asks for; an empty pattern fits all.

    Attributes:
        name: shell pattern for the host's name.
        cpu: shell pattern for the model of its processor.
        tags: it must have all of these.
    """

    name: str = ""
    cpu: str = ""
    tags: tuple[str, ...] = ()

    def fit(self, name: str, cpu: str, tags: tuple[str, ...]) -> bool:
        """Return whether a host of this name, processor and tags may be used."""
        return (
            (not self.name or fits(name, self.name))
            and (not self.cpu or fits(cpu, self.cpu))
            and set(self.tags) <= set(tags)
        )

    def describe(self) -> str:
        """Return the labels as in a configuration; empty without any."""
        parts = [f"{key}: {value}" for key, value in (("name", self.name), ("cpu", self.cpu)) if value]
        parts += [f"tag: {tag}" for tag in self.tags]
        return ", ".join(parts)


ANY_HOST = HostLabels()


class Placement(Struct, frozen=True):
    """Where the runs of a test may be recorded.

    Attributes:
        labels: of the hosts that the test asks for.
        group: tests of one group stay on one host; empty for a test that stands alone.
        spread: whether runs of one test may come from several hosts, because its detector judges such runs.
        required: metadata ``host.*`` that a host must have, because earlier runs come from such a host.
        like: metadata of earlier runs; the host that has most of it in common is preferred.
        host: name of the host that recorded the earlier runs, which is taken if it is there; may be empty.
    """

    labels: HostLabels = ANY_HOST
    group: str = ""
    spread: bool = False
    required: Mapping[str, MetadataValue] = field(default_factory=dict)
    like: Mapping[str, MetadataValue] = field(default_factory=dict)
    host: str = ""


ANYWHERE = Placement()


def placement(
    hosts: HostLabels, settings: Settings, like: Mapping[str, MetadataValue], group: str = ""
) -> Placement:
    """Return where the next runs of a test may be recorded, so that they can be judged together.

    If the test's detector judges only runs of like machines, they come from the host of the earlier runs, or
    from another one of its class if that host is not there.

    Args:
        hosts: that the test asks for.
        settings: how it is judged.
        like: metadata of earlier runs; empty without any.
        group: tests of one group stay on one host; empty for a test that stands alone.
    """
    detector = registry.detector(settings.method)(settings)
    if not detector.exchangeable:
        return Placement(hosts, group, spread=True)
    decides = detector.metadata.is_deciding
    required = {key: value for key, value in like.items() if key.startswith(_HOST) and decides(key)}
    return Placement(hosts, group, False, required, like, str(like.get(WORKER) or ""))
