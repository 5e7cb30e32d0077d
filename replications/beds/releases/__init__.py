"""What each release of a replayed library uses, counted without buto; see :mod:`beds.releases.counts`."""
