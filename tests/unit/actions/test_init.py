"""What begins a project: what is read, what is written, and what is refused."""

from __future__ import annotations

import os
import re
import resource
import shutil
import socket
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from buto.actions import init
from buto.actions.init import begin, listing_of
from buto.errors import StorageError, UsageError
from buto.measure.target import PROCESS
from buto.project import config
from buto.project.endpoints import actuator_endpoints, openapi_endpoints
from buto.project.first import FirstLaunch
from buto.project.layout import of_command
from tests.support.runs.stored import leaking_run


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


def test_a_jar_without_a_build_is_found_beside_the_configuration_and_a_tool_of_a_build_is_not(
    tmp_path: Path,
) -> None:
    jar(tmp_path / "shop-1.2.jar")
    assert list(listing_of(tmp_path).jars) == ["shop-1.2.jar"]
    (tmp_path / "pom.xml").write_text("<project/>")
    assert list(listing_of(tmp_path).jars) == []


def test_a_path_that_answers_well_is_not_said_to_be_none(tmp_path: Path) -> None:
    proposal = of_command(("java", "-jar", "shop.jar"), listing_of(tmp_path))
    for status, answers in ((200, True), (404, False)):
        look = FirstLaunch(port=8080, status=status)
        seen, to_do = init._remarks(proposal, {"shop": look}, leaking_run(0))
        assert any("/ answered well" in text for text in seen) is answers
        assert any(text.startswith("only / is known") for text in to_do) is answers
        assert any(text.startswith("nothing is known") for text in to_do) is not answers


def test_what_cannot_be_written_is_known_before_a_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar(tmp_path / "target" / "shop-1.2.jar")
    monkeypatch.setattr(init, "_launch", lambda *_: pytest.fail("it was launched"))
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


def test_a_command_that_is_not_launched_gets_placeholders_for_what_a_server_needs(tmp_path: Path) -> None:
    begun = init.begin(tmp_path, force=False, launch=False, command=("java", "-jar", "shop-1.2.jar", "--all"))
    text = begun.path.read_text()
    (test,) = config.load(begun.path).tests.values()
    assert (test.name, test.target.command) == ("shop", ("java", "-jar", "shop-1.2.jar", "--all"))
    assert test.workload is None
    assert begun.to_do == (
        "it was not launched: see that the command is right; if it serves, fill in the workload",
    )
    begun.path.write_text(re.sub(r"^    # (?!If it)", "    ", text, flags=re.MULTILINE))
    (filled,) = config.load(begun.path).tests.values()
    assert filled.workload is not None and filled.workload.load is not None
    assert filled.workload.ready is not None and filled.workload.stop


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
    assert any("buto-junit" in step for step in begin(tmp_path, force=False, launch=False).to_do)


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
        assert init._ask(f"{url}/") == (0, b"")
        other.join()
        assert init._ask(f"{url}/a b") == (0, b"")


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
            assert init._ask(f"http://127.0.0.1:{listening.getsockname()[1]}/") == (0, b"")
        finally:
            gone.set()
            server.join()


