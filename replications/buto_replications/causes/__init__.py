"""How often the changed method is found: programs with a known change, profiled once and drawn many times."""
