"""Workloads: requests and operations that a program gets while it is measured.

Nothing is imported here: configurations need the model of a workload, but not what runs it.
"""
