"""Collecting: launch a program, record what it uses, hand over a finished run."""

from buto.collect.target import MBeanSpec, Target

__all__ = ["MBeanSpec", "Target"]
