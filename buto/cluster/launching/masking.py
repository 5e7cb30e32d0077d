"""Secrets of the caller that travel with a launch, so that its host masks them, too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace

from buto.engine.protocol import Launch


def with_secrets(launch: Launch) -> Launch:
    """Return a launch that names the secrets which this machine knows and which occur in what travels.

    The value of a variable of this machine may be in the command, without the name that makes it a secret.
    """
    mask = launch.target.new_mask()
    secrets = tuple(sorted({value for text in _texts(launch) for value in mask.known_in(text)}))
    services = tuple(replace(service, secrets=secrets) for service in launch.setup.services)
    return replace(
        launch,
        target=replace(launch.target, secrets=secrets),
        setup=replace(launch.setup, services=services),
    )


def _texts(value: object) -> Iterator[str]:
    """Yield all texts in plain data, at any depth."""
    if isinstance(value, str | os.PathLike):
        yield os.fspath(value)
    elif is_dataclass(value):
        for one in fields(value):
            yield from _texts(getattr(value, one.name))
    elif isinstance(value, Mapping):
        yield from _texts((*value.keys(), *value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _texts(item)
