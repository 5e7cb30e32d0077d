"""Which tests run one after the other."""

from __future__ import annotations

SERIAL = (
    *(f"tests/jvm/agent/test_agent_{what}.py" for what in ("samples", "weight")),
    *(f"tests/jvm/jmx/test_{what}.py" for what in ("alike",)),
    *(f"tests/jvm/cli/test_{what}.py" for what in ("bisect", "compare", "flow", "kept", "turns")),
    *("tests/jvm/packaging/", "tests/jvm/releases/"),
    "tests/jvm/pytest_plugin/test_sample.py",
    "tests/build_plugins/",
    "tests/integration/pages/test_typed.py",
)
"""What judges real runs, measures how fast they are, or builds into a directory of the checkout: one process
runs these tests, one after the other."""
