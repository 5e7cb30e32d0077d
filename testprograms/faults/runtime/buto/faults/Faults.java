package buto.faults;

/** The faults of this JVM, called from the methods that they are woven into. Loaded by the bootstrap loader. */
public final class Faults {
    private static volatile Fault[] all = {};

    private Faults() {
    }

    /** Set the faults; the place of a fault in the array is its number. */
    public static void set(Fault[] faults) {
        all = faults.clone();
    }

    /** Note that a method with a fault begins, and return what {@link #leave} needs to know. */
    public static long enter(int number) {
        Fault[] known = all;
        return number < known.length && known[number].isActive() ? CpuClock.nanos() : -1;
    }

    /**
     * Carry out a fault at the end of a method.
     *
     * @param entered what {@link #enter} returned; nothing happens if the fault was not active then
     */
    public static void leave(int number, long entered) {
        if (entered >= 0) {
            all[number].strike(entered);
        }
    }

    /**
     * Return whether the method that ends is to be run again.
     *
     * @param repeated how often it was run again already
     */
    public static boolean repeats(int number, int repeated) {
        Fault[] known = all;
        return number < known.length && known[number].repeats(repeated);
    }

    /**
     * Return whether the method that ends is to be run again, because what it returned was kept.
     *
     * @param repeated how often it was run again already
     */
    public static boolean leaks(int number, int repeated, Object returned) {
        Fault[] known = all;
        return number < known.length && known[number].leaks(repeated, returned);
    }
}
