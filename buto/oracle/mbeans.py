"""MBeans that were requested but never recorded: most often, a name was mistyped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from buto.runs import RunSet

_RECORDED = re.compile(r"mbean\[(.*?)\](?:/(.*))?", re.DOTALL)
_KEY = re.compile(r'(?:"(?:\\.|[^"\\])*"|[^,"])+', re.DOTALL)


def never_recorded(target: Mapping[str, Any], runs: RunSet) -> tuple[str, ...]:
    """Return a sentence for each pattern that matched nothing in any run, else for each of its attributes
    without a number.

    Args:
        target: of its ``mbeans`` the keys ``name`` and ``attributes`` are looked at.
    """
    sentences = []
    beans = set(_beans(runs))
    for rule in target.get("mbeans", ()):
        pattern = rule["name"]
        if not any(matches(pattern, bean) for bean in beans):
            sentences.append(
                f"the pattern {pattern!r} gave nothing in any run: no MBean matches it, or none with numbers"
            )
            continue
        for attribute in rule.get("attributes", ()):
            why = _why_unread(pattern, attribute, runs)
            if why is not None:
                sentences.append(f"attribute {attribute} of {pattern} was never read: {why}")
    return tuple(sentences)


def matches(pattern: str, name: str) -> bool:
    """Return whether an object name fits a pattern, by the rules of ``javax.management.ObjectName``."""
    domain, _, keys = pattern.partition(":")
    domain_of_name, _, keys_of_name = name.partition(":")
    wanted, present = set(_KEY.findall(keys)), set(_KEY.findall(keys_of_name))
    is_open = "*" in wanted
    wanted.discard("*")
    return (
        _fits(domain, domain_of_name)
        and all(any(_fits(key, one) for one in present) for key in wanted)
        and (is_open or len(wanted) == len(present))
    )


def _fits(pattern: str, text: str) -> bool:
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def _beans(runs: RunSet) -> Iterator[str]:
    for run in runs:
        for name in (*run.column_of, *run.metadata):
            if recorded := _RECORDED.fullmatch(name):
                yield recorded[1]
        yield from (one.source for one in run.notifications)


def _why_unread(pattern: str, attribute: str, runs: RunSet) -> str | None:
    """Return one of the reasons that the runs give; None if any run has a number of the attribute."""
    why = "there is none of that name"
    for run in runs:
        for name, column in run.column_of.items():
            recorded = _RECORDED.fullmatch(name)
            if recorded and _is_of(recorded[2], attribute) and matches(pattern, recorded[1]):
                if math.isfinite(run.smallest_read(column)):
                    return None
                why = run.nan_reasons.get(name, why)
    return why


def _is_of(member: str | None, attribute: str) -> bool:
    """Return whether a member, as ``Stats.hits`` or ``Rows[key].size``, is an attribute or part of it."""
    member = member or ""
    return member == attribute or member.startswith((f"{attribute}.", f"{attribute}["))
