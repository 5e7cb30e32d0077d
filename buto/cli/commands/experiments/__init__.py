"""``buto experiments``."""
