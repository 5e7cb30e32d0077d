package buto.junit;

import java.util.List;

/** What buto found, as the cause of a failure: so it is printed once, and the failure itself stays short. */
final class Findings extends Exception {
    private static final long serialVersionUID = 1L;

    Findings(List<String> lines) {
        super(String.join(System.lineSeparator(), lines), null, false, false);
    }
}
