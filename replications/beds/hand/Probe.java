import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.*;
import java.nio.file.*;
import java.util.*;
import javax.management.*;
import javax.management.openmbean.CompositeData;

/** Runs Main.main(args) in the main thread and writes what the platform beans and /proc say to a file. */
public class Probe {
    private static final class GcTally implements NotificationListener {
        long allocated, lastAfter, count;
        @Override public synchronized void handleNotification(Notification n, Object handback) {
            if (!n.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) return;
            GcInfo info = GarbageCollectionNotificationInfo.from((CompositeData) n.getUserData()).getGcInfo();
            allocated += heap(info.getMemoryUsageBeforeGc()) - lastAfter;
            lastAfter = heap(info.getMemoryUsageAfterGc());
            count++;
        }
        private static long heap(Map<String, MemoryUsage> pools) {
            long sum = 0;
            for (Map.Entry<String, MemoryUsage> e : pools.entrySet()) {
                String k = e.getKey();
                if (k.startsWith("G1") || k.contains("Eden") || k.contains("Survivor") || k.contains("Old") || k.contains("Tenured")) sum += e.getValue().getUsed();
            }
            return sum;
        }
    }

    private static Map<String, Long> io() throws IOException {
        Map<String, Long> m = new LinkedHashMap<>();
        for (String l : Files.readAllLines(Path.of("/proc/self/io"))) m.put(l.substring(0, l.indexOf(':')), Long.parseLong(l.substring(l.indexOf(':') + 1).trim()));
        return m;
    }

    private static long[] fds() throws IOException {
        long files = 0, sockets = 0, other = 0;
        for (String f : new java.io.File("/proc/self/fd").list()) {
            try {
                String t = Files.readSymbolicLink(Path.of("/proc/self/fd/" + f)).toString();
                if (t.startsWith("socket:")) sockets++; else if (t.startsWith("/") && !t.startsWith("/proc") && !t.startsWith("/dev")) files++; else other++;
            } catch (IOException gone) { /* the descriptor of the listing itself */ }
        }
        return new long[] {files, sockets, other};
    }

    private static long rss(String key) throws IOException {
        for (String l : Files.readAllLines(Path.of("/proc/self/status"))) if (l.startsWith(key)) return Long.parseLong(l.replaceAll("\\D", ""));
        return -1;
    }

    public static void main(String[] args) throws Exception {
        GcTally tally = new GcTally();
        long gcs = 0, gcMs = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) ((NotificationEmitter) b).addNotificationListener(tally, null, null);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        var os = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var classes = ManagementFactory.getClassLoadingMXBean();
        fds();
        Map<String, Long> io0 = io();
        long usedBefore = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long classes0 = classes.getTotalLoadedClassCount(), started0 = threads.getTotalStartedThreadCount();
        long cpu0 = os.getProcessCpuTime();
        long a0 = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        long t0 = System.nanoTime();

        Class.forName("Main").getMethod("main", String[].class).invoke(null, (Object) args);

        long t1 = System.nanoTime();
        long a1 = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        long cpu1 = os.getProcessCpuTime();
        Map<String, Long> io1 = io();
        long started = threads.getTotalStartedThreadCount() - started0, peak = threads.getPeakThreadCount(), live = threads.getThreadCount();
        long loaded = classes.getTotalLoadedClassCount() - classes0;
        long open = os.getOpenFileDescriptorCount();
        long[] kinds = fds();
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) { gcs += b.getCollectionCount(); gcMs += b.getCollectionTime(); }
        long direct = 0, directCount = 0;
        for (BufferPoolMXBean b : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class))
            if (b.getName().equals("direct")) { direct = b.getMemoryUsed(); directCount = b.getCount(); }
        long meta = 0;
        for (MemoryPoolMXBean p : ManagementFactory.getMemoryPoolMXBeans()) if (p.getName().equals("Metaspace")) meta = p.getUsage().getUsed();
        long rss = rss("VmRSS"), hwm = rss("VmHWM");
        for (int i = 0; i < 50 && tally.count < gcs; i++) Thread.sleep(10);
        long usedNow = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long heapAlloc = tally.allocated + usedNow - tally.lastAfter - usedBefore;
        System.gc();
        Thread.sleep(50);
        System.gc();
        String histo = (String) ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram", new Object[] {new String[0]}, new String[] {String[].class.getName()});
        String[] total = histo.strip().substring(histo.strip().lastIndexOf('\n') + 1).trim().split("\\s+");
        StringBuilder out = new StringBuilder();
        Object[] row = {"main_ms", (t1 - t0) / 1_000_000, "cpu_ms", (cpu1 - cpu0) / 1_000_000, "main_alloc", a1 - a0, "heap_alloc", heapAlloc,
            "live_objects", total[1], "live_bytes", total[2], "gcs", gcs, "gc_ms", gcMs, "threads_started", started, "threads_peak", peak, "threads_live", live,
            "classes", loaded, "metaspace", meta, "direct", direct, "direct_buffers", directCount, "open_fds", open, "fd_files", kinds[0], "fd_sockets", kinds[1],
            "rchar", io1.get("rchar") - io0.get("rchar"), "wchar", io1.get("wchar") - io0.get("wchar"), "syscr", io1.get("syscr") - io0.get("syscr"),
            "syscw", io1.get("syscw") - io0.get("syscw"), "rss_kb", rss, "hwm_kb", hwm};
        for (int i = 0; i < row.length; i += 2) out.append(row[i]).append('=').append(row[i + 1]).append('\n');
        Files.writeString(Path.of(System.getProperty("probe.out")), out);
        if (System.getProperty("probe.histo") != null) Files.writeString(Path.of(System.getProperty("probe.histo")), histo);
    }
}
