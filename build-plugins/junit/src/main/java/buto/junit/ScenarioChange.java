package buto.junit;

import java.util.List;
import org.opentest4j.AssertionFailedError;

/** A scenario uses more or less than its oracle knows. */
final class ScenarioChange extends AssertionFailedError {
    private static final long serialVersionUID = 1L;

    /**
     * @param message which scenarios, and what to do
     * @param said the lines of buto
     */
    ScenarioChange(String message, List<String> said) {
        super(message, new Findings(said));
    }

    /**
     * Is of the type that readers know. It also keeps the verdict in the first line: Surefire ends that line behind the
     * name of an exception's own class if the message has several.
     */
    @Override
    public String toString() {
        return AssertionFailedError.class.getName() + ": " + getMessage();
    }
}
