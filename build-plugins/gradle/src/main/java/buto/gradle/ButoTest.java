package buto.gradle;

import buto.launcher.MeasuredTest;

/** An element of {@code buto { tests { ... } }}. */
public class ButoTest extends MeasuredTest {
    /** As Gradle's containers make their elements. */
    public ButoTest(String name) {
        setName(name);
    }
}
