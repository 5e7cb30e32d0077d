"""Workloads: requests and operations that a program gets while it is measured."""

from buto.workload.driver import workload_hooks
from buto.workload.model import HttpLoad, Operation, Workload, workload_from

__all__ = ["HttpLoad", "Operation", "Workload", "workload_from", "workload_hooks"]
