"""Shows a report as the comment of a pull request (GitHub) or merge request (GitLab), in place of its last.

    python3 comment.py buto-reports/comment.md

Plain Python without buto, for it runs after a build that may have failed to install it. The comment begins
with a marker that nobody sees; one that begins so is replaced. BUTO_COMMENT names it, where several builds
of one request comment; BUTO_TOKEN may write comments, and is sent to the API of the build's own server only;
BUTO_ARCHIVE is the URL of what GitHub keeps of the reports, empty if it keeps nothing.
"""

from __future__ import annotations

import json
import os
import re
import ssl
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

TIMEOUT_S = 30.0
PAGE = 100
MAX_PAGES = 100
MAX_CHARACTERS = 60_000
"""GitHub takes 65,536."""

DETAILS = re.compile(r"^<details>$.*?^</details>$\n?", re.MULTILINE | re.DOTALL)


class CommentError(Exception):
    """Why there is no comment."""


@dataclass(frozen=True)
class Place:
    """Where the comments of a request are.

    Attributes:
        comments: URL of all of them.
        one: URL of one, before its number.
        update: the method that replaces one.
        headers: with the token.
        links: what people open after it: a name, and its URL.
        forbidden: what to do where the token may not write.
    """

    comments: str
    one: str
    update: str
    headers: dict[str, str]
    links: dict[str, str]
    forbidden: str


def place(environment: dict[str, str], reports: Path) -> Place | None:
    """The request that this build is of, None if it is of none.

    Args:
        reports: the directory that this build keeps, below the project's on GitLab.
    """
    if environment.get("GITHUB_ACTIONS") == "true":
        return github(environment)
    if environment.get("GITLAB_CI") == "true":
        return gitlab(environment, reports)
    raise CommentError("this is neither a build of GitHub nor one of GitLab")


def github(environment: dict[str, str]) -> Place | None:
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = event.get("pull_request", {}).get("number")
    if number is None:
        return None
    repository = environment["GITHUB_REPOSITORY"]
    issues = f"{environment['GITHUB_API_URL']}/repos/{repository}/issues"
    build = f"{environment['GITHUB_SERVER_URL']}/{repository}/actions/runs/{environment['GITHUB_RUN_ID']}"
    archive = environment.get("BUTO_ARCHIVE")
    return Place(
        comments=f"{issues}/{int(number)}/comments",
        one=f"{issues}/comments",
        update="PATCH",
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token(environment)}",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        links={**({"The pages with the charts (zip)": archive} if archive else {}), "the build": build},
        forbidden="the job needs permissions: {pull-requests: write}; a request from a fork never has them",
    )


def gitlab(environment: dict[str, str], reports: Path) -> Place | None:
    number = environment.get("CI_MERGE_REQUEST_IID")
    if not number:
        return None
    project = quote(environment["CI_MERGE_REQUEST_PROJECT_ID"], safe="")
    notes = f"{environment['CI_API_V4_URL']}/projects/{project}/merge_requests/{int(number)}/notes"
    job = environment["CI_JOB_URL"]
    files = sorted(reports.glob("*.html"))
    pages = {page.name: f"{job}/artifacts/file/{quote(page.as_posix())}" for page in files}
    return Place(
        comments=notes,
        one=notes,
        update="PUT",
        headers={"PRIVATE-TOKEN": token(environment)},
        links={**pages, "the build": job},
        forbidden="BUTO_TOKEN must be a project access token of scope api and role Reporter",
    )


def token(environment: dict[str, str]) -> str:
    found = environment.get("BUTO_TOKEN", "")
    if not found:
        raise CommentError("BUTO_TOKEN is not set: no token that may write comments")
    return found


def body(text: str, marker: str, links: dict[str, str]) -> str:
    """The comment: without its details if it is too long with them, and cut if it is still too long."""
    if len(text) > MAX_CHARACTERS:
        text = DETAILS.sub("", text)
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS].rpartition("\n")[0] + "\n\nAnd more, which the report has."
    shown = ", ".join(f"[{name}]({url})" for name, url in links.items())
    return f"{marker}\n{text.rstrip()}\n\n{shown}\n"


def show(where: Place, text: str, marker: str) -> str:
    """Replace the comment with the marker, or add one; says which it was."""
    content = {"body": body(text, marker, where.links)}
    old = find(where, marker)
    if old is None:
        call(where, "POST", where.comments, content)
        return "added"
    call(where, where.update, f"{where.one}/{old}", content)
    return "replaced"


def find(where: Place, marker: str) -> int | None:
    """The number of the first comment that begins with the marker."""
    for page in range(1, MAX_PAGES + 1):
        comments = call(where, "GET", f"{where.comments}?per_page={PAGE}&page={page}")
        for comment in comments:
            if (comment.get("body") or "").startswith(marker):
                return int(comment["id"])
        if len(comments) < PAGE:
            break
    return None


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Nobody but the server that is asked gets the token."""

    def redirect_request(self, *arguments: Any, **more: Any) -> None:
        return None


def call(where: Place, method: str, url: str, content: dict[str, str] | None = None) -> Any:
    """What the server answers; CommentError where it refuses."""
    data = None if content is None else json.dumps(content).encode()
    headers = {**where.headers, "Content-Type": "application/json", "User-Agent": "buto"}
    request = urllib.request.Request(url, data, headers, method=method)
    # Of a GitLab with a certificate of its own.
    tls = ssl.create_default_context(cafile=os.environ.get("CI_SERVER_TLS_CA_FILE") or None)
    opener = urllib.request.build_opener(NoRedirect, urllib.request.HTTPSHandler(context=tls))
    what = f"{method} {urlsplit(url).path}"
    try:
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        error.close()
        advice = f"; {where.forbidden}" if error.code in (401, 403, 404) else ""
        raise CommentError(f"{what}: HTTP {error.code} {error.reason}{advice}") from None
    except (OSError, ValueError) as error:
        raise CommentError(f"{what}: {error}") from None


def main(words: list[str]) -> int:
    if len(words) != 1:
        print("usage: comment.py FILE", file=sys.stderr)
        return 2
    environment = dict(os.environ)
    name = quote(environment.get("BUTO_COMMENT") or "buto", safe=" ").replace("-", "%2D")
    marker = f"<!-- buto-comment: {name} -->"
    try:
        file = Path(words[0])
        where = place(environment, file.parent)
        if where is None:
            print("no comment: this build is of no pull request or merge request")
            return 0
        print(f"comment {show(where, file.read_text(encoding='utf-8'), marker)}")
    except (CommentError, OSError) as error:
        warning = f"no comment: {error}"
        print(f"::warning title=buto::{warning}" if environment.get("GITHUB_ACTIONS") == "true" else warning)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
