"""How a verdict is reached: functions on arrays, and detectors behind one protocol."""
