"""The engine on arrays: projection, classifiers of groups, and their evaluation by grouped folds."""
