import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/**
 * Does what it is told through its MBeans. Ends when a file of the name of its first argument appears,
 * after five minutes at the latest, with the exit code of its second.
 */
public final class Driven {
    /** Before the next line, for which this may have to wait while JMX is being started from outside. */
    private static final long BEGAN = System.nanoTime();
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    private Driven() {}

    public interface DriverMXBean {
        int add(int left, long right);

        String greet(String name);

        Queue.State state();

        void fail();

        void pause(int milliseconds) throws InterruptedException;

        void register(String name, int depth) throws Exception;

        void unregister(String name) throws Exception;
    }

    public interface QueueMXBean {
        int getDepth();

        boolean isOpen();

        String getLabel();

        int getSlots();

        Queue.State getState();

        Map<String, Long> getShards();

        int getBroken();

        void setDepth(int depth);
    }

    public interface BellMBean {
        void ring(int times);

        void ringWithOddStamps();
    }

    public static final class Driver implements DriverMXBean {
        @Override
        public int add(int left, long right) {
            return (int) (left + right);
        }

        @Override
        public String greet(String name) {
            return name == null ? "nobody" : "hello " + name;
        }

        @Override
        public Queue.State state() {
            return new Queue.State(1, "one");
        }

        @Override
        public void fail() {
            throw new IllegalStateException("as asked");
        }

        @Override
        public void pause(int milliseconds) throws InterruptedException {
            Thread.sleep(milliseconds);
        }

        @Override
        public void register(String name, int depth) throws Exception {
            SERVER.registerMBean(new Queue(depth), new ObjectName(name));
        }

        @Override
        public void unregister(String name) throws Exception {
            SERVER.unregisterMBean(new ObjectName(name));
        }

    }

    public static final class Queue implements QueueMXBean {
        private volatile int depth;

        Queue(int depth) {
            this.depth = depth;
        }

        @Override
        public int getDepth() {
            return depth;
        }

        @Override
        public void setDepth(int depth) {
            this.depth = depth;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public String getLabel() {
            return "a queue";
        }

        @Override
        public int getSlots() {
            LockSupport.parkNanos(1_000_000L * Integer.getInteger("slow", 0));
            return 64;
        }

        @Override
        public State getState() {
            return new State(depth, "state");
        }

        @Override
        public Map<String, Long> getShards() {
            Map<String, Long> shards = new TreeMap<>();
            shards.put("left", (long) depth);
            shards.put("right", 2L * depth);
            return shards;
        }

        @Override
        public int getBroken() {
            throw new UnsupportedOperationException("not on this machine");
        }

        public static final class State {
            private final int used;
            private final String text;

            State(int used, String text) {
                this.used = used;
                this.text = text;
            }

            public int getUsed() {
                return used;
            }

            public double getRatio() {
                return used / 64.0;
            }

            public String getText() {
                return text;
            }
        }
    }

    public static final class Bell extends NotificationBroadcasterSupport implements BellMBean {
        private long sequence;

        @Override
        public synchronized void ring(int times) {
            for (int i = 0; i < times; i++) {
                sendNotification(new Notification("ring", this, ++sequence, "ring " + sequence));
            }
        }

        @Override
        public synchronized void ringWithOddStamps() {
            sendNotification(new Notification("odd", this, ++sequence, 0L, "stamp 0"));
            sendNotification(new Notification("odd", this, ++sequence, Long.MAX_VALUE, null));
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("main " + BEGAN);
        SERVER.registerMBean(new Driver(), new ObjectName("buto.tests:type=Driver"));
        SERVER.registerMBean(new Queue(3), new ObjectName("buto.tests:type=Queue,name=first"));
        SERVER.registerMBean(new Bell(), new ObjectName("buto.tests:type=Bell"));
        System.out.println("ready");
        File end = new File(arguments[0]);
        for (int waited = 0; waited < 300_000 && !end.exists(); waited += 20) {
            Thread.sleep(20);
        }
        if (arguments.length > 1) {
            System.exit(Integer.parseInt(arguments[1]));
        }
    }
}
