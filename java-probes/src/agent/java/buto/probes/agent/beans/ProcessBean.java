package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.platform.Proc;
import java.io.IOException;

/** Processor time of the whole process. */
final class ProcessBean extends Bean {
    private final Proc proc;
    private final int time;

    /**
     * Begins the bean.
     *
     * @param proc null if the system has none: then the value is NaN
     */
    ProcessBean(Proc proc, Columns columns) {
        super("java.lang:type=OperatingSystem", columns);
        this.proc = proc;
        time = columns.add("jvm.cpu.time");
        declared(columns);
    }

    @Override
    protected void read(Columns columns) throws IOException {
        if (proc == null) {
            columns.unreadable(time, "there is no /proc/self/stat");
        } else {
            columns.set(time, proc.cpuNanos() * NANO);
        }
    }
}
