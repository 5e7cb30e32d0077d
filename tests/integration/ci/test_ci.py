"""The action for GitHub and the template for GitLab, carried out on stored runs before a server of theirs."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.support.builds.ci_builds import (
    ARCHIVE,
    TOKEN,
    Build,
    Forge,
    forge,
    github_build,
    gitlab_build,
    tools,
)
from tests.support.checkout import ROOT
from tests.support.processes.command import called
from tests.support.runs.stored import leaking_run, store

pytestmark = pytest.mark.slow

GOOD = f"--from-runs {leaking_run(20).id}"
BAD = f"--from-runs {leaking_run(21).id}..{leaking_run(23).id}"
"""Three runs, because one never fails alone."""
PULL_REQUEST = {"pull_request": {"number": 7}}
MERGE_REQUEST = {"CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_PROJECT_ID": "42"}
MARKER = "<!-- buto-comment: buto -->\n"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with an oracle, a run that passes, and one that leaks more."""
    directory = tmp_path_factory.mktemp("template")
    store(
        directory,
        *(leaking_run(number) for number in range(10)),
        leaking_run(20),
        *(leaking_run(number, leak=3.0) for number in (21, 22, 23)),
    )
    (directory / "buto.yaml").write_text("version: 1\ntests: {leaker: {command: java Leaker}}")
    called(directory, "train", "--from-runs", f"..{leaking_run(19).id}", exits=0)
    return directory


@pytest.fixture
def project(template: Path, tmp_path: Path) -> Path:
    return shutil.copytree(template, tmp_path / "project")


@pytest.fixture
def server() -> Iterator[Forge]:
    with forge() as known:
        yield known


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with buto's files for continuous integration, as the template clones it."""
    directory = tmp_path_factory.mktemp("sources")
    shutil.copytree(ROOT / "ci", directory / "ci")
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "as it is"]):
        subprocess.run(["git", *names, *words], cwd=directory, check=True, timeout=30)
    return directory


def on_github(project: Path, server: Forge, arguments: str, **inputs: str) -> Build:
    build = github_build(
        project, project.parent / "runner", server, PULL_REQUEST, arguments=arguments, **inputs
    )
    assert TOKEN not in build.output
    return build


def test_github_passes_then_fails_and_its_comment_is_replaced(project: Path, server: Forge) -> None:
    """Others' comments stay; the code is that of buto; annotations, summary and reports are there."""
    server.comments[1] = f"> {MARKER}> what a reviewer quotes"
    good = on_github(project, server, GOOD)
    assert (good.code, good.failed, good.outputs) == (0, [], {"exit-code": "0"}), good.output
    assert "buto 0." in good.output
    assert "comment added" in good.output
    assert list(server.comments) == [1, 1001]
    first = server.comments[1001]
    assert first.startswith(f"{MARKER}<!-- buto: leaker -->\n### ✅ **pass** <code>leaker</code>")
    assert first.endswith(
        f"\n[The pages with the charts (zip)]({ARCHIVE}), "
        "[the build](https://forge.example.org/acme/shop/actions/runs/11)\n"
    )

    bad = on_github(project, server, BAD)
    assert (bad.code, bad.failed, bad.outputs) == (1, ["Check"], {"exit-code": "1"}), bad.output
    assert "\n::error file=oracles/leaker.json,title=buto leaker%3A regression::" in bad.output
    assert "comment replaced" in bad.output
    assert list(server.comments) == [1, 1001]
    assert "❌ **regression** <code>leaker</code>" in server.comments[1001]
    assert "✅" not in server.comments[1001]
    assert "❌ **regression** <code>leaker</code>" in bad.summary

    reports = project / "buto-reports"
    assert {path.name for path in reports.iterdir()} == {
        "comment.md", "junit.xml", "report.html", "result.json"
    }  # fmt: skip
    assert len(ElementTree.parse(reports / "junit.xml").findall("testsuite/testcase/failure")) == 1
    assert json.loads((reports / "result.json").read_text())["exit_code"] == 1


@pytest.mark.all
def test_github_keeps_reports_and_runs_whatever_the_verdict(project: Path, server: Forge) -> None:
    bad = on_github(project, server, BAD, comment="")
    assert bad.used == {
        "actions/cache/restore@v4": {
            "path": "./.buto",
            "key": "buto-Linux-X64-11-1",
            "restore-keys": "buto-Linux-X64-",
        },
        "actions/cache/save@v4": {"path": "./.buto", "key": "buto-Linux-X64-11-1"},
        "actions/upload-artifact@v4": {
            "name": "buto-reports",
            "path": "./buto-reports",
            "if-no-files-found": "ignore",
        },
    }
    assert server.requests == []
    assert on_github(project, server, GOOD, comment="", cache="", artifact="").used == {}


