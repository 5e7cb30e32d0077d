"""Launch a program, record what it uses, and return a finished run."""

from buto.collect.collector import Collector
from buto.collect.opener import open_collector
from buto.collect.progress import OnTick, Progress
from buto.collect.target import MBeanSpec, Target

__all__ = ["Collector", "MBeanSpec", "OnTick", "Progress", "Target", "open_collector"]
