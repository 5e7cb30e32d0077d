package planner;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Plans routes on a map of squares with a priority queue. */
public final class Main {
    private static final int SIZE = 180;
    private static final int ROUTES = 200;

    public static void main(String[] args) {
        Planner planner = planner(args[0]);
        long sum = 0;
        List<Line> table = new ArrayList<>();
        for (int route = 0; route < ROUTES; route++) {
            int from = route * 131 % (SIZE * SIZE);
            int to = SIZE * SIZE - 1 - route * 57 % (SIZE * SIZE);
            Collection<Integer> path = planner.plan(from, to);
            table.add(new Line(route, path.size()));
            for (int square : path) {
                sum = sum * 31 + square & 0xffffff;
            }
        }
        planner.sorting.sort(table);
        System.out.println("planner " + sum + " " + table.get(0).squares + " " + table.get(1).route);
    }

    private static Planner planner(String version) {
        Grid grid = new Grid(SIZE);
        return switch (version) {
            case "base" -> new Planner(grid, new Appending(), new ClassSteps(), new PlainOrder(), new ListPaths(), new LambdaSorting());
            case "small" -> new Planner(grid, new FerryRemoving(), new ClassSteps(), new PlainOrder(), new ListPaths(), new LambdaSorting());
            case "large" -> new Planner(grid, new Removing(), new ClassSteps(), new PlainOrder(), new ListPaths(), new LambdaSorting());
            case "r1" -> new Planner(grid, new Appending(), new ClassSteps(), new PlainOrder(), new ListPaths(), new ChainedSorting());
            case "r2" -> new Planner(grid, new Appending(), new RecordSteps(), new PlainOrder(), new ListPaths(), new LambdaSorting());
            case "r3" -> new Planner(grid, new Appending(), new ClassSteps(), new PlainOrder(), new DequePaths(), new LambdaSorting());
            case "r4" -> new Planner(grid, new Appending(), new ClassSteps(), new SizedOrder(), new ListPaths(), new LambdaSorting());
            default -> throw new IllegalArgumentException(version);
        };
    }
}

interface Terrain {
    int size();

    int cost(int square);

    boolean ferry(int square);
}

/** Costs of squares, calculated once. */
final class Grid implements Terrain {
    private final int size;
    private final int[] costs;

    Grid(int size) {
        this.size = size;
        costs = new int[size * size];
        for (int square = 0; square < costs.length; square++) {
            int state = square * 1103515245 + 12345;
            costs[square] = 1 + (state >>> 16) % 19;
        }
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int cost(int square) {
        return costs[square];
    }

    @Override
    public boolean ferry(int square) {
        return square % 16 == 5;
    }
}

final class Planner {
    private final Terrain terrain;
    private final Improving improving;
    private final Steps steps;
    private final Order order;
    private final Paths paths;
    final Sorting sorting;

    Planner(Terrain terrain, Improving improving, Steps steps, Order order, Paths paths, Sorting sorting) {
        this.terrain = terrain;
        this.improving = improving;
        this.steps = steps;
        this.order = order;
        this.paths = paths;
        this.sorting = sorting;
    }

    Collection<Integer> plan(int from, int to) {
        int size = terrain.size();
        int[] distances = new int[size * size];
        int[] before = new int[size * size];
        Arrays.fill(distances, Integer.MAX_VALUE);
        distances[from] = 0;
        before[from] = -1;
        PriorityQueue<Step> queue = order.queue();
        queue.add(steps.of(from, 0));
        while (!queue.isEmpty()) {
            Step step = queue.poll();
            int square = step.square();
            if (step.distance() > distances[square]) {
                continue;
            }
            if (square == to) {
                break;
            }
            int x = square % size;
            int y = square / size;
            for (int side = 0; side < 4; side++) {
                int nextX = x + (side == 0 ? 1 : side == 1 ? -1 : 0);
                int nextY = y + (side == 2 ? 1 : side == 3 ? -1 : 0);
                if (nextX < 0 || nextY < 0 || nextX >= size || nextY >= size) {
                    continue;
                }
                int next = nextY * size + nextX;
                int distance = step.distance() + terrain.cost(next);
                if (distance < distances[next]) {
                    distances[next] = distance;
                    before[next] = square;
                    improving.improve(queue, steps.of(next, distance), terrain);
                }
            }
        }
        return paths.path(before, to);
    }
}

interface Step {
    int square();

