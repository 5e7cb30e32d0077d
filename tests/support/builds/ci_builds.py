"""Builds as GitHub and GitLab carry them out: the steps of the files in ``ci``, and a server of theirs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from tests.support.checkout import ROOT

TOKEN = "forge-token-8c1d"
ARCHIVE = "https://forge.example.org/acme/shop/actions/runs/11/artifacts/5"
TIMEOUT_S = 300.0


@dataclass
class Forge:
    """What the server knows and was asked.

    Attributes:
        comments: of the one request that there is, by number, in the order in which they were written.
        refused: the code that writing is refused with, if it is.
        requests: method and path of each, in order.
    """

    url: str = ""
    comments: dict[int, str] = field(default_factory=dict)
    refused: int | None = None
    redirected_to: str | None = None
    requests: list[str] = field(default_factory=list)


@contextmanager
def forge() -> Iterator[Forge]:
    """A server that answers as GitHub's and GitLab's do where comments are read and written."""
    known = Forge()

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            split = urlsplit(self.path)
            known.requests.append(f"{self.command} {split.path}")
            length = int(self.headers.get("Content-Length") or 0)
            content = json.loads(self.rfile.read(length)) if length else {}
            if known.redirected_to is not None:
                self.answer(307, {}, {"Location": known.redirected_to + self.path})
            elif TOKEN not in (self.headers.get("PRIVATE-TOKEN"), self.headers.get("Authorization", "")[7:]):
                self.answer(401, {"message": "Bad credentials"})
            elif self.command != "GET" and known.refused is not None:
                self.answer(known.refused, {"message": "Resource not accessible by integration"})
            else:
                self.answer(*routed(known, self.command, split.path, parse_qs(split.query), content))

        do_GET = do_POST = do_PATCH = do_PUT = handle_one

        def answer(self, code: int, data: Any, headers: dict[str, str] | None = None) -> None:
            text = json.dumps(data).encode()
            self.send_response(code)
            for name, value in {**(headers or {}), "Content-Length": str(len(text))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    known.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield known
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


_COMMENTS = {
    "/repos/acme/shop/issues/7/comments": ("GET", "POST"),
    "/api/v4/projects/42/merge_requests/7/notes": ("GET", "POST"),
}
_COMMENT = re.compile(
    r"(?:/repos/acme/shop/issues/comments|/api/v4/projects/42/merge_requests/7/notes)/(\d+)"
)


def routed(
    known: Forge, method: str, path: str, query: dict[str, list[str]], content: dict[str, str]
) -> tuple[int, Any]:
    match = _COMMENT.fullmatch(path)
    changing = "PUT" if path.startswith("/api/v4/") else "PATCH"
    if match and method == changing and int(match[1]) in known.comments:
        known.comments[int(match[1])] = content["body"]
        return 200, {"id": int(match[1])}
    if method not in _COMMENTS.get(path, ()):
        return 404, {"message": "Not Found"}
    if method == "POST":
        number = 1000 + len(known.comments)
        known.comments[number] = content["body"]
        return 201, {"id": number}
    size, page = int(query["per_page"][0]), int(query["page"][0])
    there = [{"id": number, "body": body} for number, body in known.comments.items()]
    return 200, there[(page - 1) * size : page * size]


@dataclass
class Build:
    """How a build ended.

    Attributes:
        failed: names of the steps that failed; of GitLab's job the script alone counts.
        outputs: of GitHub's action.
        used: of each step that is another action, which and with what.
    """

    output: str = ""
    failed: list[str] = field(default_factory=list)
    code: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    used: dict[str, dict[str, str]] = field(default_factory=dict)


def tools(directory: Path) -> str:
    """A PATH on which the command buto is that of this checkout."""
    place = directory / "bin"
    place.mkdir(exist_ok=True)
    (place / "buto").write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m buto "$@"\n')
    (place / "buto").chmod(0o755)
    (place / "python3").unlink(missing_ok=True)
    (place / "python3").symlink_to(sys.executable)
    return f"{place}{os.pathsep}{os.environ['PATH']}"


def github_build(project: Path, runner: Path, server: Forge, event: dict[str, Any], **inputs: str) -> Build:
    """Carry out the composite action in a project, as GitHub's runner does it."""
    action = yaml.safe_load((ROOT / "ci" / "github" / "action.yml").read_text())
    assert {name.replace("_", "-") for name in inputs} <= set(action["inputs"])
    runner.mkdir(exist_ok=True)
    files = {name: runner / name for name in ("output", "path", "summary")}
    for path in files.values():
        path.write_text("")
    (runner / "event.json").write_text(json.dumps(event))
    values = {
        "github.token": TOKEN,
        "github.run_id": "11",
        "github.run_attempt": "1",
        "runner.os": "Linux",
        "runner.arch": "X64",
    }
    for name, described in action["inputs"].items():
        given = inputs.get(name.replace("-", "_"))
        values[f"inputs.{name}"] = fill(described["default"], values) if given is None else given
    environment = {
        "PATH": tools(runner),
        "HOME": os.fspath(runner),
        "LANG": "C.UTF-8",
        "JAVA_HOME": os.environ.get("JAVA_HOME", ""),
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": os.fspath(ROOT / "ci" / "github"),
        "GITHUB_API_URL": server.url,
        "GITHUB_SERVER_URL": "https://forge.example.org",
        "GITHUB_REPOSITORY": "acme/shop",
        "GITHUB_RUN_ID": "11",
        "GITHUB_EVENT_PATH": os.fspath(runner / "event.json"),
        "GITHUB_OUTPUT": os.fspath(files["output"]),
        "GITHUB_PATH": os.fspath(files["path"]),
        "GITHUB_STEP_SUMMARY": os.fspath(files["summary"]),
        "GITHUB_WORKSPACE": os.fspath(project),
        "RUNNER_TEMP": os.fspath(runner),
    }
    build = Build()
    for step in action["runs"]["steps"]:
        if not holds(step.get("if", "true"), values, ok=not build.code):
            continue
        if "uses" in step:
            build.used[step["uses"]] = {key: fill(value, values) for key, value in step["with"].items()}
            if step["uses"] == "actions/upload-artifact@v4":
                values[f"steps.{step['id']}.outputs.artifact-url"] = ARCHIVE
            continue
        (runner / "step.sh").write_text(fill(step["run"], values))
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", os.fspath(runner / "step.sh")],
            cwd=project / fill(step.get("working-directory", "."), values),
            env={
                **environment,
                "PATH": os.pathsep.join([*files["path"].read_text().splitlines(), environment["PATH"]]),
                **{key: fill(value, values) for key, value in step.get("env", {}).items()},
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        build.output += done.stdout
        for line in files["output"].read_text().splitlines():
            values[f"steps.{step['id']}.outputs.{line.partition('=')[0]}"] = line.partition("=")[2]
        files["output"].write_text("")
        if done.returncode:
            build.failed.append(step["name"])
            build.code = build.code or (0 if step.get("continue-on-error") else done.returncode)
    build.outputs = {name: fill(output["value"], values) for name, output in action["outputs"].items()}
    build.summary = files["summary"].read_text()
    return build


def fill(text: str, values: dict[str, str]) -> str:
    """A text with its expressions replaced by their values; an unknown one is empty, as with GitHub."""
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: values.get(found[1], ""), text)


