package buto.probes.agent.custom;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.security.ProtectionDomain;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets the sampler look while the program creates the platform's MBean server, so that it listens before the program
 * can register a bean of its own.
 *
 * <p>That takes the JDK many classes, whose loading the JVM tells every agent in the loading thread. Whoever creates
 * the server holds the lock of {@link ManagementFactory}. That thread wakes the sampler and waits, for a bounded time:
 * it must not call the JDK itself, because a class that it is loading cannot be used.
 */
final class ServerWatch implements ClassFileTransformer {
    /** Between two looks: the JDK takes several times as long to fill a new server. */
    private static final long PAUSE_NANOS = 200000L;

    /** How long the program waits for one look, on a busy machine. */
    private static final long LONGEST_WAIT_NANOS = 100000000L;

    /** How long it waits at most for all of them. */
    private static final long LONGEST_NANOS = 500000000L;

    private final Instrumentation instrumentation;
    private final Thread sampler = Thread.currentThread();

    /** Loaded, and not initialised. */
    private final Object lock = ManagementFactory.class;

    private volatile boolean isOver;

    /** Looks that were asked for, by the thread that holds the lock, and made, by the sampler. */
    private volatile long asked;

    private volatile long answered;

    /** The thread that waits for a look; null if none does. */
    private volatile Thread waiting;

    /** When the last look ended (nanoTime), and how long all took. Only for the thread that holds the lock. */
    private long lookTime;

    private long spent;

    /** Begins to watch, in the sampler thread. */
    ServerWatch(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
        lookTime = System.nanoTime();
        instrumentation.addTransformer(this);
    }

    /** Changes no class. */
    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] classFile) {
        if (!isOver && Thread.holdsLock(lock) && Thread.currentThread() != sampler) {
            letLook();
        }
        return null;
    }

    /** Only by the thread that holds the lock. Parks, because waiting at a monitor would count as the program's. */
    private void letLook() {
        long begin = System.nanoTime();
        if (begin - lookTime < PAUSE_NANOS || spent >= LONGEST_NANOS) {
            return;
        }
        Thread here = Thread.currentThread();
        long number = asked + 1;
        waiting = here;
        asked = number;
        LockSupport.unpark(sampler);
        long deadline = begin + LONGEST_WAIT_NANOS;
        for (long left = LONGEST_WAIT_NANOS; left > 0 && answered < number && !isOver && !here.isInterrupted(); ) {
            LockSupport.parkNanos(left);
            left = deadline - System.nanoTime();
        }
        waiting = null;
        // A permit that the program had been given is not lost; one too many is as a spurious wakeup.
        LockSupport.unpark(here);
        lookTime = System.nanoTime();
        spent += lookTime - begin;
    }

    /** Returns the number of the look that begins. */
    long begin() {
        return asked;
    }

    /** Lets the program continue after this look. */
    void end(long number) {
        answered = number;
        LockSupport.unpark(waiting);
    }

    /** Watches no more. */
    void close() {
        isOver = true;
        instrumentation.removeTransformer(this);
        end(Long.MAX_VALUE);
    }
}
