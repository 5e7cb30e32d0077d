"""The releases of Keycloak that the bed can be made of."""

from __future__ import annotations

from beds.artefacts import Artefact

_KEYCLOAK = ("org.keycloak", "keycloak-quarkus-dist")

KEYCLOAK = {
    release.version: release
    for release in (
        Artefact(
            *_KEYCLOAK, "26.0.8", "8cf143b894afcf7d3be4549dc5af4790bda63bd471a5ac8e384094fb729e4b15", "tar.gz"
        ),
        Artefact(
            *_KEYCLOAK, "26.7.3", "77657f30b7e90d70f727712ce1c967f430fd6a5e9f458d32d8c6df0635345f47", "tar.gz"
        ),
    )
}
CACHE_SET_WHEN_STARTED = frozenset({"26.0.8"})
"""Releases of Keycloak that refuse ``--cache`` when they are built."""
