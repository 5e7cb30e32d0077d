"""Predict a whole system from component tests, through a model of its architecture, without running it.

From the ground up: a ``model`` of stations, components and endpoints; ``calls`` between components and the
``plans`` of requests; response times by closed forms (``network``) and by ``simulation``; models learned from
``traces``; ``results`` of component tests and the components that they are about (``mapping``);
``prediction``; ``report`` and ``commands``.
"""
