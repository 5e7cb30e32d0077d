import java.util.*;

/** Sends robots through a warehouse: cheapest ways on a grid of shelves and slow zones. */
public class Main {
    public static void main(String[] args) {
        Floor floor = new Floor(200, new Random(13));
        Planner planner = Planners.create(args[0], floor);
        Random r = new Random(14);
        long cost = 0;
        int none = 0;
        for (int i = 0; i < 200; i++) {
            int a = floor.free(r), b = floor.free(r);
            int c = planner.cost(a, b);
            if (c < 0) none++;
            else cost += c;
        }
        System.out.println("cost " + cost + ", unreachable " + none);
    }
}

/** Cells are numbered by row; a cost of 0 is a shelf. */
final class Floor {
    final int side;
    final int[] cost;

    Floor(int side, Random r) {
        this.side = side;
        cost = new int[side * side];
        for (int i = 0; i < cost.length; i++) {
            int x = i % side, y = i / side;
            boolean shelf = x % 5 == 2 && y % 20 > 3 && r.nextInt(30) > 0 || x == 0 || y == 0 || x == side - 1 || y == side - 1;
            cost[i] = shelf ? 0 : 2 + r.nextInt(3) + (y / 20 % 3 == 1 ? 3 : 0);
        }
    }

    int free(Random r) {
        int i = r.nextInt(cost.length);
        while (cost[i] == 0) i = r.nextInt(cost.length);
        return i;
    }

    int neighbour(int cell, int direction) {
        return switch (direction) {
            case 0 -> cell - 1;
            case 1 -> cell + 1;
            case 2 -> cell - side;
            default -> cell + side;
        };
    }
}

interface Planner {
    /** Cost of the cheapest way, or -1. */
    int cost(int from, int to);
}

class Planners {
    static Planner create(String v, Floor f) {
        switch (v) {
            case "base": return new PlannerBase(f);
            case "small": return new PlannerSmall(f);
            case "large": return new PlannerLarge(f);
            case "harmless1": return new PlannerHarmless1(f);
            case "harmless2": return new PlannerHarmless2(f);
            case "better": return new PlannerBetter(f);
            default: throw new IllegalArgumentException(v);
        }
    }
}
