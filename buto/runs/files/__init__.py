"""Files that are read within limits, appear wholly or not at all, and a cache of what was read."""
