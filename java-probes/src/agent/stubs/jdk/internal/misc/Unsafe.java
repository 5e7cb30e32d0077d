package jdk.internal.misc;

public final class Unsafe {
    public static Unsafe getUnsafe() {
        return null;
    }

    public boolean shouldBeInitialized(Class<?> type) {
        return false;
    }
}
