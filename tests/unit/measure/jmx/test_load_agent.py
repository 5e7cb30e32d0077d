"""What is advised of a JVM that does not load the agent."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from buto.measure import diagnostic_command
from buto.measure.diagnostic_command import AttachError, load_agent

ALLOWED = "     bool EnableDynamicAgentLoading                = true          {product} {default}"
FORBIDDEN = "     bool EnableDynamicAgentLoading                = false         {product} {command line}"
FORBIDDEN_BY_FILE = "     bool EnableDynamicAgentLoading               := false         {product}"


@pytest.mark.parametrize(
    ("flags", "is_advised"),
    [
        (("0", FORBIDDEN), True),
        (("0", FORBIDDEN_BY_FILE), True),
        (("0", ALLOWED), False),
        (("-1", ""), False),
    ],
)
def test_only_a_jvm_whose_settings_forbid_agents_is_to_be_started_otherwise(
    flags: tuple[str, str], is_advised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(pid: int, words: Sequence[bytes], within_s: float) -> tuple[str, str]:
        return flags if words[0] == b"jcmd" else ("-1", "it does not want to\n")

    monkeypatch.setattr(diagnostic_command, "_answer", answer)
    with pytest.raises(
        AttachError, match="process 7 does not load buto's agent: it does not want to"
    ) as failed:
        load_agent(7, "agent.jar=session", 1.0)
    assert (failed.value.advice is not None) == is_advised
