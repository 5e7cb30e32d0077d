"""The functions of ``import buto``, for notebooks and other tools; :mod:`buto` has the list of names."""
