"""Results as pictures, drawn with matplotlib."""
