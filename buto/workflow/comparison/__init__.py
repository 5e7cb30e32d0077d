"""Two programs compared: what they are called, how each is launched, and how the second is judged."""
