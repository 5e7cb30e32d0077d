"""From a service that buto does not know to a recorded run: what init asks, writes, and launches once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from buto.project import config
from buto.run.store import RunStore
from buto.run.window import cut_to_window, window_of
from tests.support.checkout import java_build
from tests.support.processes.command import called

SERVER = """
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.List;

public class Server {
    static final List<String> KNOWN =
        List.of("/q/health/ready", "/pages", "/pages/1", "/pages/2", "/pages/1/notes/1", "/find?word=a");
    static final long BEGUN = System.nanoTime();

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            boolean ready = System.nanoTime() - BEGUN > 300_000_000L;
            boolean known = KNOWN.contains(exchange.getRequestURI().toString());
            exchange.sendResponseHeaders(ready ? known ? 200 : 404 : 503, -1);
            exchange.close();
        });
        server.start();
    }
}
"""
RESOURCE = """
@Path("/")
public class Pages {
    @GET @Path("/pages") public String all() { return ""; }
    @GET @Path("/pages/{page}") public String one(@PathParam("page") String page) { return page; }
    @GET @Path("/pages/{page}/notes/{note}") public String note() { return ""; }
    @GET @Path("/find") public String find(@QueryParam("word") String word) { return word; }
    @GET @Path("/gone") public String gone() { return ""; }
    @POST @Path("/pages") public void add() { }
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A service that looks as if Quarkus had built it."""
    (tmp_path / "pom.xml").write_text("<groupId>io.quarkus</groupId>")
    (tmp_path / "src" / "main").mkdir(parents=True)
    (tmp_path / "src" / "main" / "Pages.java").write_text(RESOURCE)
    (tmp_path / "Server.java").write_text(SERVER)
    javac = java_build().find_javac()
    subprocess.run([javac, "-d", "classes", "Server.java"], cwd=tmp_path, check=True, timeout=120)
    place = tmp_path / "target" / "quarkus-app"
    place.mkdir(parents=True)
    jar = [
        str(Path(javac).with_name("jar")),
        "-cfe",
        str(place / "quarkus-run.jar"),
        "Server",
        "-C",
        "classes",
    ]
    subprocess.run([*jar, "."], cwd=tmp_path, check=True, timeout=120)
    return tmp_path


@pytest.mark.all
def test_a_server_that_is_given_by_its_command_gets_a_load_of_what_it_opened(project: Path) -> None:
    (project / "Server.java").write_text(SERVER.replace('List.of("', 'List.of("/", "'))
    javac = java_build().find_javac()
    subprocess.run([javac, "-d", "classes", "Server.java"], cwd=project, check=True, timeout=120)
    said = called(project, "init", "--", "java", "-cp", "classes", "Server", "serve", exits=0)
    assert "it answered at port " in said.stdout
    assert "to do: port, ready and requests are what the first launch opened: look at them" in said.stdout
    path = project / "buto.yaml"
    text = path.read_text()
    assert "LOOK AT" in text
    tests = config.load(path, {}).tests
    assert list(tests) == ["server", "server-start"]
    assert tests["server"].target.command == ("java", "-cp", "classes", "Server", "serve")
    workload = tests["server"].workload
    assert workload is not None and workload.stop and workload.load is not None
    path.write_text(
        text.replace(f"port: {workload.port}", "port: any").replace("duration: 8s", "duration: 1s")
    )
    called(project, "record", "server", exits=0)
    assert len(RunStore(project / ".buto").load_set("server").valid()) == 1


def test_a_program_that_ends_by_itself_gets_its_command_alone(project: Path) -> None:
    (project / "Short.java").write_text("class Short { public static void main(String[] args) {} }")
    called(project, "init", "--", "java", "Short.java", "100", exits=0)
    (test,) = config.load(project / "buto.yaml", {}).tests.values()
    assert (test.target.command, test.workload) == (("java", "Short.java", "100"), None)


@pytest.mark.parametrize(("works_ms", "is_short"), [(0, True), (700, False)])
def test_only_a_program_of_a_few_samples_is_told_to_do_more(
    project: Path, works_ms: int, is_short: bool
) -> None:
    (project / "Works.java").write_text(
        "class Works { public static void main(String[] args) throws Exception { Thread.sleep("
        f"{works_ms}); }} }}"
    )
    subprocess.run(["javac", "Works.java"], cwd=project, timeout=60, check=True)
    done = called(project, "init", "--", "java", "-cp", ".", "Works", exits=0)
    assert ("too short" in done.stdout) is is_short


def test_a_program_that_needs_arguments_is_told_how_to_give_them(project: Path) -> None:
    (project / "Picky.java").write_text(
        "class Picky { public static void main(String[] args) { System.exit(args.length - 1); } }"
    )
    failed = called(project, "init", "--", "java", "Picky.java", exits=3)
    assert "give all that it needs: buto init -- java Picky.java ..." in failed.stderr
    assert not (project / "buto.yaml").exists()


def test_what_answers_becomes_the_load_of_two_tests_that_one_launch_serves(project: Path) -> None:
    said = called(project, "init", exits=0)
    assert "; 4 endpoints answered well" in said.stdout
    assert "to do: 1 endpoint did not answer well" in said.stdout
    assert "to do: 1 endpoint may change data" in said.stdout
    path = project / "buto.yaml"
    (name, start) = config.load(path, {}).tests
    workload = config.load(path, {}).tests[name].workload
    assert workload is not None and workload.load is not None
    assert [request_kind.path for request_kind in workload.load.kinds] == [
        "/pages",
        "/pages/${page}",
        "/pages/${page-1}/notes/${note}",
        "/find?word=${word}",
    ]
    values = workload.load.variables
    assert [values[value].last for value in ("page", "page-1", "note")] == [2, 1, 1]
    assert values["word"].texts == ("a",)
    text = path.read_text()
    assert '# gone: {path: "/gone"}   # answered 404' in text
    path.write_text(
        text.replace(f"port: {workload.port}", "port: any").replace("duration: 8s", "duration: 1s")
    )
    called(project, "record", exits=0)
    store = RunStore(project / ".buto")
    assert store.ids(name) == store.ids(start) and len(store.ids(name)) == 1
    loaded, started = (store.load(test, store.ids(test)[0]) for test in (name, start))
    whole, begun = window_of(loaded), window_of(started)
    assert whole is not None and begun is not None
    assert begun[0] == 0.0 < begun[1] < whole[0] < whole[1]
    assert np.nanmax(cut_to_window(loaded).series("load.throughput[pages]")) > 0
    assert np.isnan(cut_to_window(started).series("load.throughput[pages]")).all()
