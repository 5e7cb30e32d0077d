"""Launch a program, record what it uses, and return a finished run."""

from buto.measure.collector import Collector
from buto.measure.opener import open_collector
from buto.measure.progress import OnTick, Progress
from buto.measure.target import MBeanSpec, Target

__all__ = ["Collector", "MBeanSpec", "OnTick", "Progress", "Target", "open_collector"]
