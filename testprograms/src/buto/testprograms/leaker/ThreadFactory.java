package buto.testprograms.leaker;

import java.util.concurrent.locks.LockSupport;

/** A running thread that prints a line now and then and never ends. */
final class ThreadFactory implements ObjectFactory {
    private final long pause;

    /** @param pause nanoseconds between two lines of one thread */
    ThreadFactory(long pause) {
        this.pause = pause;
    }

    @Override
    public Object create() {
        Thread thread = new Thread("leaked") {
            @Override
            public void run() {
                while (true) {
                    System.out.println("still here");
                    LockSupport.parkNanos(pause);
                }
            }
        };
        thread.start();
        return thread;
    }
}
