import java.util.ArrayList;
import java.util.List;

/** Known sizes: allocates in bursts, or after a long time of which nobody is told, or keeps. */
public final class Bursts {
    private static final int HEADER = 16;
    static volatile Object last;
    static final List<Object> KEPT = new ArrayList<>();

    private Bursts() {}

    static void small(int many) {
        make(many, 104);
    }

    static void medium(int many) {
        for (int at = 0; at < many; at++) {
            last = new byte[1016 - HEADER];
        }
    }

    static void large(int many) {
        for (int at = 0; at < many; at++) {
            last = new byte[10_016 - HEADER];
        }
    }

    static void huge(int many) {
        for (int at = 0; at < many; at++) {
            last = new byte[100_016 - HEADER];
        }
    }

    /** Each method allocates some 20 MB, in a hundred bursts between which the program waits. */
    private static void burst() throws InterruptedException {
        for (int at = 0; at < 100; at++) {
            small(2000);
            medium(200);
            large(20);
            huge(2);
            Thread.sleep(5);
        }
    }

    private static void make(int many, int size) {
        for (int at = 0; at < many; at++) {
            last = new byte[size - HEADER];
        }
    }

    private static void keepLarge(int many) {
        for (int at = 0; at < many; at++) {
            KEPT.add(new byte[10_016 - HEADER]);
        }
    }

    private static void keepHuge(int many) {
        for (int at = 0; at < many; at++) {
            KEPT.add(new byte[100_016 - HEADER]);
        }
    }

    /** Keeps 30 MB at its last collection, and at its end a third of that. */
    private static void keep() throws InterruptedException {
        keepLarge(2500);
        keepHuge(50);
        Shop.awaitCollections(2);
        KEPT.subList(0, 2000).clear();
    }

    public static void main(String[] words) throws Exception {
        if (words[0].equals("bursts")) {
            burst();
        } else if (words[0].equals("kept")) {
            keep();
        } else {
            small(500_000);
            System.out.println("ready");
            System.in.read();
            medium(5000);
        }
    }
}
