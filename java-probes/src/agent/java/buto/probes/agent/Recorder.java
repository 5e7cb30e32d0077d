package buto.probes.agent;

import buto.probes.agent.beans.Descriptors;
import buto.probes.agent.beans.LiveSet;
import buto.probes.agent.beans.NativeHeap;
import buto.probes.agent.beans.PlatformBeans;
import buto.probes.agent.beans.VirtualThreads;
import buto.probes.agent.channel.Channel;
import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Frame;
import buto.probes.agent.channel.Metadata;
import buto.probes.agent.channel.Outbox;
import buto.probes.agent.custom.CustomBeans;
import buto.probes.agent.custom.Start;
import buto.probes.agent.platform.Platform;
import buto.probes.agent.platform.PlatformMetadata;
import buto.probes.agent.platform.Proc;
import buto.probes.agent.threads.Allocation;
import java.io.IOException;
import java.lang.instrument.Instrumentation;

/** Reads the beans into rows, and writes rows, metadata, reasons and notifications into frames. */
final class Recorder {
    private final Outbox out;
    private final Columns columns = new Columns();
    private final Metadata metadata = new Metadata();
    private final PlatformBeans platform;

    private final Request request;

    /** When MBeans of the program are read; null if none are wanted. */
    private final Start start;

    /** Null before that, and for good if there is no MBean server. */
    private CustomBeans custom;

    /** When {@code main} began (nanoTime); 0 before. */
    private long mainTime;

    private final LiveSet liveSet;

    /** Null unless rounds are counted, so that its class is not loaded. */
    private final Descriptors descriptors;

    /** Null unless rounds are counted, so that its class is not loaded. */
    private final NativeHeap nativeHeap;

    /** Null unless virtual threads are counted, so that its class is not loaded. */
    private final VirtualThreads virtualThreads;

    /** Of the last row; 0 before the first. */
    private long rowTime;

    /** Whether the last row was written. */
    private boolean isRowKept;

    private long droppedSamples;
    private long reportedDrops;

    /** Prepares everything that can be prepared, in the sampler thread. */
    Recorder(
            Request request,
            Instrumentation instrumentation,
            Platform from,
            Proc proc,
            long processId,
            Session session,
            Outbox out) {
        this.request = request;
        this.out = out;
        PlatformMetadata.collect(metadata, from, processId, session.file);
        platform = new PlatformBeans(from, proc, instrumentation, columns);
        liveSet = new LiveSet(platform, instrumentation, from.collectors());
        if (request.liveSet == Request.DURING || request.rounds != null) {
            liveSet.prepare();
        }
        descriptors = request.rounds == null ? null : new Descriptors();
        nativeHeap = request.rounds == null ? null : new NativeHeap(instrumentation);
        virtualThreads =
                session.recording == null ? null : new VirtualThreads(session.recording, instrumentation, columns);
        if (virtualThreads != null) {
            virtualThreads.record(metadata);
        }
        start = request.rules == null ? null : new Start(request.rules, instrumentation);
    }

    /** Reports that something happened at a nanoTime. */
    void mark(String name, long time) {
        out.begin(Frame.MARK);
        out.text(name);
        out.i64(time);
        out.end();
    }

    /**
     * Counts the live set after a round, and then takes a sample, which has the counters as the collection has left
     * them.
     */
    void countRound(String point, long missedTicks) {
        liveSet.measure(false, true, columns);
        descriptors.read(columns);
        nativeHeap.read(columns);
        sample(missedTicks);
        if (isRowKept) {
            liveSet.send(out, point, rowTime);
        }
    }

    /** Reports that all of a round was read; the collector answers. */
    void endRound(String point) {
        mark(point, rowTime);
    }

    /** Writes all live objects into a file; reports why if that fails. */
    void dumpHeap(String file) {
        String failure = liveSet.dump(file);
        if (failure != null) {
            metadata.put("buto.dump.missing", failure);
        }
    }

    /** Reports how many rounds the program has marked. */
    void reportRounds(long marked) {
        metadata.put("buto.rounds.marked", Long.valueOf(marked));
    }

    /** Takes a sample; without memory or room it is dropped and counted. */
    void sample(long missedTicks) {
        sample(missedTicks, false);
    }

