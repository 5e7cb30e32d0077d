package buto.launcher;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The first lines of what buto found, with what it advises next, among all that it printed. */
final class Headlines {
    private static final String INCONCLUSIVE = "INCONCLUSIVE  ";
    private static final List<String> CHANGES = Arrays.asList("REGRESSION  ", "CHANGED  ");
    private static final String BECAUSE = "  because: ";
    private static final String NEXT = "  next: ";
    private static final String DETAIL = "  ";
    private static final String ERROR = "buto: ";
    private static final String TRY = "try:  ";

    private Headlines() {}

    /**
     * Returns the first line of each verdict that is no pass, and of each error, with the advice on it in lines of its
     * own.
     *
     * @param results what buto printed to its standard output
     * @param others what it printed to its standard error
     */
    static List<String> of(List<String> results, List<String> others) {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            String line = results.get(i);
            boolean isOpen = line.startsWith(INCONCLUSIVE);
            boolean isExplained = isOpen && i + 1 < results.size() && results.get(i + 1).startsWith(BECAUSE);
            if (isExplained) {
                line += ": " + results.get(i + 1).substring(BECAUSE.length());
            }
            if (isOpen || isChange(line)) {
                found.add(line + next(results.subList(i + 1, results.size())));
            }
        }
        for (int i = 0; i < others.size(); i++) {
            String line = others.get(i);
            if (line.startsWith(ERROR)) {
                found.add(line.substring(ERROR.length()) + advice(others.subList(i + 1, others.size())));
            }
        }
        return Collections.unmodifiableList(found);
    }

    /** Returns the next steps of the verdict whose other lines these are, each behind the end of a line. */
    private static String next(List<String> lines) {
        StringBuilder told = new StringBuilder();
        for (String line : lines) {
            if (!line.startsWith(DETAIL)) {
                break;
            }
            if (line.startsWith(NEXT)) {
                told.append(System.lineSeparator()).append(line);
            }
        }
        return told.toString();
    }

    /** Returns the advice on the error behind which these lines are: its last line, after what the program printed. */
    private static String advice(List<String> lines) {
        String told = "";
        for (String line : lines) {
            if (line.startsWith(ERROR)) {
                break;
            }
            if (line.startsWith(TRY)) {
                told = System.lineSeparator() + line;
            }
        }
        return told;
    }

    /** Whether a headline has what to do next. */
    static boolean isAdvised(String headline) {
        return headline.contains(System.lineSeparator() + NEXT) || headline.contains(System.lineSeparator() + TRY);
    }

    /** Whether a headline is that of a program that differs from its oracle, for the worse or only for the better. */
    static boolean isChange(String headline) {
        return CHANGES.stream().anyMatch(headline::startsWith);
    }
}
