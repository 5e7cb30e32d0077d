package buto.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.opentest4j.AssertionFailedError;

/** What a scenario threw in its own JVM, with the places where it did. */
final class ScenarioFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** Precedes, in the JVM that is measured, what its scenario threw. */
    static final String THREW = "The scenario threw ";

    private static final Pattern FRAME = Pattern.compile("\\s+at (?:[^/(]*/)*([^(]+)\\.([^.(]+)\\(([^:)]*)(?::(\\d+))?\\)");
    private static final Pattern ASSERTION = Pattern.compile("\\S*(?:AssertionError|AssertionFailedError)(?:: )?");

    private ScenarioFailure(String message) {
        super(message);
    }

    /**
     * Throws what a scenario threw, as far as buto quotes it; returns if that was nothing.
     *
     * @param said the lines of buto
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
