package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Reason;
import buto.probes.agent.platform.Diagnostics;
import java.lang.instrument.Instrumentation;
import java.util.List;

/**
 * Native memory by category, if the JVM was told to track it. Reading it takes a millisecond, so it is read in the
 * first sample and in the last.
 */
final class NativeMemory {
    private static final String OPTION = "-XX:NativeMemoryTracking=";

    /** All categories of the JDKs 8 to 25; a JVM does not list those that are empty or that it does not have. */
    private static final String[] CATEGORIES = {
        "Java Heap", "Class", "Thread", "Code", "GC", "GCCardSet", "Compiler", "Internal", "Other", "Symbol",
        "Native Memory Tracking", "Shared class space", "Arena Chunk", "Test", "Tracing", "Logging", "Statistics",
        "Arguments", "Module", "Safepoint", "Synchronization", "Serviceability", "Metaspace", "String Deduplication",
        "Object Monitors", "JVMCI", "Unknown"
    };

    private final Diagnostics diagnostics;
    private final int total;
    private final int[] categories = new int[CATEGORIES.length];

    /** Adds the total in any JVM, and the categories in one that tracks. */
    NativeMemory(List<String> arguments, Instrumentation instrumentation, Columns columns) {
        boolean isTracked = false;
        for (String argument : arguments) {
            if (argument.startsWith(OPTION)) {
                isTracked = !argument.equals(OPTION + "off");
            }
        }
        total = columns.add("jvm.memory.native.committed");
        if (isTracked) {
            diagnostics = Diagnostics.open(instrumentation);
            for (int i = 0; i < CATEGORIES.length; i++) {
                categories[i] = columns.add("jvm.memory.native.category[" + CATEGORIES[i] + "]");
            }
        } else {
            diagnostics = null;
            columns.unreadable(total, "the JVM was started without " + OPTION + "summary");
        }
    }

    /** Reads it into the current row. */
    void read(Columns columns) {
        if (diagnostics == null) {
            return;
        }
        try {
            store(diagnostics.run("VM.native_memory", "vmNativeMemory", "summary"), columns);
        } catch (Exception failure) {
            explain(columns, Reason.of(failure));
        } catch (LinkageError failure) {
            explain(columns, Reason.of(failure));
        }
    }

    private void store(String summary, Columns columns) {
        long all = committed(summary, "\nTotal: ");
        if (all < 0) {
            explain(columns, "the JVM printed no total");
            return;
        }
        columns.set(total, all);
        for (int i = 0; i < categories.length; i++) {
            columns.set(categories[i], Math.max(0, committed(summary, " " + CATEGORIES[i] + " (")));
        }
    }

    /** The bytes that are committed in the line with this beginning; -1 if there is none. */
    private static long committed(String summary, String beginning) {
        int line = summary.indexOf(beginning);
        int from = line < 0 ? -1 : summary.indexOf("committed=", line);
        if (from < 0) {
            return -1;
        }
        long kibibytes = 0;
        for (int at = from + 10; summary.charAt(at) >= '0' && summary.charAt(at) <= '9'; at++) {
            kibibytes = 10 * kibibytes + summary.charAt(at) - '0';
        }
        return kibibytes * 1024;
    }

    private void explain(Columns columns, String reason) {
        columns.unreadable(total, reason);
        for (int column : categories) {
            columns.unreadable(column, reason);
        }
    }
}
