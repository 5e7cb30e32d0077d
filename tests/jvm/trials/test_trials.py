"""Two trials of new users, with pytest and with a service: from nothing to a pass and a regression."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.checkout import ROOT, java_build
from tests.support.judging import BY_HEAP, know_a_busy_machine, literal, without_turns
from tests.support.processes.sample_project import compile_sample
from tests.support.trial import Trial

pytestmark = pytest.mark.all

ORDERS = "test_shop.py::test_orders"
SIZES = """
import pytest

@pytest.mark.buto(main="Shop", classpath="classes", args=["20"])
@pytest.mark.parametrize(
    "size", [pytest.param(size, marks=pytest.mark.buto(args=[size])) for size in ("40", "60")]
)
def test_sizes(size):
    pass
"""


@pytest.fixture
def shop(tmp_path: Path) -> Trial:
    directory = tmp_path / "project"
    leave = shutil.ignore_patterns("classes", "oracles", ".*")
    shutil.copytree(ROOT / "examples" / "pytest", directory, ignore=leave)
    compile_sample(directory)
    tests = directory / "test_shop.py"
    tests.write_text(tests.read_text().replace("buto(main=", f"buto(judge={literal(BY_HEAP)}, main=", 1))
    options = "-p no:cacheprovider -o buto_interval=200ms -o buto_runs=5"
    return Trial(directory, environment={"PYTEST_ADDOPTS": options})


def test_pytest(shop: Trial) -> None:
    shop.types(f"pytest {ORDERS}", code=1)
    assert "has no oracle yet" in shop.first("^'test_shop|has no oracle")
    shop.types(shop.advice("--buto-train"), code=0)
    shop.types(f"pytest -v {ORDERS}", code=0)
    shop.first("PASS  test_shop.test_orders: ")

    oracle = shop.directory / "oracles" / "test_shop.test_orders.json"
    know_a_busy_machine(oracle)
    without_turns(oracle)
    source = shop.directory / "Shop.java"
    source.write_text(source.read_text().replace("20_000", "400_000"))
    compile_sample(shop.directory)
    shop.types(f"pytest {ORDERS}", code=1)
    assert "test_orders: without turns, allocates " in shop.first("^REGRESSION  ")
    assert not any("--buto-why" in sentence or "--buto-train" in sentence for sentence in shop.advised)
    shop.types(shop.advice("--buto-accept"), code=0)
    assert ": 5 runs, 3 of them judged before" in shop.first("^ACCEPTED ")
    assert shop.first("failed for ").endswith(": expected now")
    shop.types(f"pytest {ORDERS}", code=0)


def test_pytest_starts_what_the_mark_of_a_parameter_says(shop: Trial) -> None:
    (shop.directory / "test_sizes.py").write_text(SIZES)
    shop.types("pytest test_sizes.py --buto-train", code=0)
    oracles = [json.loads(path.read_text()) for path in (shop.directory / "oracles").glob("*.json")]
    started = {oracle["test"]: oracle["target"]["command"][-1] for oracle in oracles}
    assert started == {f"test_sizes.test_sizes[{size}]": size for size in ("40", "60")}


SERVER = """
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Server {
    static final int STATUS = 200;

    public static void main(String[] args) throws Exception {
        InetSocketAddress place = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]));
        HttpServer server = HttpServer.create(place, 0);
        server.createContext("/", exchange -> {
            String asks = exchange.getRequestHeaders().getFirst("User-Agent");
            exchange.sendResponseHeaders(asks.startsWith("Python-urllib") ? 200 : STATUS, -1);
            exchange.close();
        });
        server.start();
    }
}
"""


def test_a_service(tmp_path: Path) -> None:
    """Of which buto knows its command alone, and which then fails its requests."""
    source = tmp_path / "Server.java"

    def build(status: int) -> None:
        source.write_text(SERVER.replace("STATUS = 200", f"STATUS = {status}"))
        javac = java_build().find_javac()
        subprocess.run([javac, "-d", "classes", "Server.java"], cwd=tmp_path, check=True, timeout=120)

    build(200)
    user = Trial(tmp_path)
    user.types("buto init -- java -cp classes Server", code=3)
    assert "exited with code 1" in user.first("^buto: ")
    assert user.advice("buto init -- java -cp classes Server")
    user.types("buto init -- java -cp classes Server 0", code=0)
    user.first("it answered at port ")
    user.first("to do: port, ready and requests are what the first launch opened")
    path = tmp_path / "buto.yaml"
    text = path.read_text().replace("duration: 8s", "duration: 1s").replace("runs: 10 ", "runs: 5 ")
    lines = [
        line if not line.strip().startswith("port:") else "      port: any" for line in text.splitlines()
    ]
    path.write_text("\n".join([*lines, ""]).replace("defaults:", f"defaults:\n  judge: {literal(BY_HEAP)}"))
    user.types("buto train server", code=0)
    user.first("^TRAINED  server: 5 runs")
    user.types("buto check server", code=0)
    user.first("^PASS  server: ")

    build(500)
    user.types("buto check server", code=3)
    failed = user.first("requests failed")
    assert "GET /: HTTP 500 (" in failed
    assert "143" not in user.output
