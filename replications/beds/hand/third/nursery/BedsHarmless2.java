import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;

final class BedsHarmless2 implements Beds {
    private final Map<String, Class<? extends Plant>> types = new ConcurrentHashMap<>();

    @Override public Plant plant(Variety variety, boolean potted) throws ReflectiveOperationException {
        String key = variety.name();
        Class<? extends Plant> type = types.get(key);
        if (type == null) {
            type = generate(variety);
            types.put(key, type);
        }
        return type.getDeclaredConstructor().newInstance();
    }

    private static Class<? extends Plant> generate(Variety variety) {
        var subclass = new ByteBuddy().subclass(Plant.class);
        var named = subclass.method(ElementMatchers.named("habit")).intercept(FixedValue.value(variety.habit()));
        var thirsty = named.method(ElementMatchers.named("water")).intercept(FixedValue.value(variety.thirst()));
        return thirsty.make().load(BedsHarmless2.class.getClassLoader()).getLoaded();
    }
}
