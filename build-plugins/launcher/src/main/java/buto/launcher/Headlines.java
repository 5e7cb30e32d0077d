package buto.launcher;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The first lines of what buto found, with the steps that it advises next, among all that it printed. */
final class Headlines {
    static final String REGRESSION = "REGRESSION  ";
    private static final String INCONCLUSIVE = "INCONCLUSIVE  ";
    private static final String BECAUSE = "  because: ";
    private static final String NEXT = "  next: ";
    private static final String DETAIL = "  ";
    private static final String ERROR = "buto: ";

    private Headlines() {}

    /**
     * Returns the first line of each verdict that is no pass, that of a regression with the next steps in lines of
     * their own, then the first line of each error.
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
            if (isOpen) {
                found.add(line);
            } else if (isRegression(line)) {
                found.add(line + next(results.subList(i + 1, results.size())));
            }
        }
        for (String line : others) {
            if (line.startsWith(ERROR)) {
                found.add(line.substring(ERROR.length()));
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

    static boolean hasNext(String headline) {
        return headline.contains(System.lineSeparator() + NEXT);
    }

    static boolean isRegression(String headline) {
        return headline.startsWith(REGRESSION);
    }
}
