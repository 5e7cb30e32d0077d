package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Reason;
import buto.probes.agent.platform.Diagnostics;
import java.lang.instrument.Instrumentation;

/**
 * What is allocated by malloc at the end of a round, by the JVM and by native code in it. The C library counts it, and
 * what it keeps for later is not part of it. Only a report of the JVM tells it, and only on glibc; JDK 17 and newer.
 */
public final class NativeHeap {
    private static final String NAME = "mbean[com.sun.management:type=DiagnosticCommand]/vmInfo";
    private static final String COMMAND = "VM.info";
    private static final String BEGINNING = "C-Heap outstanding allocations: ";
    private static final String TOO_LARGE = "may have wrapped";

    private final Diagnostics diagnostics;
    private int column = Columns.NONE;
    private double bytes = Double.NaN;

    public NativeHeap(Instrumentation instrumentation) {
        diagnostics = Diagnostics.open(instrumentation);
        // Rounds that are read by two commands reach the number of calls that loads classes.
        diagnostics.prepareOften(LiveSet.COMMAND, COMMAND);
    }

    /** Reads it now, which takes some milliseconds. */
    public void read(Columns columns) {
        column = columns.addCustom(NAME);
        bytes = Double.NaN;
        try {
            String report = diagnostics.run(COMMAND, "vmInfo", "");
            int from = report.indexOf(BEGINNING);
            if (from < 0) {
                columns.unreadable(column, "this JVM does not report what malloc has allocated");
                return;
            }
            if (report.substring(from, report.indexOf('\n', from)).contains(TOO_LARGE)) {
                columns.unreadable(column, "this C library counts what malloc has allocated up to 4 GiB only");
                return;
            }
            long kibibytes = 0;
            for (int at = from + BEGINNING.length(); Character.isDigit(report.charAt(at)); at++) {
                kibibytes = 10 * kibibytes + report.charAt(at) - '0';
            }
            bytes = kibibytes * 1024.0;
        } catch (Exception failure) {
            columns.unreadable(column, Reason.of(failure));
        } catch (LinkageError failure) {
            columns.unreadable(column, Reason.of(failure));
        } catch (OutOfMemoryError programTakesItAll) {
            columns.unreadable(column, "there was not enough memory for the JVM's report");
        }
    }

    /** Sets the last value in the current row. */
    public void set(Columns columns) {
        columns.set(column, bytes);
    }
}
