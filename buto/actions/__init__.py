"""What buto does, callable without a command line.

Every action is a function ``action(project, request, reporter)``: a frozen request in, a stream of typed
events to the reporter while it works, a frozen result out. Expected failures are raised as
:class:`buto.errors.ButoError`, Ctrl-C during launches as ``ending.Interrupted``.

    from buto.actions.check import CheckRequest, check
    from buto.actions.project import Files, Project

    files = Files.locate()
    project = Project(files, files.read_configuration())
    outcome = check(project, CheckRequest(("shop",)), print)

* ``record``, ``train``, ``check``, ``accept``, ``compare``, ``bisect``, ``selftest``, ``live``, ``report``,
  ``attach``: the actions, each with its request; ``single``, a test whose caller decides when it is launched.
* ``project``: configuration, stores and oracles. An action resolves its tests there, once. What launches and
  verdicts need further is a ``launcher.Launcher`` in a ``workspace.Workspace``, a ``workspace.Known``
  oracle, and a test's ``plan.Plan``.
* ``collecting``, ``turns``: launches in random order, old and new in turns.
* ``events``: what is reported on the way; ``advice``: what a user is told; ``wording``: how it is put into
  the words of a front end; ``outcome``: the results of a call, its exit code, and the history.
* ``hooks``: where features of rooms above add to actions.

Nothing is imported here, so that a program pays only for the action that it uses.
"""