def encrypted(path: Path) -> None:
    jar(path)
    content = bytearray(path.read_bytes())
    # The flag of encryption, in the header of the entry and in the list.
    content[6] |= 1
    content[content.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(content)


def packed(path: Path, method: int, size: int) -> None:
    with zipfile.ZipFile(path, "w", method) as archive, archive.open(MANIFEST, "w") as entry:
        for _ in range(size >> 20):
            entry.write(b"a" * (1 << 20))


def of_many_entries(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(3):
            archive.writestr("x" * 50_000 + str(number), "")
    content = path.read_bytes()
    end = content.rindex(b"PK\5\6")
    path.write_bytes(content[: end + 12] + (1 << 24).to_bytes(4, "little") + content[end + 16 :])


MANIFEST = "META-INF/MANIFEST.MF"
STRANGE: dict[str, Callable[[Path], object]] = {
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a pipe": os.mkfifo,
    "a directory": Path.mkdir,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "empty": Path.touch,
    "no archive": lambda path: path.write_bytes(b"PK\3\4" + bytes(100)),
    "encrypted": encrypted,
    "packed by bzip2": lambda path: packed(path, zipfile.ZIP_BZIP2, 1 << 26),
    "packed by lzma": lambda path: packed(path, zipfile.ZIP_LZMA, 1 << 20),
    "a large manifest": lambda path: packed(path, zipfile.ZIP_DEFLATED, 1 << 28),
    "many entries": of_many_entries,
}


@pytest.mark.parametrize("kind", STRANGE)
def test_a_strange_jar_is_skipped_with_a_line(tmp_path: Path, kind: str) -> None:
    (tmp_path / "target").mkdir()
    STRANGE[kind](tmp_path / "target" / "strange.jar")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UsageError):
        begin(tmp_path, force=False, launch=False)
    jar(tmp_path / "target" / "shop-1.2.jar")
    begun = begin(tmp_path, force=False, launch=False)
    assert list(config.load(begun.path, {}).tests) == ["shop"]
    assert any("target/strange.jar is skipped: " in line for line in begun.seen)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


@pytest.mark.parametrize("name", ["pom.xml", "src/main/resources/application.yml", "src/main/java/A.java"])
@pytest.mark.parametrize("kind", ["a pipe", "a link to nothing", "a device", "a directory"])
def test_a_strange_file_of_a_project_is_not_there(tmp_path: Path, name: str, kind: str) -> None:
    jar(tmp_path / "target" / "shop-1.2.jar")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    STRANGE[kind](tmp_path / name)
    assert list(config.load(begin(tmp_path, force=False, launch=False).path, {}).tests) == ["shop"]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_configuration_is_not_written_through_a_link(tmp_path: Path, force: bool, is_there: bool) -> None:
    jar(tmp_path / "target" / "shop-1.2.jar")
    target = tmp_path / "elsewhere"
    if is_there:
        target.write_text("mine")
    (tmp_path / "buto.yaml").symlink_to(target)
    with pytest.raises(UsageError, match="is a link"):
        begin(tmp_path, force=force, launch=False)
    assert (target.read_text() if target.exists() else None) == ("mine" if is_there else None)


@pytest.mark.parametrize(
    "answer",
    [
        {"paths": {"/a": {"get": {"parameters": 7}}}},
        {"paths": {"/a": {"get": {"parameters": ["x", {"in": "query", "required": True}]}}}},
        {"requestMappingConditions": {"patterns": 7, "methods": [5]}},
    ],
)
def test_an_answer_of_another_shape_has_no_endpoints_or_fewer(answer: dict[str, Any]) -> None:
    for read in (openapi_endpoints, actuator_endpoints):
        assert all(isinstance(endpoint.path, str) for endpoint in read(answer))


@pytest.mark.parametrize("launch", [False, True])
def test_a_native_executable_is_measured_as_a_process(tmp_path: Path, *, launch: bool) -> None:
    shutil.copy("/bin/true", tmp_path / "native")
    begun = begin(tmp_path, force=False, launch=launch, command=(str(tmp_path / "native"),))
    (test,) = config.load(begun.path, {}).tests.values()
    assert test.target.collector == PROCESS


@pytest.mark.parametrize("command", [("env", "A=1", "java", "-version"), ("bash", "run.sh"), ("nice", "./x")])
def test_what_a_program_of_the_system_starts_is_known_after_a_launch_only(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    begun = begin(tmp_path, force=False, launch=False, command=command)
    (test,) = config.load(begun.path, {}).tests.values()
    assert test.target.collector == "agent"


def test_a_script_may_start_a_jvm(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    begun = begin(tmp_path, force=False, launch=False, command=(str(script),))
    (test,) = config.load(begun.path, {}).tests.values()
    assert test.target.collector == "agent"
