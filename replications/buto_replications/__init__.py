"""The experiments of the thesis and of the four papers, repeated on runs that anyone can record."""
