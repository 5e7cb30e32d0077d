package buto.maven;

import buto.launcher.MeasuredTest;
import java.io.File;

/** An element of {@code <tests>}; Maven finds the class by the element's name. */
public class Test extends MeasuredTest {
    /** Jar to start, of which Maven has made a file in the module. */
    public void setJar(File jar) {
        startJar(jar);
    }
}
