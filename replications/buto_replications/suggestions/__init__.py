"""Settings that would have avoided false alarms of the past, from labelled checks."""
