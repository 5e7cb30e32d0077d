"""``buto architecture`` and ``buto predict``."""
