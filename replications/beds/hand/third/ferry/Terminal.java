/** The terminal on the other side of the water; it answers after a while. */
final class Terminal {
    static final long ANSWER_MILLIS = 20;

    private Terminal() { }

    static boolean confirm(Booking b) {
        try {
            Thread.sleep(ANSWER_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return b.persons() < 6;
    }
}
