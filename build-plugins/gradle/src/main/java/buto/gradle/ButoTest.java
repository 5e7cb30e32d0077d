package buto.gradle;

import buto.launcher.MeasuredTest;
import java.io.File;
import java.util.function.Function;

/** An element of {@code buto { tests { ... } }}. */
public class ButoTest extends MeasuredTest {
    private Object jar;

    /** As Gradle's containers make their elements. */
    public ButoTest(String name) {
        setName(name);
    }

    /** Jar to start, as {@code project.file} takes it. */
    public Object getJar() {
        return jar;
    }

    public void setJar(Object jar) {
        this.jar = jar;
    }

    /** Returns the test without its path. */
    MeasuredTest resolve(Function<Object, File> files) {
        MeasuredTest resolved = new MeasuredTest(this);
        if (jar != null) {
            resolved.startJar(files.apply(jar));
        }
        return resolved;
    }
}