@pytest.mark.all
def test_github_takes_a_project_below_the_top_of_its_repository(project: Path, server: Forge) -> None:
    top = project.parent
    build = github_build(
        top, top / "runner", server, PULL_REQUEST, arguments=BAD, working_directory=project.name
    )
    assert build.code == 1
    assert f"::error file={project.name}/oracles/leaker.json," in build.output
    assert "comment added" in build.output
    assert build.used["actions/upload-artifact@v4"]["path"] == f"{project.name}/buto-reports"
    assert (project / "buto-reports" / "report.html").exists()


def test_a_missing_oracle_fails_the_build(project: Path, server: Forge) -> None:
    shutil.rmtree(project / "oracles")
    build = on_github(project, server, "")
    assert (build.code, build.outputs) == (4, {"exit-code": "4"})
    assert "try:  buto train leaker" in build.output


@pytest.mark.all
def test_a_build_that_could_not_check_does_not_leave_the_last_report(project: Path, server: Forge) -> None:
    assert on_github(project, server, GOOD).code == 0
    (project / "buto.yaml").write_text("version: 1\ntests: {leaker: {comand: java}}")
    wrong = on_github(project, server, GOOD)
    assert (wrong.code, wrong.outputs) == (2, {"exit-code": "2"})
    assert [path.name for path in (project / "buto-reports").iterdir()] == ["comment.md"]
    (comment,) = server.comments.values()
    assert "⚠️ **not checked**: buto check ended with exit code 2" in comment
    assert "pass" not in comment


@pytest.mark.all
@pytest.mark.parametrize(
    ("refused", "token", "warning"),
    [
        (
            403,
            TOKEN,
            "HTTP 403 Forbidden; the job needs permissions: {pull-requests: write}; a request from a",
        ),
        (500, TOKEN, "POST /repos/acme/shop/issues/7/comments: HTTP 500 Internal Server Error\n"),
        (None, "another", "GET /repos/acme/shop/issues/7/comments: HTTP 401 Unauthorized"),
        (None, "", "BUTO_TOKEN is not set"),
    ],
)
def test_a_comment_that_cannot_be_written_is_a_warning_and_changes_no_result(
    project: Path, server: Forge, refused: int | None, token: str, warning: str
) -> None:
    server.refused = refused
    build = on_github(project, server, GOOD, token=token)
    assert (build.code, build.failed, build.outputs) == (0, ["Comment"], {"exit-code": "0"})
    assert "::warning title=buto::no comment: " in build.output
    assert warning in build.output
    assert server.comments == {}


@pytest.mark.all
def test_a_push_has_no_comment(project: Path, server: Forge) -> None:
    build = github_build(project, project.parent / "runner", server, {"ref": "main"}, arguments=GOOD)
    assert (build.code, build.failed) == (0, [])
    assert "no comment: this build is of no pull request" in build.output
    assert server.requests == []


@pytest.mark.all
def test_tests_and_what_has_changed_are_passed_on(project: Path, server: Forge) -> None:
    """Words are words, whatever is in them; several lines are several words."""
    build = on_github(project, server, GOOD, tests="leaker\nnobody $(touch oops)", changed_since="no-such")
    assert build.code == 2
    assert "buto" in build.output
    assert not (project / "oops").exists()
    shutil.copy(project / "buto.yaml", project / "other.yaml")
    build = on_github(project, server, f"{GOOD} --config other.yaml", tests="leaker", changed_since="no-such")
    assert (build.code, "is in no git repository" in build.output) == (2, True), build.output


def test_gitlab_passes_then_fails_and_its_comment_is_replaced(
    project: Path, server: Forge, sources: Path
) -> None:
    # Others' notes come first, on several pages.
    server.comments.update(dict.fromkeys(range(250), "a note"))
    variables = {**MERGE_REQUEST, "BUTO_TOKEN": TOKEN}
    runner = project.parent / "runner"
    good = gitlab_build(project, runner, server, sources, BUTO_ARGUMENTS=GOOD, **variables)
    assert (good.code, good.failed) == (0, []), good.output
    assert "comment added" in good.output
    assert server.comments[1250].startswith(f"{MARKER}<!-- buto: leaker -->\n### ✅ **pass**")
    job = "https://forge.example.org/acme/shop/-/jobs/11"
    links = f"\n[report.html]({job}/artifacts/file/buto-reports/report.html), [the build]({job})\n"
    assert server.comments[1250].endswith(links)
    bad = gitlab_build(project, runner, server, sources, BUTO_ARGUMENTS=BAD, **variables)
    assert (bad.code, bad.failed) == (1, ["script"]), bad.output
    assert "comment replaced" in bad.output
    assert len(server.comments) == 251
    assert "❌ **regression**" in server.comments[1250]
    assert TOKEN not in good.output + bad.output
    assert "::error" not in bad.output
    template = yaml.safe_load((ROOT / "ci" / "gitlab" / "buto.yml").read_text())[".buto"]
    assert list(project.glob(template["artifacts"]["reports"]["junit"]))
    assert (project / template["cache"][0]["paths"][0]).is_dir()


