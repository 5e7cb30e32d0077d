"""Adjusting for the load: every counter is predicted from the load; the run is the replicate."""
