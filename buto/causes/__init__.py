"""From profiles of an old and a new program to methods that use more: pure functions and frozen values."""
