package buto.probes.jmx.polling;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** Takes snapshots at a fixed rate, by absolute deadlines, until stopped or until the target is gone. */
public final class Poller extends Thread {
    private final MBeanServerConnection server;
    private final Set<ObjectName> names;
    private final List<Bean> platform;
    private final CustomBeans custom;
    private final Columns columns = new Columns();
    private final Outbox outbox;
    private final long intervalNs;
    private final int snapshotTime;
    private final int missedTicks;
    private long missed;
    private boolean stopped;
    private volatile String lost;
    private volatile boolean silent;

    /** Find what this JVM has, and subscribe; {@link #start} then begins to poll. */
    public Poller(MBeanServerConnection server, List<Watch> watches, Clock clock, Outbox outbox, long intervalNs)
            throws IOException, JMException {
        super("buto poller");
        setDaemon(true);
        this.server = server;
        this.outbox = outbox;
        this.intervalNs = intervalNs;
        this.names = Platform.names(server);
        this.platform = Platform.beans(names, columns);
        this.custom = new CustomBeans(server, columns, outbox, clock, watches);
        custom.discover();
        this.snapshotTime = columns.of("buto.snapshot.time");
        this.missedTicks = columns.of("buto.missed.ticks");
        String reason = "only the agent can measure this, because it runs inside the program";
        columns.explain(columns.of("buto.snapshot.allocated"), reason);
        columns.explain(columns.of("buto.sampler.cpu.time"), reason);
    }

    /** Put the JVM's metadata into the outbox, in the caller's thread. */
    public void sendMetadata() throws IOException, JMException {
        outbox.put(Metadata.frame(server, names));
    }

    /** Why there are no more snapshots, null while there are. */
    public String lost() {
        return lost;
    }

    /** Whether it was lost because it did not answer in time, and not because it ended. */
    public boolean silent() {
        return silent;
    }

    /** Take one last snapshot and end. */
    public synchronized void finish() {
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
        } catch (Throwable unexpected) {
            // Such as too little memory: nothing more comes, and whoever asks must see that.
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
