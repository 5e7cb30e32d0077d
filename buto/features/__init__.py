"""What explains and adds, above the actions: why, labels and suggestions, the hosts of a cluster.

Each line registers a function at the place in an action where it is called. Nothing here is imported before.
"""

from buto.actions.hooks import CONCLUDED, EXPLAINED, HOSTS, JUDGED

JUDGED.register("buto.features.past:like_runs", "labelled runs like these are not named")
EXPLAINED.register("buto.features.why:causes", "which code did it is not known")
JUDGED.register("buto.features.why:next_steps", "buto why is not among the next steps")
CONCLUDED.register("buto.features.labels:label_result", "these runs get no label")
HOSTS.register("buto.features.cluster:hosts_at")
