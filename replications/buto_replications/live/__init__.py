"""Live experiments: the installed command is launched as a user types it, on programs that did not change.

What is asked, how it is drawn, how to repeat it: ``replications/docs/live.md``.
"""
