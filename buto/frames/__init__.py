"""Pandas views of runs, findings, histories and data sets; pandas is imported when a frame is made.

Nothing here reads files or computes: a frame has the numbers of the values it is made of, to the bit.
Columns have the same types whatever the data are, in an empty frame too: numbers are ``float64`` with NaN
for what is not known, counts that may be unknown are ``Int64``, texts are ``string``, both with NA.
"""

from buto.frames.finding_table import findings
from buto.frames.history_table import history
from buto.frames.label_table import labels
from buto.frames.run_table import marks, metadata, runs
from buto.frames.sample_table import data_set, samples

__all__ = ["data_set", "findings", "history", "labels", "marks", "metadata", "runs", "samples"]
