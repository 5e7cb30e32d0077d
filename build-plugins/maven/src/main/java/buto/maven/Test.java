package buto.maven;

import buto.launcher.MeasuredTest;

/** An element of {@code <tests>}; Maven finds the class by the element's name. */
public class Test extends MeasuredTest {}
