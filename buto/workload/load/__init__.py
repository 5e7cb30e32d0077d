"""Load: requests of several kinds in phases, in an open loop."""
