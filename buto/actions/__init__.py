"""What buto does, callable without a command line.

Every action is a function ``action(project, request, on_event)``: a frozen request in, a stream of typed
events through ``on_event`` while it works, a frozen result out. Expected failures are raised as
:class:`buto.errors.ButoError`, Ctrl-C during launches as ``interruption.Interrupted``.

    from buto.actions.check import CheckRequest, check
    from buto.actions.project import Files, Project

    files = Files.located()
    project = Project(files, files.read_configuration(), door)
    outcome = check(project, CheckRequest(("shop",)), print)

* ``record``, ``train``, ``check``, ``accept``, ``compare``, ``bisect``, ``why``, ``selftest``, ``suggest``,
  ``report``, ``labels``, ``attach``: the actions, each with its request. Those that judge or learn return an
  :class:`buto.actions.check.Outcome`: a result for each test, and the exit code of a command.
  ``check.finished`` and ``train.learn`` do the same with runs that are at hand.
* ``project``: ``Files``, where configuration, runs and oracles are; ``Project``, what is known of a test;
  ``Overrides``, what a call specifies over all that.
* ``stored``, ``past``, ``kept``: the stored runs that a user means, the checks of the past, and the program
  that a test was trained on.
* ``collecting``: launches in random order, on what ``engines`` chooses; ``collected``, what they gave;
  ``ending``, why a test is given up, and the lock of a store; ``interruption``, Ctrl-C meanwhile.
* ``duet``: two programs at the same time; ``turns``: the old program and the new one in random turns.
* ``case``: the state of one test from its first launch to its verdict, also for callers that launch one run
  at a time.
* ``events``: everything that is reported on the way.
* ``advice``: what a user is told beside results. A ``Door`` (command line, pytest, Python) puts a step into
  words.
* ``git``: calls of git, changed files; ``worktrees``: revisions in temporary working trees, bisection.

Nothing is imported here, so that a program pays only for the action that it uses.
"""
