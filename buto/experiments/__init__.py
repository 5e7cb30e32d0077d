"""The experiments of the thesis, repeated on runs that anyone can record."""
