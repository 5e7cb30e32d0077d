"""A program that is started with other arguments than the oracle's is told in the first line."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions.workspace import KnownOracle
from buto.judging.verdict import Status
from buto.report.phrases import headline
from perf.fuzz import examples
from tests.support.report import made


def started_as(trained: str, started: str) -> str:
    oracle = replace(examples.oracle(), target={"command": shlex.split(trained)})
    run = examples.run(20)
    run = replace(run, metadata={**run.metadata, "buto.command": started})
    return KnownOracle(oracle, Path("oracles/leaker.json")).describe_start([run])


@pytest.mark.parametrize(
    ("trained", "started"),
    [
        ("java -cp x geo.Tiles 100", "java -cp x geo.Tiles 200"),
        ("java -cp x geo.Tiles 100", "java -cp x geo.Tiles"),
        ("java -cp x geo.Tiles 100", "java -cp x geo.Maps 100"),
        ("java -jar app.jar", "java -jar app.jar --large"),
        ("java -m shop/shop.Main 1", "/opt/jdk/bin/java -m shop/shop.Main 2"),
        ("./run.sh small", "./run.sh large"),
    ],
)
def test_other_arguments_are_told(trained: str, started: str) -> None:
    text = started_as(trained, started)
    assert text
    for verdict in (made.verdict(Status.PASS), made.verdict(findings=(made.leak(),))):
        assert headline(replace(verdict, started_as=text)).startswith(f"{text}; ")
        unturned = replace(verdict, started_as=text, without_turns="the old program was not kept")
        assert headline(unturned).startswith("without turns, "), "how far to trust it comes first"


@pytest.mark.parametrize(
    ("trained", "started", "words"),
    [
        ("java Main --leaks 10 --all", "java Main --leaks 40 --all", ("--leaks 40", "--leaks 10")),
        ("java Main 1", "java Main 2", ("2", "1")),
        ("java Main", "java Main --large", ("--large", "fewer arguments")),
        ("java Main 5 5 6", "java Main 5 6", ("fewer arguments", "5")),
    ],
)
def test_only_the_words_that_differ_are_told(trained: str, started: str, words: tuple[str, str]) -> None:
    now, before = words
    assert started_as(trained, started) == f"started with {now}, and trained with {before}"


@pytest.mark.parametrize(
    ("trained", "started"),
    [
        ("java -cp x geo.Tiles 100", "java -cp x geo.Tiles 100"),
        ("java -Xmx1g -cp /home/ann/x geo.Tiles 100", "/opt/bin/java -cp /home/bob/y geo.Tiles 100"),
        ("java -jar app-1.0.jar 5", "java -jar build/app-1.1.jar 5"),
        ("java Main /home/ann/data.csv", "java Main /ci/work/data.csv"),
        ("java Main ${ORDERS}", "java Main 500"),
        ("java Main --token ${TOKEN}", "java Main --token _MASKED_"),
    ],
)
def test_the_same_program_elsewhere_is_no_other(trained: str, started: str) -> None:
    assert started_as(trained, started) == ""
