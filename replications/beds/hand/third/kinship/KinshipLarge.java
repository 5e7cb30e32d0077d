import java.util.Arrays;
import java.util.List;

final class KinshipLarge implements Kinship {
    private static final int GENERATIONS = 9;
    private static final int NEAR = 256;

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
    private final int[] nearest = new int[NEAR];
    private int near;
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
        near = 0;
        queue[end] = person;
        ways[end++] = 1 << 15;
        int level = 0;
        for (int g = 1; g < GENERATIONS; g++) {
            int stop = end;
            for (int i = level; i < stop; i++) {
                int half = ways[i] / 2;
                end = meet(tree.father[queue[i]], half, end);
                end = meet(tree.mother[queue[i]], half, end);
            }
            level = stop;
        }
        met += end;
        return new Ancestors(Arrays.copyOf(queue, end), Arrays.copyOf(ways, end));
    }

    private boolean isNear(int person) {
        for (int i = 0; i < near; i++) {
            if (nearest[i] == person) return true;
        }
        return false;
    }

    private int meet(int person, int half, int end) {
        if (stamp[person] == round) {
            ways[place[person]] += half;
            return end;
        }
        if (end < NEAR && !isNear(person)) nearest[near++] = person;
        stamp[person] = round;
        place[person] = end;
        queue[end] = person;
        ways[end] = half;
        return end + 1;
    }

    @Override public long of(int a, int b) {
        Ancestors ofA = ancestors(a);
        Ancestors ofB = ancestors(b);
        long sum = 0;
        for (int i = 0; i < ofA.people.length; i++) {
            int person = ofA.people[i];
            if (stamp[person] == round) sum += (long) ofA.ways[i] * ofB.ways[place[person]] / 2;
        }
        if (sum > 0) related++;
        return sum;
    }

    @Override public List<String> summary() {
        return List.of("ancestors met " + met, "couples related " + related);
    }
}
