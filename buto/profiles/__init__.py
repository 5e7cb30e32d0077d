"""What a profiled launch of a program tells: folded stacks of its events. A profile is never a run."""

from buto.profiles.kinds import Kind
from buto.profiles.model import ClassSize, Frame, Profile, Stack

__all__ = ["ClassSize", "Frame", "Kind", "Profile", "Stack"]
