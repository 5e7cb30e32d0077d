"""On which hosts of a cluster a test may be recorded, so that its runs can be judged together."""

from __future__ import annotations

from collections.abc import Mapping

from buto.config import TestConfig
from buto.detectors import registry
from buto.engine.placement import Placement
from buto.runs import MetadataValue
from buto.runs.model import WORKER

_HOST = "host."


def placement(test: TestConfig, like: Mapping[str, MetadataValue], group: str = "") -> Placement:
    """Return where the next runs of a test may be recorded.

    If the test's detector judges only runs of like machines, they come from the host of the earlier runs, or
    from another one of its class if that host is not there.

    Args:
        like: metadata of earlier runs; empty without any.
        group: tests of one group stay on one host; empty for a test that stands alone.
    """
    detector = registry.detector(test.settings.method)(test.settings)
    if not detector.exchangeable:
        return Placement(test.hosts, group, spread=True)
    decides = detector.metadata.is_deciding
    required = {key: value for key, value in like.items() if key.startswith(_HOST) and decides(key)}
    return Placement(test.hosts, group, False, required, like, str(like.get(WORKER) or ""))
