"""What begins a project: what is read, what is written, and what is refused."""

from __future__ import annotations

import os
import socket
import threading
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from buto.actions import init
from buto.actions.init import begin, listing_of
from buto.errors import StorageError, UsageError
from buto.project import config


def jar(path: Path, main: str = "com.acme.Main", benchmarks: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\nMain-Class: {main}\r\n")
        if benchmarks:
            archive.writestr("META-INF/BenchmarkList", benchmarks)


def test_a_configuration_is_written_and_never_replaced_unless_that_is_asked_for(tmp_path: Path) -> None:
    jar(tmp_path / "target" / "shop-1.2.jar")
    begun = begin(tmp_path, force=False, launch=False)
    command = config.load(begun.path, {}).tests["shop"].target.command
    assert command == ("java", "-Xmx512m", "-jar", "target/shop-1.2.jar")
    begun.path.write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        begin(tmp_path, force=False, launch=False)
    assert begun.path.read_text() == "mine"
    begin(tmp_path, force=True, launch=False)
    assert "shop" in config.load(begun.path, {}).tests


def test_what_cannot_be_written_is_known_before_a_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar(tmp_path / "target" / "shop-1.2.jar")
    monkeypatch.setattr(init, "_launched", lambda *_: pytest.fail("it was launched"))
    (tmp_path / "buto.yaml").mkdir()
    with pytest.raises(StorageError, match="is a directory"):
        begin(tmp_path, force=True, launch=True)
    (tmp_path / "buto.yaml").rmdir()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StorageError, match="read-only"):
        begin(tmp_path, force=True, launch=True)


def test_a_project_that_is_not_built_and_a_directory_without_one_are_refused_with_the_next_step(
    tmp_path: Path,
) -> None:
    with pytest.raises(UsageError, match=r"there is no pom\.xml"):
        begin(tmp_path, force=False, launch=True)
    (tmp_path / "pom.xml").write_text("<project>spring-boot</project>")
    with pytest.raises(UsageError, match="no jar to launch") as refused:
        begin(tmp_path, force=False, launch=True)
    assert (refused.value.advice or "").startswith("mvn package")
    assert not (tmp_path / "buto.yaml").exists()


def test_benchmarks_are_read_from_their_list_and_sources_are_no_program(tmp_path: Path) -> None:
    line = "JMH S 13 com.acme.Sort S 42 com.acme.generated.Sort_quick_jmhTest S 5 quick S 10 Throughput E\n"
    jar(tmp_path / "target" / "benchmarks.jar", "org.openjdk.jmh.Main", line)
    jar(tmp_path / "target" / "benchmarks-sources.jar")
    (tmp_path / "target" / "broken.jar").write_bytes(b"no zip")
    listing = listing_of(tmp_path)
    assert [*listing.jars] == ["target/benchmarks.jar"]
    assert listing.jars["target/benchmarks.jar"].benchmarks == ("com.acme.Sort.quick",)


def test_tests_that_start_containers_are_pointed_to_the_module_of_junit(tmp_path: Path) -> None:
    jar(tmp_path / "target" / "shop.jar")
    (tmp_path / "pom.xml").write_text("<groupId>org.testcontainers</groupId>")
    assert any("buto-junit" in one for one in begin(tmp_path, force=False, launch=False).to_do)


def test_a_port_of_another_protocol_and_a_path_that_is_none_give_no_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"\x15\x03\x01\x00\x02\x02\x50")

        other = threading.Thread(target=answer)
        other.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        assert init._asked(f"{url}/") == (0, b"")
        other.join()
        assert init._asked(f"{url}/a b") == (0, b"")


def test_a_stream_without_an_end_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init, "_ANSWER_S", 0.2)
    gone = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def stream() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                while not gone.wait(0.01):
                    connection.sendall(b"data: 1\n\n")

        server = threading.Thread(target=stream)
        server.start()
        try:
            assert init._asked(f"http://127.0.0.1:{listening.getsockname()[1]}/") == (0, b"")
        finally:
            gone.set()
            server.join()
