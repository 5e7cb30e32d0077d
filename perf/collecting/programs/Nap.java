/** Says when it begins and ends by the monotonic clock, naps between, and exits with a given code. */
public final class Nap {
    private Nap() {
    }

    /** Arguments: milliseconds to nap, exit code (0 returns from main). */
    public static void main(String[] arguments) throws InterruptedException {
        long begin = System.nanoTime();
        long millis = Long.parseLong(arguments[0]);
        if (millis > 0) {
            Thread.sleep(millis);
        }
        // No concatenation: its first use would take longer than all that is measured here.
        System.out.print("begin ");
        System.out.println(begin);
        System.out.print("end ");
        System.out.println(System.nanoTime());
        int code = Integer.parseInt(arguments[1]);
        if (code != 0) {
            System.exit(code);
        }
    }
}
