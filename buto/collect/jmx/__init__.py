"""Collecting by polling over JMX, from a worker process that alone imports jpype."""
