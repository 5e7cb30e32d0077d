"""Programs by their files: which files a command names, and programs that are kept to be launched again.

* ``named``: the files that a command names, for java's own command line and for any other.
* ``model``: a program that is kept, and why one is not.
* ``store``: kept programs in a store.
"""
