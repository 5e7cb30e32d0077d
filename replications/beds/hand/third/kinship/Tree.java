import java.util.Random;

/** People by generations; each has a father and a mother in the generation before. */
final class Tree {
    final int[] father;
    final int[] mother;
    final String[] names;

    Tree(int generations, int people) {
        Random random = new Random(1_750);
        father = new int[generations * people];
        mother = new int[generations * people];
        names = new String[generations * people];
        for (int i = 0; i < father.length; i++) {
            int before = i / people - 1;
            father[i] = before < 0 ? -1 : before * people + random.nextInt(people / 2);
            mother[i] = before < 0 ? -1 : before * people + people / 2 + random.nextInt(people / 2);
            names[i] = "person " + i + " of parish " + random.nextInt(40);
        }
    }

    int size() { return father.length; }
}
