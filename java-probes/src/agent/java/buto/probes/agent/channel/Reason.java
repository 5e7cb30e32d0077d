package buto.probes.agent.channel;

/** The text for why a value could not be read. */
public final class Reason {
    private Reason() {}

    /** Returns class and message of the innermost cause; a program's own exception may fail to give its message. */
    public static String of(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause.getCause() != null && depth < 10; depth++) {
            cause = cause.getCause();
        }
        String name = cause.getClass().getName();
        try {
            String message = cause.getMessage();
            return message == null ? name : name + ": " + message;
        } catch (RuntimeException noMessage) {
            return name;
        }
    }
}
