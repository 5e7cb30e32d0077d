package buto.testprograms.classloading;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** Prints how many of five deployments' loaders outlive a collection, first with the chain, then without. */
public final class Chain {
    private static Component running;

    public static void main(String[] arguments) {
        List<Reference<ClassLoader>> loaders = new ArrayList<>();
        for (int count = 0; count < 5; count++) {
            Component next = DeploymentLoader.deploy();
            loaders.add(new WeakReference<>(next.getClass().getClassLoader()));
            if (running != null) {
                next.replace(running);
            }
            running = next;
        }
        print(loaders);
        running = null;
        print(loaders);
    }

    private static void print(List<Reference<ClassLoader>> loaders) {
        System.gc();
        System.out.println(loaders.stream().filter(loader -> loader.get() != null).count());
    }
}
