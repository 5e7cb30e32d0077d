"""What the tests of the bundled programs call."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

Done = subprocess.CompletedProcess[str]
RunProgram = Callable[..., Done]
