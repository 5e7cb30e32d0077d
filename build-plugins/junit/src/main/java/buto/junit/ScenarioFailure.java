package buto.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** What a scenario threw in its own JVM, with the places where it did. */
final class ScenarioFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** Precedes, in the JVM that is measured, what its scenario threw. */
    private static final String THREW = "The scenario threw ";

    private static final Pattern FRAME = Pattern.compile("\\s+at (?:[^/(]*/)*([^(]+)\\.([^.(]+)\\(([^:)]*)(?::(\\d+))?\\)");
    private static final Pattern ASSERTION = Pattern.compile("\\S*(?:AssertionError|AssertionFailedError)(?:: )?");

    private static final String ABORTED = TestAbortedException.class.getName();
    private static final String ABORTED_BY_JUNIT_4 = "org.junit.internal.AssumptionViolatedException";

    private ScenarioFailure(String message) {
        super(message);
    }

    /** Returns the line by which the JVM that is measured tells what its scenario threw. */
    static String line(Throwable thrown) {
        if (!isAborted(thrown)) {
            return THREW + thrown;
        }
        return THREW + ABORTED + (thrown.getMessage() == null ? "" : ": " + thrown.getMessage());
    }

    /** Whether a scenario assumes what is not so here: what JUnit skips. */
    private static boolean isAborted(Throwable thrown) {
        for (Class<?> at = thrown.getClass(); at != null; at = at.getSuperclass()) {
            if (at.getName().equals(ABORTED) || at.getName().equals(ABORTED_BY_JUNIT_4)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Throws what a scenario threw, as far as buto quotes it; returns if that was nothing.
     *
     * @param said the lines of buto
     * @throws AssertionFailedError if it was an assertion
     * @throws TestAbortedException if it assumed what is not so here
     * @throws ScenarioFailure if it was anything else
     */
    static void throwIfTold(List<String> said) throws ScenarioFailure {
        int begin = 0;
        while (begin < said.size() && !said.get(begin).startsWith(THREW)) {
            begin++;
        }
        if (begin == said.size()) {
            return;
        }
        StringBuilder message = new StringBuilder(said.get(begin).substring(THREW.length()));
        List<StackTraceElement> places = new ArrayList<>();
        for (String line : said.subList(begin + 1, said.size())) {
            Matcher frame = FRAME.matcher(line);
            if (frame.matches()) {
                int number = frame.group(4) == null ? -1 : Integer.parseInt(frame.group(4));
                places.add(new StackTraceElement(frame.group(1), frame.group(2), frame.group(3), number));
            } else if (places.isEmpty()) {
                message.append(System.lineSeparator()).append(line);
            } else {
                break;
            }
        }
        StackTraceElement[] trace = places.toArray(new StackTraceElement[0]);
        if (message.indexOf(ABORTED) == 0) {
            String assumed = message.substring(Math.min(message.length(), ABORTED.length() + ": ".length()));
            TestAbortedException aborted = new TestAbortedException(assumed);
            aborted.setStackTrace(trace);
            throw aborted;
        }
        Matcher assertion = ASSERTION.matcher(message);
        if (assertion.lookingAt()) {
            AssertionFailedError failed = new AssertionFailedError(message.substring(assertion.end()));
            failed.setStackTrace(trace);
            throw failed;
        }
        ScenarioFailure failed = new ScenarioFailure(message.toString());
        failed.setStackTrace(trace);
        throw failed;
    }
}
