import java.util.function.IntUnaryOperator;

/** Methods of every shape, each called a known number of times, and some that allocate a known number of bytes. */
public final class Called {
    private final int value;

    /** Jumps before the object is initialized. */
    Called(int number) {
        this(number > 5 ? "large" : "small", number % 2 == 0 ? number : -number);
    }

    private Called(String text, int number) {
        value = text.length() + number;
    }

    static long shape(int number, long wide, double wider) {
        switch (number) {
            case 0: return wide;
            case 1: return (long) wider;
            case 2: wide += 7;
            default:
        }
        switch (number * 1000) {
            case 3000: return 3;
            case -50_000: return 4;
            default: return loop(number, wide);
        }
    }

    private static long loop(int number, long wide) {
        Object found = null;
        for (int at = 0; at < number; at++) {
            String text = at % 2 == 0 ? new StringBuilder(at > 3 ? "a" : "b").toString() : "odd";
            found = found == null ? text : found;
            wide += text.length();
        }
        return found instanceof String ? wide : -wide;
    }

    static int caught(int number) {
        try {
            return thrown(number);
        } catch (IllegalStateException error) {
            return -1;
        } finally {
            sum++;
        }
    }

    private static int thrown(int number) {
        if (number > 2) {
            throw new IllegalStateException("expected");
        }
        return number;
    }

    private static final RuntimeException EXPECTED = new IllegalStateException("made before");
    private static final int MANY = 150_000;

    private static long sum;
    static volatile Object kept;

    /** Has a field with 1,016 bytes, which its constructor allocates behind that of its parent. */
    static class Filled {
        private final Object content = new byte[1000];

        Filled(boolean isRefused) {
            if (isRefused) {
                throw EXPECTED;
            }
        }
    }

    /** Allocates 1,016 bytes, sixteen of them for the head. */
    static Object thousand() {
        return kept = new byte[1000];
    }

    static Object twice(int number) {
        thousand();
        switch (number) {
            case 0: return thousand();
            case 1: kept = thousand();
            default:
                return number > 1 ? thousand() : kept;
        }
    }

    /** Calls itself four times if it begins with 4. */
    static synchronized Object deep(int left) {
        kept = new byte[1000];
        return left == 0 ? kept : deep(left - 1);
    }

    static void refuse(boolean isRefused) {
        kept = new byte[1000];
        if (isRefused) {
            throw EXPECTED;
        }
    }

    static void often() {
        kept = new byte[8];
    }

    private static void allocate() {
        for (int number = 0; number < 10; number++) {
            twice(number % 3);
            deep(4);
            boolean isRefused = number % 2 == 0;
            try {
                refuse(isRefused);
            } catch (IllegalStateException expected) {
                kept = expected;
            }
            try {
                kept = new Filled(isRefused);
            } catch (IllegalStateException expected) {
                kept = expected;
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread[] threads = {new Thread(Called::allocate), new Thread(Called::allocate)};
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int number = 0; number < MANY; number++) {
            often();
        }
        long whole = 0;
        IntUnaryOperator twice = number -> number * 2;
        IntUnaryOperator anonymous = new IntUnaryOperator() {
            @Override
            public int applyAsInt(int number) {
                return number > 4 ? number : 0;
            }
        };
        for (int number = 0; number < 10; number++) {
            whole += new Called(number).value + shape(number, 1L << 40, 0.5) + caught(number);
            whole += twice.applyAsInt(number) + anonymous.applyAsInt(number);
        }
        System.out.println(whole + " " + sum);
    }
}
