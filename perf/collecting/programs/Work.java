import java.util.ArrayList;
import java.util.List;

/** Does a fixed amount of work, or some for a fixed time, and tells what it was. */
public final class Work {
    private Work() {
    }

    /** Arguments: idle or spin, and milliseconds; compute or allocate, and units of work. */
    public static void main(String[] arguments) throws InterruptedException {
        long amount = Long.parseLong(arguments[1]);
        if (arguments[0].equals("idle")) {
            Thread.sleep(amount);
            // The program's threads and those of the JVM's own that run Java code.
            System.out.print("threads ");
            System.out.println(Thread.getAllStackTraces().size());
        } else if (arguments[0].equals("spin")) {
            long end = System.nanoTime() + amount * 1000000L;
            long units = 0;
            while (System.nanoTime() < end) {
                units += compute(1) & 1;
            }
            System.out.println(units);
        } else {
            System.out.println(arguments[0].equals("compute") ? compute(amount) : allocate(amount));
        }
    }

    /** A unit is 100,000 steps of a generator of numbers. */
    private static long compute(long units) {
        long state = 1;
        for (long unit = 0; unit < units; unit++) {
            for (int step = 0; step < 100000; step++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                state ^= state >>> 29;
            }
        }
        return state;
    }

    /** A unit is 1,000 arrays of 1 KiB, one in 20 of which is held for a while. */
    private static long allocate(long units) {
        List<byte[]> held = new ArrayList<byte[]>();
        long sum = 0;
        for (long unit = 0; unit < units; unit++) {
            for (int number = 0; number < 1000; number++) {
                byte[] array = new byte[1024];
                array[number] = (byte) unit;
                sum += array[number];
                if (number % 20 == 0) {
                    held.add(array);
                }
            }
            if (held.size() > 20000) {
                held.clear();
            }
        }
        return sum + held.size();
    }
}
