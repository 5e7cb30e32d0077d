"""Labels of runs: what is known to be true of them, who said so and when."""

from buto.runs.labels.model import Label, Labelling, RunLabel, current, run_labels
from buto.runs.labels.past import Past
from buto.runs.labels.store import LabelStore

__all__ = ["Label", "LabelStore", "Labelling", "Past", "RunLabel", "current", "run_labels"]
