package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Metadata;
import buto.probes.agent.channel.Reason;
import buto.probes.agent.platform.Diagnostics;
import buto.probes.agent.platform.LiveThreads;
import java.lang.instrument.Instrumentation;

/**
 * Virtual threads, if the collector wants them: those that are alive in the last sample, and their carriers. Flight
 * Recorder writes into a file which of them were pinned or rejected; the collector reads it when the JVM has ended,
 * because the recorder's own exit hook runs beside that of the agent.
 *
 * <p>The recorder is started before {@code main}: its classes and threads are there before the first sample, and it
 * misses no pin.
 */
public final class VirtualThreads {
    private static final String MISSING = "buto.recording.missing";

    private final String directory;
    private final Instrumentation instrumentation;
    private final int alive;
    private final int carriers;

    /** @param directory of the collector, with the settings of the recording, which is written there */
    public VirtualThreads(String directory, Instrumentation instrumentation, Columns columns) {
        this.directory = directory;
        this.instrumentation = instrumentation;
        alive = columns.add("jvm.thread.virtual.count");
        carriers = columns.add("jvm.thread.virtual.carriers");
    }

    /** Starts the recording; reports why if that fails. */
    public void record(Metadata metadata) {
        try {
            if (!LiveThreads.mayBeVirtual()) {
                metadata.put(MISSING, "this Java has no virtual threads");
                return;
            }
            Diagnostics diagnostics = Diagnostics.open(instrumentation);
            diagnostics.run("JFR.configure", "jfrConfigure", "repositorypath=" + directory);
            // Of a command that fails, the JVM only prints why.
            String answer = diagnostics.run(
                    "JFR.start",
                    "jfrStart",
                    "name=buto dumponexit=true maxsize=0 settings=" + directory + "/settings.jfc filename="
                            + directory + "/recording.jfr");
            if (answer == null || !answer.contains("Started recording")) {
                metadata.put(MISSING, answer == null ? "Flight Recorder did not start" : answer.trim());
            }
        } catch (Exception failure) {
            metadata.put(MISSING, Reason.of(failure));
        } catch (LinkageError failure) {
            metadata.put(MISSING, Reason.of(failure));
        }
    }

    /** Counts now, into the current row. */
    public void count(Columns columns) {
        try {
            LiveThreads threads = LiveThreads.count(instrumentation);
            columns.set(alive, threads.virtual);
            columns.set(carriers, threads.carriers);
        } catch (Exception failure) {
            explain(columns, Reason.of(failure));
        } catch (LinkageError failure) {
            explain(columns, Reason.of(failure));
        }
    }

    private void explain(Columns columns, String reason) {
        columns.unreadable(alive, reason);
        columns.unreadable(carriers, reason);
    }
}
