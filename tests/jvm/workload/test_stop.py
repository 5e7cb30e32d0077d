"""How a service ends that buto asks to end after its load, and one that ends by itself before that."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from buto.run.model import ProblemKind, Run
from buto.run.store import RunStore
from tests.support.checkout import java_build
from tests.support.processes.command import buto

SERVICE = """
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;

public class Service {
    public static void main(String[] args) throws Exception {
        int asked = Integer.parseInt(args[0]), stopped = Integer.parseInt(args[1]);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (stopped >= 0) {
                Runtime.getRuntime().halt(stopped);
            }
        }));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            if (asked >= 0) {
                System.err.println("java.lang.IllegalStateException: table lost");
                Runtime.getRuntime().halt(asked);
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }
}
"""
"""Its arguments: the exit code after a request, and that after a signal; -1 for neither."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("service")
    (directory / "Service.java").write_text(SERVICE)
    javac = java_build().find_javac()
    subprocess.run([javac, "-d", ".", "Service.java"], cwd=directory, check=True, timeout=120)
    return directory


def record(service: Path, directory: Path, command: str) -> tuple[int, str, Run]:
    """The exit code of a recording, what it said, and its run."""
    load = {
        "url": "http://127.0.0.1:${port}",
        "requests": {"all": {"path": "/"}},
        "rate": 20,
        "duration": 0.5,
    }
    test = {
        "command": ["sh", "-c", command.replace("JAVA", f"java -Xmx64m -cp {service} Service")],
        "interval": "50ms",
        "workload": {"port": "any", "load": load, "stop": True},
    }
    (directory / "buto.yaml").write_text(json.dumps({"version": 1, "tests": {"service": test}}))
    done = buto(directory, "record", "service")
    [run] = RunStore(directory / ".buto").load_set("service")
    return done.returncode, done.stderr, run


@pytest.mark.parametrize(
    ("command", "ended"),
    [
        pytest.param("exec JAVA -1 -1", (143, None), id="by the signal"),
        pytest.param("exec JAVA -1 0", (0, None), id="by a hook", marks=pytest.mark.all),
        pytest.param("JAVA -1 -1; true", (None, 15), id="a script"),
        pytest.param(
            "trap 'wait; exit 130' TERM; JAVA -1 -1 & wait",
            (130, None),
            id="a script that waits",
            marks=pytest.mark.all,
        ),
    ],
)
def test_a_service_that_ends_because_it_was_asked_to_has_ended_well(
    service: Path, tmp_path: Path, command: str, ended: tuple[int | None, int | None]
) -> None:
    code, said, run = record(service, tmp_path, command)
    assert code == 0, said
    assert (run.outcome.exit_code, run.outcome.signal) == ended
    assert run.metadata["buto.jvm"] == "Service"


def test_a_service_that_ends_otherwise_than_asked_has_failed(service: Path, tmp_path: Path) -> None:
    code, said, run = record(service, tmp_path, "exec JAVA -1 9")
    assert code == 3
    assert "the program exited with code 9" in said
    assert [problem.kind for problem in run.quality.problems] == [ProblemKind.EXIT_CODE]


@pytest.mark.parametrize("ends", [0, 9])
def test_a_service_that_ends_by_itself_has_failed_and_its_end_is_the_cause(
    service: Path, tmp_path: Path, ends: int
) -> None:
    code, said, run = record(service, tmp_path, f"exec JAVA {ends} -1")
    assert code == 3
    kinds = [problem.kind for problem in run.quality.problems]
    assert kinds[:2] == [ProblemKind.EXIT_CODE, ProblemKind.WORKLOAD]
    failed = next(line for line in said.splitlines() if line.startswith("buto: "))
    cause = "java.lang.IllegalStateException: table lost"
    assert failed == f"buto: service: the program exited with code {ends} during its workload: {cause}"
