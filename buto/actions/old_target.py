"""The target of the old program: run as the training declared it, and measured as the present one.

Turns may accuse the program only if its two versions differ in all that belongs to a program, and in nothing
else. Command, options, working directory and declared environment belong to it. Inherited variables, the JDK,
the workload, services beside the program and all that concerns measuring are those of now in both.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from buto.errors import BadFileError, UsageError
from buto.oracle import Oracle
from buto.project.model import TestConfig, build_test
from buto.project.yaml import complaints
from buto.run.masking import MASKED, Mask

OF_PROGRAM = ("command", "working-directory", "environment", "jvm", "expect-exit")
"""Keys of a test that say what is run and how; of all others, both programs have the present values."""

OF_JVM = ("JAVA_HOME", "PATH")
"""Variables that choose the JDK, which is the present one."""

_SECRET = "an oracle holds no secrets: before the next training, write a variable in place of each, ${NAME}"


def old_target(test: TestConfig, known: Oracle, base: Path | None) -> TestConfig:
    """Return how to launch the program that an oracle was trained on, if its files were the present ones.

    What is written as it was in training is taken from the present test, secrets and directories too. The
    variables of what differs (``${NAME}``) have the values of now.

    Args:
        test: how the present program is launched and measured.
        base: the directory of the configuration that has the test; None without one.

    Raises:
        BadFileError: the target in the oracle does not follow the schema.
        UsageError: what differs has a secret that the oracle does not hold, or names an unknown variable.
    """
    # What is added to the present program is what turns have to find.
    test = replace(test, target=replace(test.target, extra=None))
    remembered = known.target
    if "command" not in remembered:
        # A test of the user's has started the program.
        return test
    present = Mask(remembered.get("mask", ())).data(dict(test.written))
    differing = [key for key in OF_PROGRAM if remembered.get(key) != present.get(key)]
    if not differing:
        return test
    faults = complaints(remembered, "test")
    if faults:
        raise BadFileError(
            f"the oracle of {known.test!r}: its target cannot be used: {faults[0]}",
            advice="restore its file",
        )
    written = {key: remembered[key] for key in differing if key in remembered}
    if "environment" in written:
        mine = test.written.get("environment", {}), present.get("environment", {})
        written["environment"] = _with_secrets(written["environment"], *mine)
    if MASKED in str(written):
        raise UsageError("the command of the training has a secret", advice=_SECRET)
    # The workload decides which exit code is good where none is written.
    shared = {key: test.written[key] for key in ("workload",) if key in test.written}
    old = build_test(test.name, {**shared, **written}, base, os.environ).target
    target = test.target
    for key in differing:
        match key:
            case "command":
                target = replace(target, command=_with_java_of(target.command, old.command))
            case "working-directory":
                target = replace(target, directory=old.directory)
            case "environment":
                target = replace(target, environment=_with_jvm_of(target.environment, old.environment))
            case "jvm":
                target = replace(target, jvm=old.jvm)
            case _:
                target = replace(target, expected_exit=old.expected_exit)
    return replace(test, target=target)


def _with_java_of(present: Sequence[str], old: Sequence[str]) -> tuple[str, ...]:
    """Return the old command with the JVM of the present one, if both name one themselves."""
    are_java = os.path.basename(present[0]) == os.path.basename(old[0]) == "java"
    return (present[0], *old[1:]) if are_java else tuple(old)


def _with_jvm_of(present: Mapping[str, str], old: Mapping[str, str]) -> dict[str, str]:
    """Return the old variables, with the present ones in place of those that choose the JDK."""
    mine = {name: value for name, value in old.items() if name not in OF_JVM}
    return {**mine, **{name: present[name] for name in OF_JVM if name in present}}


def _with_secrets(
    old: Mapping[str, Any], present: Mapping[str, Any], masked: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the old variables, with present values in place of masked ones that are else the same.

    Args:
        masked: the present ones without their secrets.
    """
    whole = dict(old)
    for name, value in old.items():
        if MASKED in str(value):
            if masked.get(name) != value:
                raise UsageError(
                    f"the variable {name} of the training has a secret, and not the present one's value",
                    advice=_SECRET,
                )
            whole[name] = present[name]
    return whole