@pytest.mark.all
def test_gitlab_without_a_token_or_request_has_no_comment(
    project: Path, server: Forge, sources: Path
) -> None:
    runner = project.parent / "runner"
    without = gitlab_build(project, runner, server, sources, BUTO_ARGUMENTS=BAD, **MERGE_REQUEST)
    assert (without.code, "no comment: BUTO_TOKEN is not set" in without.output) == (1, True)
    branch = gitlab_build(project, runner, server, sources, BUTO_ARGUMENTS=BAD, BUTO_TOKEN=TOKEN)
    assert (branch.code, "no comment: this build is of no" in branch.output) == (1, True)
    assert server.requests == []


def comment(project: Path, server: Forge, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (project / "comment.md").write_text(text)
    ours = {
        "GITLAB_CI": "true",
        "CI_API_V4_URL": f"{server.url}/api/v4",
        "CI_JOB_URL": "https://forge.example.org/job",
        "BUTO_TOKEN": TOKEN,
        **MERGE_REQUEST,
    }
    return subprocess.run(
        ["python3", os.fspath(ROOT / "ci" / "comment.py"), "comment.md"],
        cwd=project,
        env={"PATH": tools(project), "LANG": "C.UTF-8", **ours, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_comments_of_several_names_do_not_replace_each_other(project: Path, server: Forge) -> None:
    for text in ("first", "second"):
        for name in ("jdk 17", "jdk-25 -->"):
            assert comment(project, server, f"{text} of {name[:6]}", BUTO_COMMENT=name).returncode == 0
    assert [body.splitlines()[:2] for body in server.comments.values()] == [
        ["<!-- buto-comment: jdk 17 -->", "second of jdk 17"],
        ["<!-- buto-comment: jdk%2D25 %2D%2D%3E -->", "second of jdk-25"],
    ]


def test_a_long_comment_loses_its_details_and_then_its_end(project: Path, server: Forge) -> None:
    part = "### a test\n\n<details>\n<summary>details</summary>\n\n<pre>{}</pre>\n\n</details>\n"
    assert comment(project, server, part.format("x" * 40_000) * 2).returncode == 0
    assert comment(project, server, "a line\n" * 20_000, BUTO_COMMENT="b").returncode == 0
    short, cut = server.comments.values()
    assert (short.count("### a test"), "details" in short) == (2, False)
    assert len(cut) < 65_536
    assert "a line\n\nAnd more, which the report has.\n" in cut


def test_a_token_goes_to_nobody_else(project: Path, server: Forge) -> None:
    with forge() as other:
        server.redirected_to = other.url
        done = comment(project, server, "text")
        assert (done.returncode, other.requests) == (1, [])
    assert "no comment: GET /api/v4/projects/42/merge_requests/7/notes: HTTP 307" in done.stdout


def test_a_server_that_is_down_or_not_a_forge_is_reported(project: Path, server: Forge) -> None:
    away = comment(project, server, "text", CI_API_V4_URL="http://127.0.0.1:9/api")
    assert away.returncode == 1
    assert "no comment: GET /api/projects/42/merge_requests/7/notes: " in away.stdout
    nowhere = comment(project, server, "text", GITLAB_CI="")
    assert (nowhere.returncode, nowhere.stdout) == (
        1,
        "no comment: this is neither a build of GitHub nor one of GitLab\n",
    )


def test_the_page_shows_what_there_is() -> None:
    page = (ROOT / "docs" / "running" / "ci.md").read_text()
    blocks = re.findall(r"^```yaml[^\n]*\n(.*?)^```$", page, re.M | re.S)
    shown = list(map(yaml.safe_load, blocks))
    workflow, template = shown[0], shown[1]
    (step,) = [
        step for step in workflow["jobs"]["buto"]["steps"] if "buto/ci/github@" in step.get("uses", "")
    ]
    inputs = yaml.safe_load((ROOT / "ci" / "github" / "action.yml").read_text())["inputs"]
    assert set(step["with"]) <= set(inputs)
    assert all(f"`{name}`" in page for name in inputs)
    examples = [(ROOT / "examples" / "ci" / name).read_text() for name in ("github.yml", "gitlab.yml")]
    assert all(text in blocks and len(text.splitlines()) <= 25 for text in examples)
    hosted = examples[0]
    (step,) = [
        smaller_step
        for smaller_step in yaml.safe_load(hosted)["jobs"]["buto"]["steps"]
        if "/ci/github@" in smaller_step["uses"]
    ]
    assert set(step["with"]) == {"tests", "changed-since", "build"}
    scripts = "".join((ROOT / "ci" / name).read_text() for name in ("gitlab/buto.yml", "check.sh"))
    assert template["resources"]["extends"] == ".buto"
    assert (ROOT / template["include"][0]["file"]).exists()
    assert all(
        f"${name}" in scripts or f"${{{name}:-}}" in scripts for name in template["resources"]["variables"]
    )


def test_what_installing_needs_is_named(tmp_path: Path) -> None:
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    for python in (os.fspath(old), "no-such-python"):
        done = installed(tmp_path, BUTO_PYTHON=python, GITHUB_ACTIONS="true")
        assert done.returncode == 2
        assert f"::error title=buto::{python} is no Python 3.11 or newer\n" in done.stdout
        assert "try:  actions/setup-python" in done.stderr
    assert not (tmp_path / "venv").exists()


@pytest.mark.all
@pytest.mark.jvm
def test_buto_is_installed_from_the_sources_and_found_by_later_steps(tmp_path: Path) -> None:
    """Without the network: what buto needs is here already."""
    (tmp_path / "path").touch()
    there = next(path for path in sys.path if path.endswith("site-packages"))
    done = installed(
        tmp_path,
        BUTO_PYTHON=sys.executable,
        GITHUB_PATH=os.fspath(tmp_path / "path"),
        PYTHONPATH=there,
        PIP_NO_INDEX="1",
        PIP_NO_DEPS="1",
        # pip takes this one for the opposite of what it is called.
        PIP_NO_BUILD_ISOLATION="0",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("buto 0.")
    assert (tmp_path / "path").read_text() == f"{tmp_path}/venv/bin\n"
    assert (tmp_path / "venv" / "bin" / "buto").exists()


@pytest.fixture
def releases(tmp_path: Path) -> Path:
    """A page of releases with the runtime of one, whose buto says its version only."""
    page = tmp_path / "releases"
    name = f"buto-runtime-4.5.6-linux-{platform.machine()}"
    for place, says in (("bin/buto", "buto 4.5.6"), ("python/bin/python3.13", "Python 3.13.0")):
        program = page / name / place
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho {says}\n")
        program.chmod(0o755)
    archive = page / f"{name}.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(page / name, name)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    (page / "SHA256SUMS").write_text(f"{digest}  {archive.name}\n")
    return page


def from_releases(tmp_path: Path, page: Path) -> subprocess.CompletedProcess[str]:
    files = {name: tmp_path / name for name in ("path", "output")}
    for file in files.values():
        file.touch()
    return installed(
        tmp_path,
        BUTO_VERSION="4.5.6",
        BUTO_RUNTIMES=page.as_uri(),
        BUTO_RUNTIME=os.fspath(tmp_path / "runtimes/4.5.6"),
        RUNNER_TEMP=os.fspath(tmp_path),
        GITHUB_PATH=os.fspath(files["path"]),
        GITHUB_OUTPUT=os.fspath(files["output"]),
    )


def test_the_runtime_of_a_release_is_fetched_once_and_found_by_later_steps(
    tmp_path: Path, releases: Path
) -> None:
    first = from_releases(tmp_path, releases)
    assert first.returncode == 0, first.stderr
    assert first.stdout == "buto 4.5.6\n"
    runtime = tmp_path / "runtimes/4.5.6"
    assert (tmp_path / "path").read_text() == f"{runtime}/bin\n"
    assert (tmp_path / "output").read_text() == f"python={runtime}/python/bin/python3.13\n"
    assert [path.name for path in runtime.parent.iterdir()] == ["4.5.6"]
    shutil.rmtree(releases)
    assert from_releases(tmp_path, releases).returncode == 0


def test_a_runtime_that_is_another_than_released_is_not_used(tmp_path: Path, releases: Path) -> None:
    (archive,) = releases.glob("*.tar.gz")
    archive.write_bytes(archive.read_bytes() + b"more")
    done = from_releases(tmp_path, releases)
    assert done.returncode == 2
    assert "is not what SHA256SUMS says" in done.stderr
    assert not list((tmp_path / "runtimes").iterdir())


def test_a_release_that_does_not_exist_is_named(tmp_path: Path) -> None:
    done = from_releases(tmp_path, tmp_path / "nowhere")
    assert done.returncode == 2
    assert "cannot be fetched" in done.stderr


def installed(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Where the command buto is not in PATH."""
    path = [
        directory
        for directory in os.environ["PATH"].split(os.pathsep)
        if not (Path(directory) / "buto").exists()
    ]
    return subprocess.run(
        ["bash", os.fspath(ROOT / "ci" / "install.sh")],
        env={
            "PATH": os.pathsep.join(path),
            "HOME": os.fspath(tmp_path),
            "JAVA_HOME": os.environ.get("JAVA_HOME", ""),
            "BUTO_VENV": os.fspath(tmp_path / "venv"),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
