"""Readers of files and messages from strangers, given bytes that a fuzzer thought of."""
