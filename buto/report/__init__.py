"""Renderers: verdicts and runs in, text, pictures or JSON out. They decide nothing.

What they render is the same everywhere: words (:mod:`words`), lines and tables (:mod:`document`), and charts
(:mod:`panels`). :mod:`buto.report.plots` imports matplotlib and is therefore imported only where a plot is
asked for.
"""
