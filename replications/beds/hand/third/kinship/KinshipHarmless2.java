import java.util.Arrays;
import java.util.List;

final class KinshipHarmless2 implements Kinship {
    private static final int GENERATIONS = 9;

    static final class Ancestors {
        final int[] people;
        final int[] ways;

        Ancestors(int[] people, int[] ways) {
            this.people = people;
            this.ways = ways;
        }
    }

    private Tree tree;
    private int[] place;
    private int[] stamp;
    private int round;
    private int[] queue = new int[1 << GENERATIONS];
    private int[] ways = new int[1 << GENERATIONS];
    private long met;
    private long related;

    @Override public void setTree(Tree tree) {
        this.tree = tree;
        place = new int[tree.size()];
        stamp = new int[tree.size()];
    }

    /** All ancestors of some generations, each once, with the sum of 2^-n over the ways to it. */
    private Ancestors ancestors(int person) {
        round++;
        int end = 0;
        queue[end] = person;
        ways[end++] = 1 << 15;
        int lastGeneration = 0;
        for (int g = 1; g < GENERATIONS; g++) {
            int stop = end;
            for (int i = lastGeneration; i < stop; i++) {
                int half = ways[i] / 2;
                end = meet(tree.father[queue[i]], half, end);
                end = meet(tree.mother[queue[i]], half, end);
            }
            lastGeneration = stop;
        }
        met += end;
        return new Ancestors(Arrays.copyOf(queue, end), Arrays.copyOf(ways, end));
    }

    private int meet(int person, int half, int end) {
        if (stamp[person] == round) {
            ways[place[person]] += half;
            return end;
        }
        stamp[person] = round;
        place[person] = end;
        queue[end] = person;
        ways[end] = half;
        return end + 1;
    }

    @Override public long of(int a, int b) {
        Ancestors ofA = ancestors(a);
        Ancestors ofB = ancestors(b);
        long coefficient = common(ofA, ofB);
        if (coefficient > 0) related++;
        return coefficient;
    }

    private long common(Ancestors left, Ancestors right) {
        long total = 0;
        for (int i = 0; i < left.people.length; i++) {
            int person = left.people[i];
            if (stamp[person] == round) total += (long) left.ways[i] * right.ways[place[person]] / 2;
        }
        return total;
    }

    @Override public List<String> summary() {
        return List.of("ancestors met " + met, "couples related " + related);
    }
}
