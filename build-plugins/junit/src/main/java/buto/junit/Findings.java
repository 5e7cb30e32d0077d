package buto.junit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What buto found, as the cause of a failure: so it is printed once, and the failure itself stays short. */
final class Findings extends Exception {
    private static final long serialVersionUID = 1L;

    /** Precedes an error of buto; the message of a failure leaves it out. */
    private static final String ERROR = "buto: ";

    Findings(List<String> lines) {
        super(String.join(System.lineSeparator(), lines), null, false, false);
    }

    /** Returns what was said beside the message of a failure; null if that has all of it. */
    static Findings beside(String message, List<String> said) {
        List<String> told = Arrays.asList(message.split("\\R"));
        List<String> more = new ArrayList<>(said);
        more.removeIf(line -> told.contains(line.startsWith(ERROR) ? line.substring(ERROR.length()) : line));
        return more.isEmpty() ? null : new Findings(more);
    }
}
