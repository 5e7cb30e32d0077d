"""The tables of the paper on component tests and architectural models, without a measured system.

Liao and others: "Early Detection of Performance Regressions by Bridging Local Performance Data and
Architectural Models".
"""