    int distance();
}

interface Steps {
    Step of(int square, int distance);
}

final class ClassStep implements Step {
    private final int square;
    private final int distance;

    ClassStep(int square, int distance) {
        this.square = square;
        this.distance = distance;
    }

    @Override
    public int square() {
        return square;
    }

    @Override
    public int distance() {
        return distance;
    }
}

final class ClassSteps implements Steps {
    @Override
    public Step of(int square, int distance) {
        return new ClassStep(square, distance);
    }
}

record RecordStep(int square, int distance) implements Step {}

final class RecordSteps implements Steps {
    @Override
    public Step of(int square, int distance) {
        return new RecordStep(square, distance);
    }
}

interface Order {
    PriorityQueue<Step> queue();
}

final class PlainOrder implements Order {
    @Override
    public PriorityQueue<Step> queue() {
        return new PriorityQueue<>((one, other) -> one.distance() != other.distance()
                ? Integer.compare(one.distance(), other.distance())
                : Integer.compare(one.square(), other.square()));
    }
}

final class SizedOrder implements Order {
    @Override
    public PriorityQueue<Step> queue() {
        return new PriorityQueue<>(256, (one, other) -> one.distance() != other.distance()
                ? Integer.compare(one.distance(), other.distance())
                : Integer.compare(one.square(), other.square()));
    }
}

/** A line of the table of routes. */
final class Line {
    final int route;
    final int squares;

    Line(int route, int squares) {
        this.route = route;
        this.squares = squares;
    }

    int route() {
        return route;
    }

    int squares() {
        return squares;
    }
}

interface Sorting {
    void sort(List<Line> table);
}

final class LambdaSorting implements Sorting {
    @Override
    public void sort(List<Line> table) {
        table.sort((one, other) -> one.squares != other.squares
                ? Integer.compare(other.squares, one.squares)
                : Integer.compare(one.route, other.route));
    }
}

final class ChainedSorting implements Sorting {
    @Override
    public void sort(List<Line> table) {
        table.sort(Comparator.comparingInt(Line::squares).reversed().thenComparingInt(Line::route));
    }
}

/** What is done with the queue when a shorter way to a square is found. */
interface Improving {
    void improve(PriorityQueue<Step> queue, Step step, Terrain terrain);
}

/** The longer way stays in the queue and is skipped later. */
final class Appending implements Improving {
    @Override
    public void improve(PriorityQueue<Step> queue, Step step, Terrain terrain) {
        queue.add(step);
    }
}

/** Looks for the longer way in the whole queue if there is a ferry. */
final class FerryRemoving implements Improving {
    @Override
    public void improve(PriorityQueue<Step> queue, Step step, Terrain terrain) {
        if (terrain.ferry(step.square())) {
            queue.removeIf(other -> other.square() == step.square());
        }
        queue.add(step);
    }
}

final class Removing implements Improving {
    @Override
    public void improve(PriorityQueue<Step> queue, Step step, Terrain terrain) {
        queue.removeIf(other -> other.square() == step.square());
        queue.add(step);
    }
}

interface Paths {
    Collection<Integer> path(int[] before, int to);
}

final class ListPaths implements Paths {
    @Override
    public Collection<Integer> path(int[] before, int to) {
        List<Integer> path = new ArrayList<>();
        for (int square = to; square >= 0; square = before[square]) {
            path.add(square);
        }
        Collections.reverse(path);
        return path;
    }
}

final class DequePaths implements Paths {
    @Override
    public Collection<Integer> path(int[] before, int to) {
        ArrayDeque<Integer> path = new ArrayDeque<>();
        for (int square = to; square >= 0; square = before[square]) {
            path.addFirst(square);
        }
        return path;
    }
}
