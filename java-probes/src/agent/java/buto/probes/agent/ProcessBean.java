package buto.probes.agent;

/** Processor time of the whole process. */
final class ProcessBean extends Bean {
    private final SunBeans sun;
    private final int time;

    /**
     * Begins the bean.
     *
     * @param sun null in a JVM without com.sun.management: the value is NaN then
     */
    ProcessBean(SunBeans sun, Columns columns) {
        super("java.lang:type=OperatingSystem", columns);
        this.sun = sun;
        time = columns.add("jvm.cpu.time", "s", Columns.COUNTER);
        declared(columns);
    }

    @Override
    void read(Columns columns) {
        if (sun == null) {
            columns.unreadable(time, SunBeans.MISSING);
        } else {
            columns.setIfDefined(time, sun.processCpuNanos(), NANO);
        }
    }
}
