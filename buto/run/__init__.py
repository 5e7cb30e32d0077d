"""What was measured: runs and sets of them, their properties and units, their format and store."""
