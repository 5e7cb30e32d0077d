package jdk.internal.vm;

public class ThreadContainers {
    public static boolean trackAllThreads() {
        return false;
    }

    public static ThreadContainer root() {
        return null;
    }
}
