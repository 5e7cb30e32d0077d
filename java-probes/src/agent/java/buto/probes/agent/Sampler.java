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

/**
 * The agent's only permanent thread. It talks to the collector, opens the gate, samples at a fixed rate, and sends
 * the last frames when the exit hook asks for them. If anything goes wrong, it ends and the program continues.
 */
final class Sampler extends Thread implements Thread.UncaughtExceptionHandler {
    /** Shortest interval between two reads from the collector while the program runs. */
    private static final long LISTEN_NANOS = 100000000L;

    /** Samples may wait for a tenth of the run, because the collector wakes each time they are sent. */
    private static final int SHARE_THAT_WAITS = 10;

    /** How long the collector may take to read what belongs to a round. */
    private static final long LONGEST_ANSWER = 10000000000L;

    private static final long SHORTEST_WAIT = 100000000L;

    /** Between two attempts to send what the pipe did not take at once, which has little room. */
    private static final long SHORTEST_REST = 500000L;

    private static final long LONGEST_REST = 20000000L;

    /** Bytes that wait, from which on the sampler waits, too, so that a small pipe loses no rows. */
    private static final int MANY_BYTES = 1 << 20;

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

    /** How long to wait until the rest of the last flush is sent; the longest time if there is none. */
    private long rest = Long.MAX_VALUE;

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
                recorder.begin(main);
                // Sent before the gate opens: a program that halts at once would lose the mark.
                flushAll(gateDeadline);
                if (gate.open()) {
                    sampleUntilExit(main);
                    useExtra(main, true);
                    sayGoodbye();
                }
            }
        } catch (Throwable end) {
            // The collector is gone or broke the protocol, or memory ran out: the program continues unmeasured.
        } finally {
            gate.giveUp();
            if (request != null && request.rounds != null) {
                request.rounds.end();
            }
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
        channel = Channel.open(session.lines, gateDeadline);
        inbox = new Inbox(channel);
        out.begin(Frame.HELLO);
        out.u16(Session.VERSION);
        processId = processId();
        out.i64(processId);
        out.text(System.getProperty("sun.java.command"));
        out.text(System.getProperty("java.class.path"));
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
    private boolean prepare() throws IOException {
        request = new Request(inbox);
        channel.setCapacity(request.capacity);
        recorder = new Recorder(request, instrumentation, platform, proc, processId, session, out);
        recorder.sample(0);
        if (request.rounds != null) {
            request.rounds.begin(this);
        }
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
        useExtra(main, false);
        while (!exiting) {
            if (request.rounds != null && request.rounds.isDue(recorder.allocation())) {
                countRound();
            }
            long now = System.nanoTime();
            if (now < tick) {
                long pause = Math.min(tick - now, Math.min(recorder.pause(), rest));
                LockSupport.parkNanos(request.rounds == null ? pause : Math.min(pause, request.rounds.pause()));
                if (Thread.interrupted() || System.nanoTime() < tick) {
                    recorder.look();
                    sendRest();
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
                    if (request.rounds == null) {
                        measureLiveSet(point);
                    } else {
                        countRound();
                    }
                    point = null;
                }
                if (due - flushed >= flushInterval(due - main)) {
                    flushed = due;
                    recorder.reportDrops();
                    flush();
                }
                if (due - listened >= LISTEN_NANOS) {
                    listened = due;
                    listen();
                }
                useExtra(main, false);
            }
        }
        if (exitTime >= tick) {
            missed += 1 + (exitTime - tick) / interval;
        }
    }

    /** How long samples may wait when {@code main} began so long ago, nanoseconds. */
    private long flushInterval(long age) {
        return Math.min(request.flushNanos, Math.max(SHORTEST_WAIT, age / SHARE_THAT_WAITS));
    }

    /** Sends what the pipe takes at once; if much is left, also what the collector makes room for soon. */
    private void flush() throws IOException {
        boolean isSent = out.flush(channel);
        long deadline = System.nanoTime() + pause();
        while (!isSent && out.size() > MANY_BYTES && System.nanoTime() < deadline) {
            LockSupport.parkNanos(SHORTEST_REST);
            isSent = out.flush(channel);
        }
        rest = isSent ? Long.MAX_VALUE : SHORTEST_REST;
    }

    /** Sends what the last flush has left, as fast as the collector reads, but asks a slow one ever more seldom. */
    private void sendRest() throws IOException {
        if (rest != Long.MAX_VALUE) {
            int before = out.size();
            boolean isSent = out.flush(channel);
            rest = isSent ? Long.MAX_VALUE : out.size() < before ? SHORTEST_REST : Math.min(2 * rest, LONGEST_REST);
        }
    }

    private void useExtra(long main, boolean isLast) {
        if (request.extra != null) {
            request.extra.use(this, recorder.allocation(), platform.threads(), System.nanoTime() - main, isLast);
        }
    }

    /** How long the sampler may do something else between two samples, nanoseconds. */
    long pause() {
        return request.intervalNanos / 2;
    }

    /** Whether the exit hook waits for this thread. */
    boolean isExiting() {
        return exiting;
    }

    /** Notices that the collector is gone, or that it wants the live set. */
    private void listen() throws IOException {
        int type = inbox.poll();
        if (type == Frame.LIVE_SET) {
            readPoint();
        } else if (type == Frame.GO && request.rounds != null) {
            // The answer to a round for which nobody waited.
            inbox.close();
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
        // Before the last sample, collections are part of what is measured.
        recorder.measureLiveSet(at, request.liveSet == Request.AT_EXIT, END.equals(at));
        measuring = exiting;
    }

    /** Writes the heap into a file, once, where the collector wants that. */
    private void dumpHeap() {
        String file = request.rounds.takeDump();
        if (!file.isEmpty()) {
            recorder.dumpHeap(file);
        }
    }

    private void awaitAnswer(long deadline) throws IOException {
        int type = inbox.await(deadline);
        while (type == Frame.LIVE_SET) {
            readPoint();
            type = inbox.await(deadline);
        }
        if (type != Frame.GO) {
            throw new IOException("unexpected frame");
        }
    }

    /** Counts what is alive after a round; the program waits until the collector has read it from outside, too. */
    private void countRound() throws IOException {
        measuring = true;
        recorder.countRound(Rounds.POINT, missed);
        if (request.rounds.isLast()) {
            dumpHeap();
        }
        recorder.endRound(Rounds.POINT);
        long deadline = System.nanoTime() + LONGEST_ANSWER;
        flushAll(deadline);
        if (request.rounds.isHeld()) {
            awaitAnswer(deadline);
        }
        request.rounds.count(recorder.allocation());
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
        if (request.rounds != null) {
            recorder.reportRounds(request.rounds.marked());
            measuring = true;
            dumpHeap();
            deadline = System.nanoTime() + session.exitNanos;
        }
        flushAll(deadline);
        if (request.liveSet != Request.NEVER && request.rounds == null && recorder.isRowKept() && isLiveSetWanted(deadline)) {
            measureLiveSet(END);
            deadline = System.nanoTime() + session.exitNanos;
        }
        recorder.finish();
        flushAll(deadline);
        int type = inbox.await(deadline);
        while (type == Frame.LIVE_SET || type == Frame.GO) {
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
