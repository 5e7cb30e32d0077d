"""Launches on the hosts of a Dask cluster: the only room that imports Dask."""
