"""``buto runs``."""
