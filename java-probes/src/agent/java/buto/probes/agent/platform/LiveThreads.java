package buto.probes.agent.platform;

import java.lang.instrument.Instrumentation;
import java.util.Iterator;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.ThreadContainer;
import jdk.internal.vm.ThreadContainers;

/** How many virtual threads are alive, and how many threads of the platform carry them. */
public final class LiveThreads {
    private static final String VIRTUAL = "java.lang.VirtualThread";
    private static final String CARRIER = "jdk.internal.misc.CarrierThread";

    private final Class<?> virtualType;

    private final Class<?> carrierType;

    /** Alive virtual threads. */
    public int virtual;

    /** Threads that carry virtual ones, or wait for them. */
    public int carriers;

    private LiveThreads(Class<?> virtualType, Class<?> carrierType) {
        this.virtualType = virtualType;
        this.carrierType = carrierType;
    }

    /** Whether this Java has virtual threads. */
    public static boolean mayBeVirtual() {
        try {
            return Class.forName(VIRTUAL, false, null) != null;
        } catch (ClassNotFoundException olderJava) {
            return false;
        }
    }

    /**
     * Counts. In a program that has not started a virtual thread, no class is loaded or initialised for that.
     *
     * @throws Exception if this JDK cannot tell
     * @throws LinkageError if this JDK cannot tell
     */
    public static LiveThreads count(Instrumentation instrumentation) throws Exception {
        Class<?> type = Class.forName(VIRTUAL, false, null);
        if (Unsafe.getUnsafe().shouldBeInitialized(type)) {
            return new LiveThreads(type, type);
        }
        Opening.openThreads(instrumentation);
        if (!ThreadContainers.trackAllThreads()) {
            throw new IllegalStateException("the program was started with -Djdk.trackAllThreads=false");
        }
        LiveThreads threads = new LiveThreads(type, Class.forName(CARRIER, false, null));
        threads.add(ThreadContainers.root());
        return threads;
    }

    private void add(ThreadContainer container) {
        for (Iterator<Thread> threads = container.threads().iterator(); threads.hasNext(); ) {
            Thread thread = threads.next();
            virtual += virtualType.isInstance(thread) ? 1 : 0;
            carriers += carrierType.isInstance(thread) ? 1 : 0;
        }
        for (Iterator<ThreadContainer> children = container.children().iterator(); children.hasNext(); ) {
            add(children.next());
        }
    }
}
