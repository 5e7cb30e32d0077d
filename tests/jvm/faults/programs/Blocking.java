/** Answers three times, and never again; or, as a property says, always after so many milliseconds. */
public final class Blocking implements BlockingMBean {
    private static final int SLOW_MS = Integer.getInteger("slow", 0);

    private int reads;

    @Override
    public int getNext() throws InterruptedException {
        if (SLOW_MS > 0) {
            Thread.sleep(SLOW_MS);
        } else if (++reads > 3) {
            synchronized (this) {
                while (true) {
                    wait();
                }
            }
        }
        return reads;
    }
}
