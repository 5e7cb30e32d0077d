package buto.testprograms.references;

import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** Prints how many of five objects are still there after a collection, for each manager. */
public final class Survivors {
    public static void main(String[] arguments) {
        print("strong", new StrongManager(5));
        print("strong, limit 3", new StrongManager(3));
        print("weak", new ReferenceManager(WeakReference::new, 100));
        print("soft", new ReferenceManager(SoftReference::new, 100));
    }

    private static void print(String name, ObjectManager manager) {
        List<Reference<Object>> watched = new ArrayList<>();
        for (int count = 0; count < 5; count++) {
            Object object = new Object();
            watched.add(new WeakReference<>(object));
            manager.add(object);
        }
        System.gc();
        long left = watched.stream().filter(reference -> reference.get() != null).count();
        manager.add(new Object());
        System.out.println(name + ": " + left);
    }
}
