"""Which files around a project changed while a program ran."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from buto.programs.elsewhere import find_changed_within


def test_a_file_that_another_program_still_writes_is_none_of_the_launches(tmp_path: Path) -> None:
    began_s = time.time() - 60
    own, logged, read = (tmp_path / name for name in ("own", "daemon.log", "read"))
    for path in (own, logged, read):
        path.write_text("changed")
    spans = [(began_s, began_s + 600)]
    with logged.open("a") as log, read.open() as held:
        daemon = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=log, stderr=held)
    try:
        assert set(find_changed_within([str(tmp_path)], [], spans, [])) == {str(own), str(read)}
    finally:
        daemon.communicate(timeout=20)
    assert set(find_changed_within([str(tmp_path)], [], spans, [])) == {str(own), str(read), str(logged)}
