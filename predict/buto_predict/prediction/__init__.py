"""The system before and after a change of its components, under a load, with the uncertainty."""
