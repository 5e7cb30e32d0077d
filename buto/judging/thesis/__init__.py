"""The method ``thesis``: bounds over time, and notifications."""
