"""Which code did it: profiles of an old and a new program, and the methods that use more.

``launches`` profiles both with what ``flight``, ``calls`` and ``class_files`` record, ``explain`` finds the
candidates, ``counted`` joins their exact calls, and ``sentence`` and ``report`` say it. What it adds to a
check is registered here by name, because nothing is imported before it is needed.
"""

from buto.actions.hooks import EXPLAINED, JUDGED

EXPLAINED.register("buto.causes.additions:causes", "which code did it is not known")
JUDGED.register("buto.causes.additions:next_steps", "buto why is not among the next steps")
