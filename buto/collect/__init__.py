"""Collecting: launch a program, record what it uses, hand over a finished run."""

from buto.collect.collector import Collector, OnTick, open_collector
from buto.collect.record.recording import Progress
from buto.collect.target import MBeanSpec, Target

__all__ = ["Collector", "MBeanSpec", "OnTick", "Progress", "Target", "open_collector"]
