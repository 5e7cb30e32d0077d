"""``check --changed-since``: which tests are checked or skipped, and what it cannot see."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from buto import schemas
from buto.run.entries import ResultStore
from tests.support.processes.command import buto, called
from tests.support.processes.repository import commit, git
from tests.support.runs.stored import leaking_run, store

CONFIG = """\
version: 1
tests:
  shop: {command: java Shop, inputs: [shop, "lib/*.jar"]}
  mail: {command: java Mail, inputs: ["mail/**/*.java"]}
  rest: {command: java Rest}
"""
NAMES = ("shop", "mail", "rest")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project below the top of a repository, with an oracle for each test, all committed."""
    top = tmp_path_factory.mktemp("template")
    project = top / "project"
    for path in ("shop/Shop.java", "shop/deep/Cart.java", "lib/a.jar", "mail/deep/Mail.java", "README"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("as it was")
    (project / "buto.yaml").write_text(CONFIG)
    (project / ".gitignore").write_text(".buto/\n*.class\n*.json.html\n/reports/\n")
    for name in NAMES:
        store(project, *(leaking_run(number, test=name) for number in range(10)), leaking_run(20, test=name))
    called(project, "train", "--from-runs", f"..{leaking_run(19).id}", exits=0)
    git(top, "init", "--quiet")
    commit(top)
    git(top, "tag", "old")
    return top


@pytest.fixture
def project(template: Path, tmp_path: Path) -> Path:
    subprocess.run(["cp", "-r", f"{template}/.", str(tmp_path)], check=True, timeout=30)
    return tmp_path / "project"


def check(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return called(project, "check", "--changed-since", "old", "--from-runs", leaking_run(20).id, *words)


def left_out(done: subprocess.CompletedProcess[str]) -> set[str]:
    """Return the tests that are listed as left out, after every other one passed."""
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    names = {line.split("  ")[1].partition(":")[0] for line in lines if line.startswith("LEFT OUT  ")}
    passed = {line.split("  ")[1].partition(":")[0] for line in lines if line.startswith("PASS  ")}
    assert (names | passed, names & passed) == (set(NAMES), set())
    return names


def test_only_what_says_on_what_it_depends_is_left_out(project: Path) -> None:
    done = check(project)
    assert left_out(done) == {"shop", "mail"}
    assert "LEFT OUT  mail: nothing that it depends on changed since old\n" in done.stdout
    assert done.stdout.splitlines()[-3:] == ["rest  pass", "shop  left out", "mail  left out"]


def appended(project: Path, path: str) -> None:
    (project / path).parent.mkdir(exist_ok=True)
    with (project / path).open("a") as file:
        file.write("\n")


@pytest.mark.parametrize(
    ("path", "unconcerned"),
    [
        ("README", {"shop", "mail"}),
        ("shop/deep/Cart.java", {"mail"}),
        ("shop/new", {"mail"}),
        ("lib/a.jar", {"mail"}),
        ("lib/deep/b.jar", {"shop", "mail"}),
        ("mail/Top.java", {"shop"}),
        ("mail/deep/Mail.xml", {"shop", "mail"}),
        ("oracles/mail.json", {"shop"}),
        ("buto.yaml", set()),
    ],
)
def test_a_change_concerns_those_whose_inputs_oracle_or_configuration_it_is_in(
    project: Path, path: str, unconcerned: set[str]
) -> None:
    appended(project, path)
    assert left_out(check(project)) == unconcerned


@pytest.mark.parametrize(
    ("commands", "unconcerned"),
    [
        (["touch mail/New.java"], {"shop"}),
        (["touch mail/New.java", "git add --all"], {"shop"}),
        (["touch mail/New.java", "git add --all", "git commit -qm a-change"], {"shop"}),
        (["rm lib/a.jar"], {"mail"}),
        (["git mv lib/a.jar elsewhere.jar"], {"mail"}),
        (["git rm -q --cached lib/a.jar", "git commit -qm forgotten"], {"mail"}),
        (["git rm -q shop/Shop.java", "git commit -qm gone", "git checkout -q old -- ."], {"shop", "mail"}),
    ],
    ids=["untracked", "staged", "committed", "gone", "moved away", "no longer committed", "changed back"],
)
def test_a_change_counts_however_far_it_has_come_on_its_way_into_a_commit(
    project: Path, commands: list[str], unconcerned: set[str]
) -> None:
    for command in commands:
        program, *words = command.split()
        if program == "git":
            git(project, *words)
        else:
            subprocess.run([program, *words], cwd=project, check=True, timeout=30)
    assert left_out(check(project)) == unconcerned


def test_a_test_whose_patterns_mean_no_file_is_checked_with_a_warning(project: Path) -> None:
    """Such as build results, which git ignores: it cannot tell whether they changed."""
    (project / "buto.yaml").write_text(CONFIG.replace("mail/**/*.java", "mail/**/*.class"))
    (project / "mail" / "Mail.class").write_text("built")
    commit(project)
    git(project, "tag", "--force", "old")
    done = check(project)
    assert left_out(done) == {"shop"}
    warning = "mail: git knows no file 'mail/**/*.class'; until then the test is always checked"
    assert warning in done.stderr


def test_a_pattern_that_also_means_an_ignored_file_has_the_test_checked(project: Path) -> None:
    (project / "shop" / "Shop.class").write_text("built")
    done = check(project)
    assert left_out(done) == {"mail"}
    warning = "shop: git ignores project/shop/Shop.class; until then the test is always checked"
    assert warning in done.stderr


@pytest.mark.parametrize("place", ["ignored", "elsewhere"])
def test_an_oracle_that_git_does_not_watch_is_always_judged_by(project: Path, place: str) -> None:
    named = project / "reports" if place == "ignored" else project.parent.parent / f"{project.parent.name}.o"
    named.mkdir()
    oracle = named / "mail.json"
    for path in (project / "oracles").glob("mail.*"):
        (named / path.name).write_bytes(path.read_bytes())
    done = check(project, "mail", "--oracle", os.fspath(oracle))
    assert (done.returncode, done.stdout.startswith("PASS  mail")) == (0, True)


def test_an_oracle_that_is_a_link_counts_as_what_it_leads_to(project: Path) -> None:
    (project / "oracles" / "mail.json").rename(project / "kept.json")
    (project / "oracles" / "mail.json").symlink_to("../kept.json")
    commit(project)
    git(project, "tag", "--force", "old")
    assert left_out(check(project)) == {"shop", "mail"}
    appended(project, "kept.json")
    assert left_out(check(project)) == {"shop"}


def test_a_missing_oracle_is_an_error_and_not_left_out(project: Path) -> None:
    (project / "oracles" / "mail.json").unlink()
    done = check(project, "mail")
    assert (done.returncode, done.stdout) == (4, "")
    assert "'mail' has no oracle yet" in done.stderr


def test_nothing_left_to_check_is_reported_and_not_a_pass(project: Path) -> None:
    """Nothing is launched, and the reports have tests that were skipped."""
    (project / "reports").mkdir()
    files = ("--json", "reports/r.json", "--junitxml", "reports/r.xml", "--markdown", "reports/r.md")
    words = ("check", "shop", "mail", "--changed-since", "HEAD", *files, "--html", "reports/r.html")
    done = called(project, *words, exits=0)
    assert "PASS" not in done.stdout
    assert done.stdout.count("LEFT OUT  ") == 2
    result = json.loads((project / "reports/r.json").read_text())
    jsonschema.validate(result, schemas.load("result"))
    assert (result["exit_code"], result["tests"]) == (0, [])
    assert [left_out_test["test"] for left_out_test in result["left_out"]] == ["shop", "mail"]
    suite = ElementTree.parse(project / "reports/r.xml").find("testsuite")
    assert suite is not None
    counted = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counted == {"tests": "2", "failures": "0", "errors": "0", "skipped": "2"}
    assert len(suite.findall("testcase/skipped")) == 2
    markdown = (project / "reports/r.md").read_text()
    assert markdown.startswith("<!-- buto: shop -->\n⏭️ **left out** <code>shop</code>: ")
    assert "pass" not in markdown
    assert not (project / "reports/r.html").exists()
    assert len(ResultStore(project / ".buto").all("shop")) == 1
    whole = called(project, "check", "rest", "--from-runs", leaking_run(20).id, "--json", "-")
    assert "left_out" not in json.loads(whole.stdout)


def test_from_another_directory_patterns_start_at_the_configuration(project: Path) -> None:
    (project / "shop/Shop.java").write_text("other")
    words = ("--changed-since", "old", "--from-runs", leaking_run(20).id, "--config", "../buto.yaml")
    assert left_out(called(project / "mail", "check", *words)) == {"mail"}


def test_settings_of_git_do_not_hide_a_change(project: Path) -> None:
    for key, value in (
        ("diff.relative", "true"),
        ("diff.ignoreSubmodules", "all"),
        ("core.quotePath", "true"),
    ):
        git(project, "config", key, value)
    (project / "shop" / os.fsdecode(b"\xff \n\xc3\xa9")).write_text("new")
    assert left_out(check(project, "-v")) == {"mail"}


def test_what_cannot_be_predicted_is_wrong_usage(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    unknown = called(project, "check", "--changed-since", "nowhere")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "has no revision 'nowhere'" in unknown.stderr
    assert "try:  git log --oneline" in unknown.stderr

    (project / "buto.yaml").write_text(CONFIG.replace("lib/*.jar", "../../lib"))
    commit(project)
    outside = called(project, "check", "--changed-since", "HEAD")
    assert (outside.returncode, outside.stdout) == (2, "")
    assert "tests.shop.inputs: '../../lib': git diff: " in outside.stderr
    assert "within the repository" in outside.stderr

    shallow = tmp_path_factory.mktemp("shallow")
    git(shallow, "clone", "--quiet", "--depth", "1", f"file://{project.parent}", "clone")
    short = called(shallow / "clone" / "project", "check", "--changed-since", "HEAD~1")
    assert (short.returncode, short.stdout) == (2, "")
    assert "try:  git fetch --unshallow; on GitHub: fetch-depth: 0" in short.stderr


def test_without_a_repository_or_git_it_is_wrong_usage(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path.parent))
    (tmp_path / ".git").rename(tmp_path / "gone")
    done = check(project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is in no git repository" in done.stderr
    assert "try:  leave --changed-since out" in done.stderr
    without = buto(project, "check", "--changed-since", "old", PATH="/nowhere")
    assert (without.returncode, without.stdout) == (2, "")
    assert "git cannot be used" in without.stderr
    assert "try:  install git" in without.stderr


def test_inputs_that_are_none_are_refused(project: Path) -> None:
    for inputs in ("[]", '[""]', "src"):
        (project / "buto.yaml").write_text(f"version: 1\ntests: {{a: {{command: java A, inputs: {inputs}}}}}")
        done = called(project, "check")
        assert (done.returncode, done.stdout) == (2, ""), inputs
        assert "tests.a.inputs" in done.stderr
