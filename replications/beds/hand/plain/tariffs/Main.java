import java.io.*;
import java.util.*;

/** Prices the electricity of customers; every grid region brings tariff code that is loaded apart from that of the others. */
public class Main {
    static Pricing pricing;

    public static void main(String[] args) throws Exception {
        pricing = Pricings.named(args[0]);
        Random r = new Random(50);
        long total = 0;
        for (int customer = 0; customer < 330; customer++) {
            int region = r.nextInt(45), base = 100 + r.nextInt(900);
            Tariff t = pricing.tariff(customer, region);
            long bill = 0;
            for (int hour = 0; hour < 24 * 365 * 3; hour++) bill += t.price(hour, base + (hour * 37 + customer) % 300);
            total += bill / 1000;
        }
        System.out.println("total " + total);
    }
}

interface Pricing {
    Tariff tariff(int customer, int region) throws ReflectiveOperationException;
}

class Pricings {
    static Pricing named(String v) {
        return switch (v) {
            case "base" -> new PricingBase();
            case "small" -> new PricingSmall();
            case "large" -> new PricingLarge();
            case "harmless1" -> new PricingHarmless1();
            case "harmless2" -> new PricingHarmless2();
            case "better" -> new PricingBetter();
            default -> throw new IllegalArgumentException(v);
        };
    }
}

/** Loads the classes whose names begin with "Plug" itself, all others by the application. */
final class PlugLoader extends ClassLoader {
    PlugLoader(String name) {
        super(name, PlugLoader.class.getClassLoader());
    }

    Tariff create(int kind) throws ReflectiveOperationException {
        return (Tariff) loadClass("PlugTariff").getDeclaredConstructor(int.class).newInstance(kind);
    }

    @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("Plug") || name.equals("PlugLoader")) return super.loadClass(name, resolve);
        synchronized (getClassLoadingLock(name)) {
            Class<?> c = findLoadedClass(name);
            if (c != null) return c;
            try (InputStream in = getResourceAsStream(name + ".class")) {
                byte[] b = in.readAllBytes();
                return defineClass(name, b, 0, b.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
