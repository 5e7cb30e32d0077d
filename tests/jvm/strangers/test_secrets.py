"""A program that is given secrets and tells them to everybody: not a byte of them is in what buto writes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from buto.measure.jmx.worker_client import Worker
from buto.run.masking import MASKED
from buto.run.store import RunStore
from tests.support.judging import BY_HEAP, literal
from tests.support.processes.command import buto as call_buto

SECRETS = {
    "SHOP_PASSWORD": "Zwiebelkuchen-17",
    "SHOP_TOKEN": "tok!Pfefferminze",
    "SHOP_LICENCE": "licence/of/Sauerkraut",
}
PROPERTY = "Kartoffel puffer 9"
SMALL = ("-Xmx64m", "-XX:+UseSerialGC")
"""Options of a heap that does not depend on the machine."""

CONFIG = f"""\
version: 1
defaults: {{mask: ['*.licence'], interval: 1s, runs: 5, judge: {literal(BY_HEAP)}}}
tests:
  shop:
    command:
      - java
      - -Xmx64m
      - -XX:+UseSerialGC
      - -Dshop.password=${{SHOP_PROPERTY}}
      - -Dshop.licence=${{SHOP_LICENCE}}
      - -cp
      - CLASSES
      - Talkative
      - --token
      - ${{SHOP_TOKEN}}
    mbeans: [{{name: 'shop:*', metadata: [Password, Url]}}]
"""


@pytest.fixture
def project(tmp_path: Path, classes: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    (directory / "buto.yaml").write_text(CONFIG.replace("CLASSES", str(classes)))
    return directory


def buto(directory: Path, *arguments: str, code: int = 0) -> str:
    """What it prints, on both outputs; what it writes is below its directory."""
    done = call_buto(directory, *arguments, COLUMNS="500", SHOP_PROPERTY=PROPERTY, **SECRETS)
    printed = done.stdout + done.stderr
    assert done.returncode == code, printed
    return printed


def where_they_stand(directory: Path, printed: str) -> list[str]:
    """Every file, and what was printed, that holds a secret or a part of one that tells it."""
    parts = [part.encode() for part in ("Zwiebelkuchen", "Pfefferminze", "Sauerkraut", "Kartoffel", "puffer")]
    contents = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    contents |= {path: gzip.decompress(contents[path]) for path in contents if path.suffix == ".numbers"}
    contents[Path("printed")] = printed.encode()
    return [
        f"{path}: {part.decode()}" for path, content in contents.items() for part in parts if part in content
    ]


def test_no_byte_of_a_secret_is_in_runs_oracle_results_and_reports(project: Path) -> None:
    printed = buto(project, "train", "-v", code=0)
    reports = ["--json", "r.json", "--html", "r.html", "--junitxml", "r.xml", "--markdown", "r.md"]
    printed += buto(project, "check", "-v", *reports)
    printed += buto(project, "runs", "show", "shop", *RunStore(project / ".buto").ids("shop")[:1], code=0)
    written = {path.suffix for path in project.rglob("*") if path.is_file()}
    assert {".json", ".html", ".xml", ".md", ".columns", ".txt", ".numbers"} <= written
    assert where_they_stand(project, printed) == []
    run = RunStore(project / ".buto").load_set("shop").runs[0]
    assert run.metadata["jvm.input.arguments"] == (
        f"-Xmx64m -XX:+UseSerialGC -Dshop.password={MASKED} -Dshop.licence={MASKED}"
    )
    assert run.metadata["mbean[shop:type=Talkative]/Password"] == MASKED
    assert run.metadata["mbean[shop:type=Talkative]/Url"] == f"jdbc:postgresql://joe:{MASKED}@db.example/shop"
    assert f"--token {MASKED}".encode() in run.stdout
    assert f"environment: {MASKED}".encode() in run.stdout
    assert run.stderr == f"properties: {MASKED}{MASKED}\n".encode()
    assert {note.message for note in run.notifications} == {
        f"with jdbc:postgresql://joe:{MASKED}@db.example/shop"
    }
    oracle = (project / "oracles" / "shop.json").read_text()
    assert "${SHOP_TOKEN}" in oracle
    assert where_they_stand(project, buto(project, "check", "shop")) == []


@pytest.mark.all
def test_nor_through_jmx_nor_in_messages_nor_of_a_command_that_was_typed(
    project: Path, classes: Path
) -> None:
    (project / "buto.yaml").write_text(
        f"version: 1\ndefaults: {{mask: ['*.licence'], judge: {literal(BY_HEAP)}}}\n"
        "tests: {other: {command: java}, shop: {}}\n"
    )
    command = ["java", *SMALL, f"-Dshop.password={PROPERTY}", "-cp", str(classes), "Talkative"]
    command += ["--token", SECRETS["SHOP_TOKEN"]]
    printed = buto(project, "record", "shop", "--runs", "1", "-v", "--", *command, "7", code=3)
    assert f"-Dshop.password={MASKED}" in printed
    assert f"--token {MASKED}" in printed
    printed += buto(
        project,
        "record",
        "shop",
        "--runs",
        "1",
        "--collector",
        "jmx",
        "--mbean",
        "shop:*",
        "--",
        *command,
        code=3,
    )
    printed += buto(project, "train", "shop", "--runs", "5", "--interval", "1s", "--", *command, code=0)
    assert where_they_stand(project, printed) == []
    printed = buto(project, "check", "shop", code=2)
    assert "a secret in the command was masked" in printed
    printed += buto(project, "check", "shop", "--", *command)
    assert where_they_stand(project, printed) == []


def test_butos_own_jvm_gets_passwords_through_a_pipe() -> None:
    with Worker((f"-Djavax.net.ssl.trustStorePassword={PROPERTY}",)) as worker:
        worker.start()
        assert worker.pid is not None
        for kind in ("cmdline", "environ"):
            assert PROPERTY.encode() not in Path(f"/proc/{worker.pid}/{kind}").read_bytes()
