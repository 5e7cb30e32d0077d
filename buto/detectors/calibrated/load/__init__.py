"""The preset ``regression-models``: every counter is predicted from the load; the run is the replicate."""
