package jdk.internal.vm;

import java.util.stream.Stream;

public abstract class ThreadContainer {
    public final Stream<ThreadContainer> children() {
        return null;
    }

    public abstract Stream<Thread> threads();
}
