"""Launches: from what is wanted to a finished run in the store; here, one after the other."""
