"""Which minimum effects would have avoided false alarms of the past without missing a regression."""
