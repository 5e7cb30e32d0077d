package buto.probes.agent;

import buto.probes.agent.channel.Channel;
import buto.probes.agent.channel.Frame;
import buto.probes.agent.channel.Inbox;
import buto.probes.agent.channel.Outbox;
import buto.probes.agent.platform.DirectPlatform;
import buto.probes.agent.platform.Platform;
import buto.probes.agent.platform.Proc;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;

/**
 * The agent's only permanent thread. It talks to the collector, opens the gate, samples at a fixed rate, and sends
 * the last frames when the exit hook asks for them. If anything goes wrong, it ends and the program continues.
 */
final class Sampler extends Thread implements Thread.UncaughtExceptionHandler {
    /** Shortest interval between two reads from the collector while the program runs. */
    private static final long LISTEN_NANOS = 100000000L;

    private final Session session;
    private final Instrumentation instrumentation;
    private final Gate gate;
    private final long gateDeadline;
    private final Outbox out = new Outbox();

    private Platform platform;
    private Proc proc;
    private long processId;
    private Channel channel;
    private Inbox inbox;
    private Request request;
    private Recorder recorder;
    private ExitHook hook;
    private long missed;

    /** What the collector calls the moment after its last sample. */
    private static final String END = "end";

    /** What the collector calls the moment at which it wants the live set; null if it does not. */
    private String point;

    /** When the exit hook began; set before {@link #exiting}. */
    private long exitTime;

    private volatile boolean exiting;

    /** Whether the live set is being measured, or was at the exit: then the exit hook waits longer. */
    private volatile boolean measuring;

    /**
     * Creates a daemon thread, which does not keep the program from ending.
     *
     * @param gateDeadline nanoTime until which {@code main} is held
     */
    Sampler(Session session, Instrumentation instrumentation, Gate gate, long gateDeadline) {
        super(topGroup(), "buto-sampler");
        this.session = session;
        this.instrumentation = instrumentation;
        this.gate = gate;
        this.gateDeadline = gateDeadline;
        setDaemon(true);
        setUncaughtExceptionHandler(this);
    }

    /** The top thread group: a program that lists or interrupts its own group does not find the sampler there. */
    static ThreadGroup topGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    @Override
    public void run() {
        try {
            if (greet() && prepare()) {
                long main = System.nanoTime();
                recorder.mark("main", main);
                // Sent before the gate opens: a program that halts at once would lose the mark.
                flushAll(gateDeadline);
                if (gate.open()) {
                    sampleUntilExit(main);
                    sayGoodbye();
                }
            }
        } catch (Throwable end) {
            // The collector is gone or broke the protocol, or memory ran out: the program continues unmeasured.
        } finally {
            gate.giveUp();
            close();
        }
    }

    /** Prints nothing, even if there was not enough memory to end the thread normally. */
    @Override
    public void uncaughtException(Thread thread, Throwable failure) {}

    /** Connects and sends HELLO; returns false if this JVM is not the wanted one. */
    private boolean greet() throws IOException {
        platform = DirectPlatform.orPublic(instrumentation);
        proc = Proc.open();
        channel = Channel.connect(session.port, gateDeadline);
        inbox = new Inbox(channel);
        out.begin(Frame.HELLO);
        out.u16(Session.VERSION);
        out.text(session.secret);
        processId = processId();
        out.i64(processId);
        out.text(System.getProperty("sun.java.command"));
        out.text(System.getProperty("java.version"));
        out.i64(System.nanoTime());
        out.i64(System.currentTimeMillis());
        out.i64(platform.startTime());
        out.end();
        flushAll(gateDeadline);
        return inbox.await(gateDeadline) == Frame.ACCEPT;
    }

    /** The JVM's name has the process id too, but needs the name of the host, which may take seconds. */
    private long processId() throws IOException {
        if (proc != null) {
            return proc.processId();
        }
        String name = ManagementFactory.getRuntimeMXBean().getName();
        return Long.parseLong(name.substring(0, name.indexOf('@')));
    }

    /** Takes the first sample and waits for the collector; returns false if it does not want to continue. */
    private boolean prepare() throws IOException, JMException {
        request = new Request(inbox, session.answer);
        recorder = new Recorder(request, instrumentation, platform, proc, processId, session.file, out);
        recorder.sample(0);
        flushAll(gateDeadline);
        if (inbox.await(gateDeadline) != Frame.GO) {
            return false;
        }
        hook = new ExitHook(this, session.exitNanos);
        Runtime.getRuntime().addShutdownHook(hook);
        return true;
    }

