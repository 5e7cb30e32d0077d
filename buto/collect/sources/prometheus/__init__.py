"""The source ``prometheus``: any page in the Prometheus text format."""
