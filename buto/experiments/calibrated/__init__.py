"""How good buto's default detector is, on runs recorded after it was chosen."""
