"""Keycloak, PostgreSQL and a template of a database from Maven Central, ready, and their commands."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from beds.artefacts import CACHE, Artefact, BedError, made_once, unpack_once
from beds.postgresql import HOST, POSTGRESQL, Cluster, owner, programs

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


DATABASE_PORT = 5544
HTTP_PORT = 8180
MANAGEMENT_PORT = 8190


def server_command(keycloak: Path, *options: str, java: str = "java") -> list[str]:
    """Return how Keycloak is started as one Java process, without its shell script."""
    packages = ("util", "util.concurrent", "security", "lang")
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in packages]
    pool = "io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory"
    properties = {
        "kc.home.dir": str(keycloak),
        "jboss.server.config.dir": str(keycloak / "conf"),
        "java.util.logging.manager": "org.jboss.logmanager.LogManager",
        "java.util.concurrent.ForkJoinPool.common.threadFactory": pool,
    }
    keycloak_options = {
        "db-url": f"jdbc:postgresql://{HOST}:{DATABASE_PORT}/keycloak",
        "db-username": "keycloak",
        "http-enabled": "true",
        "http-host": HOST,
        "http-port": str(HTTP_PORT),
        "http-management-port": str(MANAGEMENT_PORT),
        "hostname-strict": "false",
        "cache": "local",
    }
    return [
        *(java, *options, *opened),
        *(f"-D{name}={value}" for name, value in properties.items()),
        *("-cp", str(keycloak / "lib" / "quarkus-run.jar"), "io.quarkus.bootstrap.runner.QuarkusEntryPoint"),
        *("start", "--optimized"),
        *(f"--{name}={value}" for name, value in keycloak_options.items()),
    ]


HERE = Path(__file__).parent
REALM = HERE / "realm.json"
USERS = HERE / "users.sql"
_BUILD_S = 300.0
_START_S = 300.0
_ANSWER_S = 120.0
_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Bed:
    """Where the prepared parts are.

    Attributes:
        keycloak: the directory of a Keycloak that was built for PostgreSQL.
        programs: the directory of PostgreSQL's programs.
        template: the directory of a database at rest; copied for every run.
    """

    keycloak: Path
    programs: Path
    template: Path


def prepare(keycloak: str, postgresql: str, statements: tuple[str, ...] = ()) -> Bed:
    """Return the bed of these versions, made unless it was before.

    Args:
        statements: of SQL, carried out in the database after it was filled.

    Raises:
        BedError: something is missing, or a server fails.
    """
    bed = Bed(
        _built(unpack_once(KEYCLOAK[keycloak]), keycloak),
        programs(postgresql),
        _template(keycloak, postgresql),
    )
    made_once(bed.template, lambda draft: _fill(bed, draft))
    if not statements:
        return bed
    digest = hashlib.sha256(";".join(statements).encode()).hexdigest()[:8]
    changed = replace(bed, template=bed.template.with_name(f"{bed.template.name}-{digest}"))
    made_once(changed.template, lambda draft: _change(bed, statements, draft))
    return changed


def is_prepared(keycloak: str, postgresql: str) -> bool:
    """Return whether :func:`prepare` has made the bed of these versions, which takes minutes."""
    return _template(keycloak, postgresql).exists()


def _template(keycloak: str, postgresql: str) -> Path:
    return CACHE / f"database-{keycloak}-{postgresql}-{_content()}"


def _change(bed: Bed, statements: tuple[str, ...], draft: Path) -> None:
    shutil.copytree(bed.template, draft)
    if os.geteuid() == 0:
        for path in (draft, *draft.rglob("*")):
            shutil.chown(path, owner())
    cluster = _cluster(bed, draft)
    with cluster.running():
        cluster.execute("keycloak", ";".join((*statements, "vacuum analyze")))


def _cluster(bed: Bed, directory: Path) -> Cluster:
    return Cluster(bed.programs, directory, "keycloak", DATABASE_PORT)


def _content() -> str:
    """Return what tells databases of other users or another realm apart."""
    return hashlib.sha256(REALM.read_bytes() + USERS.read_bytes()).hexdigest()[:8]


def _built(unpacked: Path, version: str) -> Path:
    """Return Keycloak's own directory, built for PostgreSQL with its metrics on."""
    [home] = [path for path in unpacked.iterdir() if (path / "bin" / "kc.sh").exists()]
    done = home / "built-for-postgresql"
    if not done.exists():
        options = ["--db=postgres", "--metrics-enabled=true", "--health-enabled=true"]
        if version not in CACHE_SET_WHEN_STARTED:
            options.append("--cache=local")
        command = [str(home / "bin" / "kc.sh"), "build", *options]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_S, check=False)
        if ended.returncode:
            said = ended.stdout[-2000:] + ended.stderr[-2000:]
            raise BedError(f"Keycloak could not be built: {said}")
        done.touch()
    return home


def _fill(bed: Bed, directory: Path) -> None:
    cluster = _cluster(bed, directory)
    cluster.create()
    with cluster.running():
        cluster.execute("postgres", "create database keycloak")
        with _server(bed.keycloak):
            _create_realm()
        cluster.execute("keycloak", USERS.read_text())


@contextmanager
def _server(keycloak: Path) -> Iterator[None]:
    environment = os.environ | {
        "KC_BOOTSTRAP_ADMIN_USERNAME": "admin",
        "KC_BOOTSTRAP_ADMIN_PASSWORD": "admin",
    }
    with (CACHE / "keycloak.log").open("wb") as log:
        process = subprocess.Popen(
            server_command(keycloak, "-Xmx512m"), env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _wait_until_ready(process)
            yield
        finally:
            process.terminate()
            try:
                process.wait(_ANSWER_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise BedError(
                f"Keycloak ended with exit code {process.returncode}; see {CACHE / 'keycloak.log'}"
            )
        try:
            with urllib.request.urlopen(f"http://{HOST}:{MANAGEMENT_PORT}/health/ready", timeout=5):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(_LOOK_S)
    raise BedError(f"Keycloak was not ready after {_START_S:.0f} s; see {CACHE / 'keycloak.log'}")


def _create_realm() -> None:
    form = {"client_id": "admin-cli", "grant_type": "password", "username": "admin", "password": "admin"}
    answer = _post("/realms/master/protocol/openid-connect/token", urllib.parse.urlencode(form).encode())
    token = json.loads(answer)["access_token"]
    _post("/admin/realms", REALM.read_bytes(), token)


def _post(path: str, body: bytes, token: str = "") -> bytes:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"} if token else {}
    request = urllib.request.Request(f"http://{HOST}:{HTTP_PORT}{path}", body, headers)
    with urllib.request.urlopen(request, timeout=_ANSWER_S) as answer:
        content: bytes = answer.read()
        return content


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m beds.keycloak.prepare", description=__doc__)
    parser.add_argument("--keycloak", choices=sorted(KEYCLOAK), default=max(KEYCLOAK), metavar="VERSION")
    parser.add_argument(
        "--postgresql", choices=sorted(POSTGRESQL), nargs="+", default=["17"], metavar="MAJOR"
    )
    chosen = parser.parse_args()
    try:
        for major in chosen.postgresql:
            print(f"Keycloak {chosen.keycloak} on PostgreSQL {major}", flush=True)
            print(f"  database: {prepare(chosen.keycloak, major).template}", flush=True)
    except BedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
