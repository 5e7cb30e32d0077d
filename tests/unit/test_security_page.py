"""Each promise of docs/evidence/security.md names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "evidence" / "security.md").read_text(encoding="utf-8")


def test_every_promise_names_tests_and_every_test_exists() -> None:
    tables = re.findall(r"^\| promise \|.*\n\| ---.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    promises = [row for table in tables for row in table.splitlines()]
    assert len(promises) >= 14
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    known = {name for source in sources for name in re.findall(r"def (test_\w+)\(", source)}
    for promise in promises:
        named = re.findall(r"`(test_\w+)`", promise)
        assert named, promise
        assert set(named) <= known, set(named) - known
