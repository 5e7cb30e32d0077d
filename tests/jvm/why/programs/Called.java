import java.util.function.IntUnaryOperator;

/** Methods of every shape, each called a known number of times. */
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

    private static long sum;

    public static void main(String[] arguments) {
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
