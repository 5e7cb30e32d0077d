"""How the bed's two servers are started, each as one process."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

HOST = "127.0.0.1"
DATABASE_PORT = 5544
HTTP_PORT = 8180
MANAGEMENT_PORT = 8190


def owner() -> str:
    """Return the user that PostgreSQL runs as: it refuses root."""
    return "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def database_command(programs: Path, directory: Path) -> list[str]:
    """Return how PostgreSQL is started in the foreground."""
    settings = {
        "listen_addresses": HOST,
        "port": str(DATABASE_PORT),
        "unix_socket_directories": "",
        "shared_preload_libraries": "pg_stat_statements",
        "track_io_timing": "on",
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [str(programs / "postgres"), "-D", str(directory), *options]


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
