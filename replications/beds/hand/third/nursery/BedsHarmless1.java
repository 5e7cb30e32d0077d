import java.util.HashMap;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;

final class BedsHarmless1 implements Beds {
    private final Map<String, Class<? extends Plant>> classes = new HashMap<>();

    @Override public Plant plant(Variety variety, boolean potted) throws ReflectiveOperationException {
        String name = variety.name();
        return type(name, variety).getDeclaredConstructor().newInstance();
    }

    private Class<? extends Plant> type(String name, Variety variety) {
        Class<? extends Plant> known = classes.get(name);
        if (known != null) return known;
        Class<? extends Plant> made = generate(variety);
        classes.put(name, made);
        return made;
    }

    private static Class<? extends Plant> generate(Variety variety) {
        return new ByteBuddy()
            .subclass(Plant.class)
            .method(ElementMatchers.named("habit")).intercept(FixedValue.value(variety.habit()))
            .method(ElementMatchers.named("water")).intercept(FixedValue.value(variety.thirst()))
            .make()
            .load(BedsHarmless1.class.getClassLoader())
            .getLoaded();
    }
}
