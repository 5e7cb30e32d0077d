"""The claims of the thesis's chapter 5, and what our own runs say about each."""
