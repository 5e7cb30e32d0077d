"""From profiles of an old and a new program to methods that use more: pure functions and frozen values."""

from buto.causes.explain import explain
from buto.causes.model import Cause, Causes, Explanation, Tier

__all__ = ["Cause", "Causes", "Explanation", "Tier", "explain"]
