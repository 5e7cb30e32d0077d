import java.lang.management.ManagementFactory;
import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Calls a method a hundred times with its fault off, with it on and off again, and prints what was used. */
public class Shop {
    static int calls;

    static Object order() {
        calls++;
        return new byte[1000];
    }

    public static void main(String[] line) throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName fault = new ObjectName("buto.faults:name=" + line[0]);
        report("off", beans, fault);
        beans.setAttribute(fault, new Attribute("Active", true));
        report("on", beans, fault);
        beans.invoke(fault, "switchOff", null, null);
        report("again", beans, fault);
    }

    static void report(String label, MBeanServer beans, ObjectName fault) throws Exception {
        calls = 0;
        System.gc();
        long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        for (int call = 0; call < 100; call++) {
            order();
        }
        cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu;
        System.gc();
        used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() - used;
        System.out.println(label + " " + calls + " " + cpu + " " + used + " " + beans.getAttribute(fault, "Strikes"));
    }
}
