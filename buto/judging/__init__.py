"""How a verdict is reached: functions on arrays, and detectors behind one protocol.

``procedure`` is the rule of a check. ``features``, ``evidence``, ``rank`` and ``findings`` lead from values
to words, and ``detector`` is the default. ``load`` judges under a load that varies, ``selfknowledge`` says
what an oracle can detect, and ``thesis`` is a method of its own that nothing else needs.
"""
