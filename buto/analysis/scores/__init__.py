"""Scores of choices of runs: candidates for the score that the calibrated oracle ranks.

Every score treats all runs alike, and therefore its rank is an exact p-value (:mod:`buto.analysis.evidence`).
"""
