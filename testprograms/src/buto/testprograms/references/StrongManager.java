package buto.testprograms.references;

import java.util.ArrayList;
import java.util.List;

/** Holds everything until the list reaches its limit, then releases all at once. */
final class StrongManager implements ObjectManager {
    private final List<Object> objects = new ArrayList<>();
    private final int limit;

    StrongManager(int limit) {
        this.limit = limit;
    }

    @Override
    public void add(Object object) {
        if (objects.size() >= limit) {
            objects.clear();
        }
        objects.add(object);
    }
}
