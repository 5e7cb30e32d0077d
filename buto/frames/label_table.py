"""Labels as a frame: a row for each label that a run has or had."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from buto.runs.labels import Labelling, run_labels

if TYPE_CHECKING:
    import pandas as pd


def labels(of: Iterable[Labelling]) -> pd.DataFrame:
    """Return every label that runs of one test have or had, by run and time.

    Returns:
        A frame with the run's id as its index, named ``run``, and the columns test, label, command, person
        and reason (``string``, the last two empty if not known), at (UTC), meant (``bool``): of good runs,
        whether the program was changed on purpose, and replaced (``bool``): whether another label of this run
        counts instead.
    """
    import pandas as pd

    every = run_labels(of)
    given = [one.labelling for one in every]
    texts = {
        "test": [one.test for one in given],
        "label": [one.label.value for one in given],
        "command": [one.command for one in given],
        "person": [one.person for one in given],
        "reason": [one.reason for one in given],
    }
    columns = {
        **{name: pd.array(column, dtype="string") for name, column in texts.items()},
        "at": pd.array([one.at for one in given], dtype="datetime64[ns, UTC]"),
        "meant": pd.array([one.meant for one in given], dtype="bool"),
        "replaced": pd.array([one.is_replaced for one in every], dtype="bool"),
    }
    return pd.DataFrame(columns, pd.Index([one.run_id for one in every], dtype="string", name="run"))
