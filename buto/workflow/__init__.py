"""What buto does, callable without a command line.

Every action is a function ``action(project, request, on_event)``: a frozen request in, a stream of typed
events through ``on_event`` while it works, a frozen result out. Expected failures are raised as
:class:`buto.errors.ButoError`; Ctrl-C during launches as :class:`buto.workflow.interruption.Interrupted`.

    from buto.workflow.check import CheckRequest, check
    from buto.workflow.files import Files
    from buto.workflow.project import Project

    files = Files.located()
    project = Project(files, files.read_configuration(), door)
    outcome = check(project, CheckRequest(("shop",)), print)

* ``files``, ``project``: where configuration, runs and oracles are, and what is known of a test.
* ``overrides``: what a call specifies of a test, over all that.
* ``record``, ``train``, ``check``, ``accept``, ``compare``, ``bisect``, ``selftest``, ``attach``: the
  actions, each with its request. Most return an ``outcome.Outcome``: a result for each test, an exit code.
* ``events``: everything that is reported on the way.
* ``steps``: what to do next, as a value; a ``Door`` (command line, pytest, Python) puts it into words.
* ``case``: one test while its runs come in, for callers that launch one run at a time.
* ``rules``: the rules of checking that hold for every door.
* ``stored``: the stored runs that a user means, and those of the newest check.
* ``launching``: launches in random order; ``git``: revisions, working trees, bisection, changed files.

Nothing is imported here, so that a program pays only for the action that it uses.
"""
