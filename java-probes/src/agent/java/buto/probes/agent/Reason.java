package buto.probes.agent;

/** Why a value could not be read, in words. */
final class Reason {
    private Reason() {}

    /** Class and message of the innermost cause; a program's own exception may refuse its message. */
    static String of(Throwable failure) {
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
