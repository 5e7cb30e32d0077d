import java.util.HashMap;
import java.util.Map;

/** Answers so many calls, each of which takes so many steps: java Calls CALLS STEPS. */
public final class Calls {
    private Calls() {
    }

    public static void main(String[] args) {
        int calls = Integer.parseInt(args[0]);
        int steps = Integer.parseInt(args[1]);
        long sum = 0;
        for (int call = 0; call < calls; call++) {
            sum += answer(call, steps);
        }
        System.out.println(sum);
    }

    private static long answer(int call, int steps) {
        Map<Integer, String> known = new HashMap<>();
        for (int step = 0; step < steps; step++) {
            known.merge(
                    step % 100, Integer.toString(call + step), (one, other) -> one.length() > 40 ? other : one + other);
        }
        long sum = 0;
        for (String one : known.values()) {
            sum += one.hashCode();
        }
        return sum;
    }
}
