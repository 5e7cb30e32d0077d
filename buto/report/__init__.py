"""Renderers: verdicts and runs in, text, pictures or JSON out. They decide nothing.

:mod:`buto.report.plots` imports matplotlib and is therefore imported only where a plot is asked for.
"""
