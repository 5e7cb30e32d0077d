"""Programs by their files: which files a command names, and programs that are kept to be launched again.

* ``named``: the files that a command names, and what is known of the program that an oracle was trained on.
* ``java``: the files that java's own command line names.
* ``snapshot``: a program as it is now.
* ``contents``: its files, known by content.
* ``store``: kept programs in a store.
* ``stage``: copies of programs that are alike, to be launched in turns.
"""
