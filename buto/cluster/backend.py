"""joblib's backend for Dask, as the hosts of a cluster need it."""

from __future__ import annotations

from joblib._dask import DaskDistributedBackend  # joblib has no public name for it

_FEWEST_JOBS = 2


class HostsBackend(DaskDistributedBackend):  # type: ignore[misc]
    """Has work done by hosts also if there is only one.

    For a single job, joblib does not ask its backend, and this process would do the work itself.
    """

    def effective_n_jobs(self, n_jobs: int) -> int:
        """Return how many jobs the hosts do at the same time, but two at least."""
        return max(_FEWEST_JOBS, int(super().effective_n_jobs(n_jobs)))
