"""What the paper reports of its two systems; its text is available, the numbers of its tables are not."""

from __future__ import annotations

FIXED_LOAD = "7 of 9 regressions found, 2 missed, no false alarm"
VARIED_LOADS = "7 of 9 right in one system with 1 missed and 1 false alarm; 6 of 9 in the other"
