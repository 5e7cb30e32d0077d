package buto.launcher;

/** Nothing could be measured or judged. This is neither a regression nor a pass. */
public final class ButoException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message what failed, and what to do next */
    public ButoException(String message) {
        super(message);
    }

    /**
     * @param what what failed, with the value or path in question
     * @param advice what to do next, if possible something to type
     */
    public ButoException(String what, String advice) {
        super(what + System.lineSeparator() + "try:  " + advice);
    }

    /**
     * @param message what failed, and what to do next
     * @param cause null for none
     */
    public ButoException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Keeps the message in the first line: Surefire ends that behind the whole name if the message has several. */
    @Override
    public String toString() {
        return ButoException.class.getSimpleName() + ": " + getMessage();
    }
}
