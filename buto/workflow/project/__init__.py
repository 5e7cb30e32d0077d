"""A project: its files, what a call specifies for its tests, and its stored runs."""

from buto.workflow.project.files import Files
from buto.workflow.project.overrides import NO_OVERRIDES, Overrides, measuring
from buto.workflow.project.resolving import Project

__all__ = ["NO_OVERRIDES", "Files", "Overrides", "Project", "measuring"]
