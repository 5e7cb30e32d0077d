import java.util.*;

/** Discounts for the customers of a shop, by rules that the sales people type as expressions; compiled by Janino. */
public class Main {
    static Engine engine;

    public static void main(String[] args) throws Exception {
        engine = Engines.get(args[0]);
        Random r = new Random(250);
        String[] rules = new String[150];
        for (int i = 0; i < rules.length; i++) rules[i] = rule(r, i);
        long cents = 0;
        for (int order = 0; order < 500; order++) {
            int customer = r.nextInt(300);
            String rule = rules[customer % rules.length];
            for (int k = 0; k < 25; k++) cents += engine.discount(rule, order, 1 + r.nextInt(50), 100 + r.nextInt(100_000));
        }
        System.out.println("discounts of " + cents + " cents");
    }

    private static String rule(Random r, int i) {
        int a = 2 + r.nextInt(20), b = 1000 + r.nextInt(50_000), p = 1 + r.nextInt(15);
        return switch (i % 3) {
            case 0 -> "cents > " + b + " ? cents * " + p + " / 100 : 0";
            case 1 -> "pieces >= " + a + " && cents > " + b / 2 + " ? cents * " + p + " / 100 + " + i + " : 0";
            default -> "pieces * " + i % 7 + " + (cents > " + b + " ? " + p * 10 + " : 0)";
        };
    }
}

interface Engine {
    int discount(String rule, int order, int pieces, int cents) throws Exception;
}

class Engines {
    static Engine get(String v) {
        switch (v) {
            case "base": return new EngineBase();
            case "small": return new EngineSmall();
            case "large": return new EngineLarge();
            case "harmless1": return new EngineHarmless1();
            case "harmless2": return new EngineHarmless2();
            case "better": return new EngineBetter();
            default: throw new IllegalArgumentException(v);
        }
    }
}
