package jdk.internal.misc;

public class VM {
    public interface BufferPool {
        long getCount();

        long getTotalCapacity();

        long getMemoryUsed();
    }
}