def holds(condition: str, values: dict[str, str], *, ok: bool) -> bool:
    """Whether a step is carried out: ``&&`` of comparisons, after a failure only with ``!cancelled()``."""
    terms = condition.removeprefix("${{").removesuffix("}}").strip().split(" && ")
    return (ok or "!cancelled()" in terms) and all(holds_alone(term, values) for term in terms)


def holds_alone(term: str, values: dict[str, str]) -> bool:
    if term in ("true", "!cancelled()"):
        return True
    left, right = term.split(" != ")
    return values[left] != right.strip("'")


def gitlab_build(project: Path, runner: Path, server: Forge, sources: Path, **variables: str) -> Build:
    """Carry out the template's job in a project, as GitLab's runner does it."""
    job = yaml.safe_load((ROOT / "ci" / "gitlab" / "buto.yml").read_text())[".buto"]
    runner.mkdir(exist_ok=True)
    environment = {
        "PATH": tools(runner),
        "HOME": os.fspath(runner),
        "LANG": "C.UTF-8",
        "JAVA_HOME": os.environ.get("JAVA_HOME", ""),
        "GITLAB_CI": "true",
        "CI_PROJECT_DIR": os.fspath(project),
        "CI_API_V4_URL": f"{server.url}/api/v4",
        "CI_JOB_URL": "https://forge.example.org/acme/shop/-/jobs/11",
        **job["variables"],
        "BUTO_SOURCES": sources.as_uri(),
        **variables,
    }
    build = Build()
    for part in ("script", "after_script"):
        (runner / f"{part}.sh").write_text("\n".join(["set -eo pipefail", *job[part]]) + "\n")
        done = subprocess.run(
            ["bash", os.fspath(runner / f"{part}.sh")],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        build.output += done.stdout
        if part == "script":
            build.code = done.returncode
        if done.returncode:
            build.failed.append(part)
    return build
