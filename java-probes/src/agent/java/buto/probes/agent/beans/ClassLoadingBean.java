package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.platform.Platform;

/** Classes loaded and unloaded. */
final class ClassLoadingBean extends Bean {
    private final Platform platform;
    private final int loaded;
    private final int present;
    private final int unloaded;

    ClassLoadingBean(Platform platform, Columns columns) {
        super("java.lang:type=ClassLoading", columns);
        this.platform = platform;
        loaded = columns.add("jvm.class.loaded");
        present = columns.add("jvm.class.count");
        unloaded = columns.add("jvm.class.unloaded");
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        long loadedNow = platform.loadedClasses();
        long unloadedNow = platform.unloadedClasses();
        columns.set(loaded, loadedNow);
        columns.set(present, loadedNow - unloadedNow);
        columns.set(unloaded, unloadedNow);
    }
}
