package buto.probes.jmx;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerConnection;

/** Takes snapshots at a fixed rate, by absolute deadlines, until stopped or until the target is gone. */
final class Poller extends Thread {
    private final MBeanServerConnection server;
    private final List<Bean> platform;
    private final CustomBeans custom;
    private final Columns columns;
    private final Outbox outbox;
    private final long intervalNs;
    private final int snapshotTime;
    private final int missedTicks;
    private long missed;
    private boolean stopped;
    private volatile String lost;
    private volatile boolean silent;

    Poller(MBeanServerConnection server, List<Bean> platform, CustomBeans custom, Columns columns,
            Outbox outbox, long intervalNs) {
        super("buto poller");
        setDaemon(true);
        this.server = server;
        this.platform = platform;
        this.custom = custom;
        this.columns = columns;
        this.outbox = outbox;
        this.intervalNs = intervalNs;
        this.snapshotTime = columns.of("buto.snapshot.time");
        this.missedTicks = columns.of("buto.missed.ticks");
        String reason = "only the agent can measure this, because it runs inside the program";
        columns.explain(columns.of("buto.snapshot.allocated"), reason);
        columns.explain(columns.of("buto.sampler.cpu.time"), reason);
    }

    /** Why there are no more snapshots, null while there are. */
    String lost() {
        return lost;
    }

    /** Whether it was lost because it did not answer in time, and not because it ended. */
    boolean silent() {
        return silent;
    }

    /** Take one last snapshot and end. */
    synchronized void finish() {
        stopped = true;
        notifyAll();
    }

    @Override
    public void run() {
        try {
            long due = System.nanoTime();
            do {
                snapshot();
                due += intervalNs;
                long late = System.nanoTime() - due;
                if (late > 0) {
                    missed += late / intervalNs;
                    due += late / intervalNs * intervalNs;
                }
            } while (waited(due));
            snapshot();
        } catch (IOException gone) {
            silent = isTimeout(gone);
            lost = Bean.describe(gone);
        } catch (InterruptedException unexpected) {
            lost = unexpected.toString();
        }
    }

    private void snapshot() throws IOException {
        columns.clearRow();
        long began = System.nanoTime();
        for (Bean bean : platform) {
            bean.read(server);
        }
        custom.read();
        columns.set(snapshotTime, (System.nanoTime() - began) * 1e-9);
        columns.set(missedTicks, missed);
        columns.send(began, outbox);
    }

    /** Wait until a time; return false if the end came first. */
    private synchronized boolean waited(long due) throws InterruptedException {
        for (long left = due - System.nanoTime(); left > 0 && !stopped; left = due - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return !stopped;
    }

    private static boolean isTimeout(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException) {
                return true;
            }
        }
        return false;
    }
}
