import java.util.*;

/** Heat spreading over a plate: steps a grid and reports hot rows. */
public class Main {
    static final int N = 256, STEPS = 1100;

    public static void main(String[] args) {
        Plate plate = Plates.of(args[0]);
        Random r = new Random(31);
        for (int i = 0; i < 40; i++) plate.heat(1 + r.nextInt(N - 2), 1 + r.nextInt(N - 2), 400 + r.nextInt(500));
        int hot = 0;
        for (int s = 0; s < STEPS; s++) {
            plate.step();
            if (s % 12 == 0) hot += plate.hotRows(12);
        }
        System.out.printf(Locale.ROOT, "hot rows %d, centre %.9f, total %.6f%n", hot, plate.at(N / 2, N / 2), plate.total());
    }
}

interface Plate {
    void heat(int x, int y, double t);

    void step();

    int hotRows(double limit);

    double at(int x, int y);

    double total();

    static double relax(double up, double left, double mid, double right, double down) {
        return mid + 0.2 * (up + left + right + down - 4 * mid);
    }
}

class Plates {
    static Plate of(String version) {
        switch (version) {
            case "base": return new PlateBase();
            case "small": return new PlateSmall();
            case "large": return new PlateLarge();
            case "harmless1": return new PlateHarmless1();
            case "harmless2": return new PlateHarmless2();
            case "better": return new PlateBetter();
            default: throw new NoSuchElementException(version);
        }
    }
}