    /**
     * Samples at multiples of the interval from the program's start. A missed tick is counted and skipped, also
     * if the program's end came before its sample.
     */
    private void sampleUntilExit(long main) throws IOException {
        long interval = request.intervalNanos;
        long tick = main + interval;
        long flushed = main;
        long listened = main;
        long measured = main;
        while (!exiting) {
            long now = System.nanoTime();
            if (now < tick) {
                LockSupport.parkNanos(tick - now);
                if (Thread.interrupted() || System.nanoTime() < tick) {
                    recorder.look();
                }
            } else {
                long late = (now - tick) / interval;
                long due = tick + late * interval;
                missed += late;
                tick = due + interval;
                recorder.sample(missed);
                if (request.liveSetNanos > 0 && due - measured >= request.liveSetNanos) {
                    measured = due;
                    measureLiveSet("period");
                } else if (point != null) {
                    measureLiveSet(point);
                    point = null;
                }
                if (due - flushed >= request.flushNanos) {
                    flushed = due;
                    recorder.reportDrops();
                    out.flush(channel);
                }
                if (due - listened >= LISTEN_NANOS) {
                    listened = due;
                    listen();
                }
            }
        }
        if (exitTime >= tick) {
            missed += 1 + (exitTime - tick) / interval;
        }
    }

    /** Notices that the collector is gone, or that it wants the live set. */
    private void listen() throws IOException {
        int type = inbox.poll();
        if (type == Frame.LIVE_SET) {
            readPoint();
        } else if (type != 0) {
            throw new IOException("unexpected frame");
        }
    }

    private void readPoint() throws IOException {
        String wanted = inbox.text();
        inbox.close();
        point = request.liveSet == Request.NEVER ? null : wanted;
    }

    private void measureLiveSet(String at) {
        measuring = true;
        recorder.measureLiveSet(at, request.liveSet == Request.AT_EXIT);
        measuring = exiting;
    }

    /** Whether the live set is being measured, or was since the exit hook began; called by the exit hook. */
    boolean isMeasuring() {
        return measuring;
    }

    /** Asks for the last sample and the end; called by the exit hook, which waits for this thread. */
    void finish(long time) {
        exitTime = time;
        exiting = true;
        LockSupport.unpark(this);
    }

    /** Reports to the collector which MBean keeps this thread from ending; called by the exit hook. */
    void explainDelay() {
        try {
            recorder.explainDelay(channel);
        } catch (IOException collectorGone) {
            // Then the question does not arise.
        }
    }

    private void sayGoodbye() throws IOException {
        // From here on: a measurement during the run may have taken longer than the exit may.
        long deadline = System.nanoTime() + session.exitNanos;
        recorder.sampleLast(exitTime, missed);
        flushAll(deadline);
        if (request.liveSet != Request.NEVER && recorder.isRowKept() && isLiveSetWanted(deadline)) {
            measureLiveSet(END);
            deadline = System.nanoTime() + session.exitNanos;
        }
        recorder.finish();
        flushAll(deadline);
        int type = inbox.await(deadline);
        while (type == Frame.LIVE_SET) {
            // It came too late.
            type = inbox.await(deadline);
        }
    }

    /** Waits until the collector has read from outside what belongs to the last sample; it then asks or declines. */
    private boolean isLiveSetWanted(long deadline) throws IOException {
        while (inbox.await(deadline) == Frame.LIVE_SET) {
            readPoint();
            if (END.equals(point)) {
                return true;
            }
        }
        return false;
    }

    private void flushAll(long deadline) throws IOException {
        for (int attempt = 0; !out.flush(channel); attempt++) {
            Channel.pause(attempt, deadline);
        }
    }

    private void close() {
        if (channel != null) {
            channel.close();
        }
        if (proc != null) {
            proc.close();
        }
        if (exiting) {
            return;
        }
        if (hook != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (RuntimeException exitHasBegun) {
                // The exit hook sees the end of this thread.
            }
        }
        if (recorder != null) {
            recorder.close();
        }
    }
}
