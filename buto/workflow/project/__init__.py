"""A project: where its files are, what a call specifies of its tests, and which stored runs are meant."""

from buto.workflow.project.files import Files
from buto.workflow.project.overrides import NO_OVERRIDES, Overrides
from buto.workflow.project.resolving import Project

__all__ = ["NO_OVERRIDES", "Files", "Overrides", "Project"]
