package buto.testprograms.growth;

import buto.testprograms.launch.Arguments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Does rounds of the same work, and keeps something in each that it does not need, or only for a while. */
public final class Growth {
    /** What one round allocates for nothing, so that equal shares of allocation are rounds, too. */
    private static final int GARBAGE = 6 << 20;

    private static final int PIECE = 1024;

    private static volatile Object last;

    private Growth() {
    }

    public static void main(String[] line) throws Exception {
        Map<String, Habit> habits = Leaks.all();
        habits.putAll(Steady.all());
        Arguments arguments = new Arguments(Growth.class)
            .choice("keeps", "what it keeps, and whether that ends", habits.keySet().toArray(new String[0]))
            .choice("marks", "whether it says when a round is over", "yes", "no")
            .count("rounds", 12, "rounds of work")
            .parse(line);
        Habit habit = habits.get(arguments.chosen("keeps"));
        boolean marks = arguments.chosen("marks").equals("yes");
        for (int round = 0; round < arguments.integer("rounds"); round++) {
            habit.round(round);
            work();
            if (marks) {
                end();
            }
        }
        System.out.println("done " + last);
        System.exit(0);
    }

    private static void work() {
        List<byte[]> order = new ArrayList<>();
        for (int piece = 0; piece < GARBAGE / PIECE; piece++) {
            order.add(new byte[PIECE]);
            if (order.size() == 100) {
                order.clear();
            }
        }
        last = order.size();
    }

    /** Tells buto, where it is there, that a round is over. */
    private static void end() throws IOException {
        try {
            Class.forName("buto.Round").getMethod("end").invoke(null);
        } catch (ReflectiveOperationException nobodyCounts) {
            // Then the round matters to nobody.
        }
    }
}
