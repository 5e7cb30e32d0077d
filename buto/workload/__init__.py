"""Workloads: what is done to a program while it is measured."""

from buto.workload.driver import companions
from buto.workload.model import HttpLoad, Operation, Workload, workload_from

__all__ = ["HttpLoad", "Operation", "Workload", "companions", "workload_from"]
