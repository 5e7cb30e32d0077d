"""Classifiers of two classes: learned from arrays, stored as plain data, used without scikit-learn."""
