"""Collect by polling over JMX, from a worker process, which alone imports jpype."""
