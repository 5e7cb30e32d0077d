import java.util.*;

class PlannerBase implements Planner {
    private final Floor floor;
    private final int[] best;

    PlannerBase(Floor floor) {
        this.floor = floor;
        best = new int[floor.cost.length];
    }

    public int cost(int from, int to) {
        Arrays.fill(best, Integer.MAX_VALUE);
        best[from] = 0;
        PriorityQueue<int[]> open = new PriorityQueue<>((a, b) -> Integer.compare(a[1], b[1]));
        open.add(new int[] {from, 0});
        while (!open.isEmpty()) {
            int[] e = open.poll();
            if (e[0] == to) return e[1];
            if (e[1] > best[e[0]]) continue;
            for (int d = 0; d < 4; d++) {
                int n = floor.neighbour(e[0], d), c = e[1] + floor.cost[n];
                if (floor.cost[n] == 0 || c >= best[n]) continue;
                best[n] = c;
                open.add(new int[] {n, c});
            }
        }
        return -1;
    }
}

/** Looks a little beyond the goal, so that a later change can offer a way to the cell beside it. */
class PlannerSmall implements Planner {
    private static final int MARGIN = 45;
    private final Floor floor;
    private final int[] best;

    PlannerSmall(Floor floor) {
        this.floor = floor;
        best = new int[floor.cost.length];
    }

    public int cost(int from, int to) {
        Arrays.fill(best, Integer.MAX_VALUE);
        best[from] = 0;
        PriorityQueue<int[]> open = new PriorityQueue<>((a, b) -> Integer.compare(a[1], b[1]));
        open.add(new int[] {from, 0});
        while (!open.isEmpty()) {
            int[] e = open.poll();
            if (best[to] < Integer.MAX_VALUE && e[1] > best[to] + MARGIN) break;
            if (e[1] > best[e[0]]) continue;
            for (int d = 0; d < 4; d++) {
                int n = floor.neighbour(e[0], d), c = e[1] + floor.cost[n];
                if (floor.cost[n] == 0 || c >= best[n]) continue;
                best[n] = c;
                open.add(new int[] {n, c});
            }
        }
        return best[to] == Integer.MAX_VALUE ? -1 : best[to];
    }
}

/** The open cells in a plain list. */
class PlannerLarge implements Planner {
    private final Floor floor;
    private final int[] best;

    PlannerLarge(Floor floor) {
        this.floor = floor;
        best = new int[floor.cost.length];
    }

    public int cost(int from, int to) {
        Arrays.fill(best, Integer.MAX_VALUE);
        best[from] = 0;
        List<int[]> open = new ArrayList<>();
        open.add(new int[] {from, 0});
        while (!open.isEmpty()) {
            int least = 0;
            for (int i = 1; i < open.size(); i++) if (open.get(i)[1] < open.get(least)[1]) least = i;
            int[] e = open.remove(least);
            if (e[0] == to) return e[1];
            if (e[1] > best[e[0]]) continue;
            for (int d = 0; d < 4; d++) {
                int n = floor.neighbour(e[0], d), c = e[1] + floor.cost[n];
                if (floor.cost[n] == 0 || c >= best[n]) continue;
                best[n] = c;
                open.add(new int[] {n, c});
            }
        }
        return -1;
    }
}

class PlannerHarmless1 implements Planner {
    private static final int UNKNOWN = Integer.MAX_VALUE;
    private final int[] reached;
    private final Floor floor;

    PlannerHarmless1(Floor floor) {
        this.reached = new int[floor.cost.length];
        this.floor = floor;
    }

    @Override public int cost(int from, int to) {
        PriorityQueue<int[]> frontier = new PriorityQueue<>(Comparator.comparingInt((int[] e) -> e[1]));
        Arrays.fill(reached, UNKNOWN);
        reached[from] = 0;
        frontier.add(new int[] {from, 0});
        for (int[] next = frontier.poll(); next != null; next = frontier.poll()) {
            int cell = next[0], spent = next[1];
            if (cell == to) return spent;
            if (spent <= reached[cell]) expand(cell, spent, frontier);
        }
        return -1;
    }

    private void expand(int cell, int spent, PriorityQueue<int[]> frontier) {
        for (int d = 0; d < 4; d++) {
            int n = floor.neighbour(cell, d);
            int step = floor.cost[n];
            if (step > 0 && spent + step < reached[n]) {
                reached[n] = spent + step;
                frontier.add(new int[] {n, spent + step});
            }
        }
    }
}

class PlannerHarmless2 implements Planner {
    private record Entry(int cell, int cost) implements Comparable<Entry> {
        @Override public int compareTo(Entry o) { return Integer.compare(cost, o.cost); }
    }

    private final Floor floor;
    private final int[] best;

    PlannerHarmless2(Floor floor) {
        this.floor = floor;
        best = new int[floor.cost.length];
    }

    public int cost(int from, int to) {
        Arrays.fill(best, Integer.MAX_VALUE);
        best[from] = 0;
        PriorityQueue<Entry> open = new PriorityQueue<>();
        open.add(new Entry(from, 0));
        while (!open.isEmpty()) {
            Entry e = open.poll();
            if (e.cell() == to) return e.cost();
            if (e.cost() > best[e.cell()]) continue;
            for (int d = 0; d < 4; d++) {
                int n = floor.neighbour(e.cell(), d), c = e.cost() + floor.cost[n];
                if (floor.cost[n] == 0 || c >= best[n]) continue;
                best[n] = c;
                open.add(new Entry(n, c));
            }
        }
        return -1;
    }
}

/** A*, with twice the distance in cells as the least that remains. */
class PlannerBetter implements Planner {
    private final Floor floor;
    private final int[] best;

    PlannerBetter(Floor floor) {
        this.floor = floor;
        best = new int[floor.cost.length];
    }

    private int least(int a, int b) {
        return 2 * (Math.abs(a % floor.side - b % floor.side) + Math.abs(a / floor.side - b / floor.side));
    }

    public int cost(int from, int to) {
        Arrays.fill(best, Integer.MAX_VALUE);
        best[from] = 0;
        PriorityQueue<int[]> open = new PriorityQueue<>((a, b) -> Integer.compare(a[2], b[2]));
        open.add(new int[] {from, 0, least(from, to)});
        while (!open.isEmpty()) {
            int[] e = open.poll();
            if (e[0] == to) return e[1];
            if (e[1] > best[e[0]]) continue;
            for (int d = 0; d < 4; d++) {
                int n = floor.neighbour(e[0], d), c = e[1] + floor.cost[n];
                if (floor.cost[n] == 0 || c >= best[n]) continue;
                best[n] = c;
                open.add(new int[] {n, c, c + least(n, to)});
            }
        }
        return -1;
    }
}
