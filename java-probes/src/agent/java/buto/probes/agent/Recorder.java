package buto.probes.agent;

import buto.probes.agent.beans.LiveSet;
import buto.probes.agent.beans.PlatformBeans;
import buto.probes.agent.channel.Channel;
import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Frame;
import buto.probes.agent.channel.Metadata;
import buto.probes.agent.channel.Outbox;
import buto.probes.agent.custom.CustomBeans;
import buto.probes.agent.platform.Platform;
import buto.probes.agent.platform.PlatformMetadata;
import buto.probes.agent.platform.Proc;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import javax.management.JMException;

/** Reads the beans into rows, and writes rows, metadata, reasons and notifications into frames. */
final class Recorder {
    private final Outbox out;
    private final Columns columns = new Columns();
    private final Metadata metadata = new Metadata();
    private final PlatformBeans platform;

    /** Null if no MBeans of the program are wanted: then no MBean server is created. */
    private final CustomBeans custom;

    private final LiveSet liveSet;

    /** Of the last row; 0 before the first. */
    private long rowTime;

    /** Whether the last row was written. */
    private boolean isRowKept;

    private long droppedSamples;
    private long reportedDrops;

    /**
     * Prepares everything that can be prepared, in the sampler thread.
     *
     * @throws JMException if the platform's MBean server does not let us listen
     */
    Recorder(
            Request request,
            Instrumentation instrumentation,
            Platform from,
            Proc proc,
            long processId,
            String sessionFile,
            Outbox out)
            throws JMException {
        this.out = out;
        PlatformMetadata.collect(metadata, from, processId, sessionFile);
        platform = new PlatformBeans(from, proc, instrumentation, columns);
        liveSet = new LiveSet(platform, instrumentation, from.collectors());
        if (request.liveSet == Request.DURING) {
            liveSet.prepare();
        }
        custom = request.rules == null ? null : CustomBeans.open(request.rules, metadata);
    }

    /** Reports that something happened at a nanoTime. */
    void mark(String name, long time) {
        out.begin(Frame.MARK);
        out.text(name);
        out.i64(time);
        out.end();
    }

    /** Takes a sample; without memory or room it is dropped and counted. */
    void sample(long missedTicks) {
        sample(missedTicks, false);
    }

    private void sample(long missedTicks, boolean isLast) {
        look();
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
        platform.readCost(columns, time, missedTicks);
        if (!columns.announce(out)) {
            return false;
        }
        columns.explain(out);
        return columns.write(out, time);
    }

    /** Handles MBeans that the program has registered or unregistered since the last time. */
    void look() {
        try {
            if (custom != null) {
                custom.look(columns, metadata);
                custom.sendNotifications(out);
            }
            metadata.send(out);
        } catch (OutOfMemoryError programTakesItAll) {
            out.abandon();
        }
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
     */
    void measureLiveSet(String point, boolean isLimited) {
        if (!isRowKept) {
            return;
        }
        liveSet.measure(isLimited, columns);
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
        if (custom != null) {
            custom.close();
        }
    }
}
