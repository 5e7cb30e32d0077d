"""The thirteen experiments of the thesis's Appendix A, repeated on recorded runs."""
