"""How Keycloak is started, as one process, and the ports of the bed."""

from __future__ import annotations

from pathlib import Path

from beds.postgresql import HOST

DATABASE_PORT = 5544
HTTP_PORT = 8180
MANAGEMENT_PORT = 8190


def server_command(keycloak: Path, *options: str, java: str = "java") -> list[str]:
    """Return how Keycloak is started as one Java process, without its shell script.

    Args:
        options: of the JVM.
        java: the program that runs it.
    """
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
