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
        System.out.print("begin " + begin + "\nend " + System.nanoTime() + "\n");
        System.out.flush();
        int code = Integer.parseInt(arguments[1]);
        if (code != 0) {
            System.exit(code);
        }
    }
}