    private void sample(long missedTicks, boolean isLast) {
        look(isLast);
        isRowKept = false;
        try {
            isRowKept = sampleNow(System.nanoTime(), missedTicks, isLast);
        } catch (OutOfMemoryError programTakesItAll) {
            out.abandon();
        }
        droppedSamples += isRowKept ? 0 : 1;
    }

    private boolean sampleNow(long time, long missedTicks, boolean isLast) {
        columns.clear();
        if (rowTime == 0 || isLast) {
            platform.readSeldom(columns);
        }
        rowTime = time;
        platform.sample(columns);
        if (custom != null) {
            custom.sample(columns);
        }
        liveSet.set(columns);
        if (descriptors != null) {
            descriptors.set(columns);
            nativeHeap.set(columns);
        }
        if (virtualThreads != null && isLast) {
            virtualThreads.count(columns);
        }
        platform.readCost(columns, time, missedTicks);
        if (!columns.announce(out)) {
            return false;
        }
        columns.explain(out);
        return columns.write(out, time);
    }

    /** Reports that {@code main} is about to begin, at a nanoTime. */
    void begin(long time) {
        mainTime = time;
        mark("main", time);
    }

    /** What knows whose bytes the sampler thread allocates. */
    Allocation allocation() {
        return platform.allocation();
    }

    /** Handles MBeans that the program has registered or unregistered since the last time. */
    void look() {
        look(false);
    }

    private void look(boolean isLast) {
        try {
            if (isAwaitingServer()) {
                custom = start.open(age(), isLast, metadata);
            }
            if (custom != null) {
                custom.look(columns, metadata);
                custom.sendNotifications(out);
            }
            metadata.send(out);
        } catch (OutOfMemoryError programTakesItAll) {
            out.abandon();
        }
    }

    /** Returns how long the sampler may sleep until it looks again, nanoseconds. */
    long pause() {
        return isAwaitingServer() ? Start.pause(age()) : Long.MAX_VALUE;
    }

    private boolean isAwaitingServer() {
        return start != null && !start.isOver();
    }

    private long age() {
        return mainTime == 0 ? -1 : System.nanoTime() - mainTime;
    }

    /** Reports how much was dropped so far, if that has changed. */
    void reportDrops() {
        if (droppedSamples + droppedNotifications() > reportedDrops) {
            writeDrops();
        }
    }

    private void writeDrops() {
        long notifications = droppedNotifications();
        out.begin(Frame.DROPPED);
        out.i64(droppedSamples);
        out.i64(notifications);
        if (out.end()) {
            reportedDrops = droppedSamples + notifications;
        }
    }

    private long droppedNotifications() {
        return custom == null ? 0 : custom.droppedNotifications();
    }

    /** Whether the last row was written. Else there is none that a live set could complete. */
    boolean isRowKept() {
        return isRowKept;
    }

    /**
     * Measures the live set and writes the last row again with its values: of two rows of one time the later one
     * holds. So the row is not lost if the collection takes too long.
     *
     * @param isLimited whether not to measure a heap for which that takes long
     * @param mayRepeat whether to collect more than once, where that makes the count exact
     */
    void measureLiveSet(String point, boolean isLimited, boolean mayRepeat) {
        if (!isRowKept) {
            return;
        }
        liveSet.measure(isLimited, mayRepeat, columns);
        liveSet.set(columns);
        if (columns.announce(out)) {
            columns.explain(out);
            columns.write(out, rowTime);
            liveSet.send(out, point, rowTime);
        }
    }

    /** Writes the last row into the outbox. */
    void sampleLast(long exitTime, long missedTicks) {
        out.reserveForClosing();
        mark("exit", exitTime);
        sample(missedTicks, true);
    }

    /** Writes everything that is left of the run into the outbox. */
    void finish() {
        look();
        writeDrops();
        out.begin(Frame.BYE);
        out.end();
    }

    /** Reports which MBean keeps the sampler waiting, if any; called by another thread. */
    void explainDelay(Channel channel) throws IOException {
        if (custom != null) {
            custom.explainDelay(out, channel);
        }
    }

    /** Releases the program's MBeans. */
    void close() {
        if (start != null) {
            start.close();
        }
        if (custom != null) {
            custom.close();
        }
    }
}
