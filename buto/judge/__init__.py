"""Detectors: what judges runs, one folder each, all behind one protocol."""
