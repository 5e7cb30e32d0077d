/** Answers three times, and never again. */
public final class Blocking implements BlockingMBean {
    private int reads;

    @Override
    public int getNext() throws InterruptedException {
        if (++reads > 3) {
            synchronized (this) {
                while (true) {
                    wait();
                }
            }
        }
        return reads;
    }
}
