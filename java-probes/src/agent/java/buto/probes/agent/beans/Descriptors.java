package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Reason;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;

/**
 * The open files at the end of a round. The collector counts them from outside, but a moment later, in which the
 * program may open more.
 */
public final class Descriptors {
    private static final String NAME = "mbean[java.lang:type=OperatingSystem]/OpenFileDescriptorCount";

    /** Of Linux, with an entry for each. The platform's MBean counts them, too, but takes a tenth of a second at first. */
    private static final File ENTRIES = new File("/proc/self/fd");

    private int column = Columns.NONE;
    private double count = Double.NaN;

    /** Counts now. */
    public void read(Columns columns) {
        column = columns.addCustom(NAME);
        String[] entries = ENTRIES.list();
        if (entries != null) {
            // One is of the list itself.
            count = entries.length - 1;
            return;
        }
        try {
            count = ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class).getOpenFileDescriptorCount();
        } catch (RuntimeException failure) {
            columns.unreadable(column, Reason.of(failure));
        } catch (LinkageError failure) {
            columns.unreadable(column, Reason.of(failure));
        }
    }

    /** Sets the last count in the current row. */
    public void set(Columns columns) {
        columns.set(column, count);
    }
}
