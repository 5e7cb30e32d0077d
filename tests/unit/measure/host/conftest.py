from tests.support.processes.leftovers import nothing_is_left

__all__ = ["nothing_is_left"]
