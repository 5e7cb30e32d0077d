"""What the newest verdict of a test is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from buto.runs.results import ResultStore
from buto.verdicts import Effect, Status
from buto.workflow.project import Project


def newest_subjects(project: Project, test: str) -> tuple[str, ...]:
    """Return the properties that the newest regression of a test found, in reading order; empty without one.

    Changes for the better are left out unless there are no others.

    Raises:
        BadFileError: the newest result is damaged.
    """
    store = ResultStore(project.files.store)
    for name in reversed(store.all(test)):
        with store.reading(test, name) as content:
            document = json.loads(content)
            tests = document.get("tests") if isinstance(document, dict) else None
            if not tests:
                raise ValueError("it is no result")
            verdict = tests[0].get("verdict")
        if verdict is None:
            continue
        return _subjects(verdict) if verdict.get("status") == Status.REGRESSION.value else ()
    return ()


def _subjects(verdict: Mapping[str, Any]) -> tuple[str, ...]:
    findings = verdict.get("findings", [])
    order = [place for group in verdict.get("groups", []) for place in group] or range(len(findings))
    worse = [findings[at] for at in order if findings[at].get("effect") != Effect.BETTER.value]
    return tuple(dict.fromkeys(one["subject"] for one in worse or findings))
