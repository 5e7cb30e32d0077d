import java.util.HashMap;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;

final class BedsSmall implements Beds {
    private final Map<String, Class<? extends Plant>> types = new HashMap<>();

    @Override public Plant plant(Variety variety, boolean potted) throws ReflectiveOperationException {
        String key = potted ? variety.name() + "-potted" : variety.name();
        Class<? extends Plant> type = types.get(key);
        if (type == null) {
            type = generate(variety);
            types.put(key, type);
        }
        return type.getDeclaredConstructor().newInstance();
    }

    private static Class<? extends Plant> generate(Variety variety) {
        return new ByteBuddy()
            .subclass(Plant.class)
            .method(ElementMatchers.named("habit")).intercept(FixedValue.value(variety.habit()))
            .method(ElementMatchers.named("water")).intercept(FixedValue.value(variety.thirst()))
            .make()
            .load(BedsSmall.class.getClassLoader())
            .getLoaded();
    }
}
