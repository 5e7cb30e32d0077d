import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/**
 * Registers MBeans of all kinds, and does with them what its arguments say, in their order; to wait
 * is to read a byte.
 */
public final class Beans {
    private Beans() {}

    /** Values of every kind. */
    public interface KindsMXBean {
        int getWhole();

        double getBroken();

        boolean isOn();

        String getText();

        Long getNothing();

        int getThrowing();

        Point getPoint();

        Map<String, Integer> getTable();

        String[] getNames();
    }

    /** Becomes composite data, with composite data in it. */
    public static final class Point {
        public int getX() {
            return 1;
        }

        public String getLabel() {
            return "somewhere";
        }

        public Inner getInner() {
            return new Inner();
        }
    }

    /** The inner part of a point. */
    public static final class Inner {
        public long getDeep() {
            return 7;
        }
    }

    /** One bean of all kinds; whole counts how often it was read. */
    public static final class Kinds implements KindsMXBean {
        private static volatile boolean thrown;
        private int reads;

        @Override
        public int getWhole() {
            return ++reads;
        }

        @Override
        public double getBroken() {
            return 2.5;
        }

        @Override
        public boolean isOn() {
            return true;
        }

        @Override
        public String getText() {
            return "w\u00f6rter";
        }

        @Override
        public Long getNothing() {
            return null;
        }

        @Override
        public int getThrowing() {
            thrown = true;
            throw new IllegalStateException("thrown on purpose");
        }

        @Override
        public Point getPoint() {
            return new Point();
        }

        @Override
        public Map<String, Integer> getTable() {
            Map<String, Integer> table = new LinkedHashMap<String, Integer>();
            table.put("left", 3);
            table.put("right", 4);
            return table;
        }

        @Override
        public String[] getNames() {
            return new String[] {"one", "two"};
        }
    }

    /** Emits notifications. */
    public interface EmitterMBean {
        int getEmitted();
    }

    /** Emits as many as it is told to. */
    public static final class Emitter extends NotificationBroadcasterSupport implements EmitterMBean {
        private int emitted;
        private int reads;

        @Override
        public synchronized int getEmitted() {
            reads++;
            return emitted;
        }

        synchronized int reads() {
            return reads;
        }

        void emit(int count) {
            for (int i = 0; i < count; i++) {
                int sequence;
                synchronized (this) {
                    sequence = ++emitted;
                }
                sendNotification(new Notification("test.count", this, sequence, 1000L + sequence, "number " + sequence));
            }
        }
    }

    /** A getter that never returns. */
    public interface StuckMBean {
        int getStuck() throws InterruptedException;
    }

    /** Sleeps for an hour. */
    public static final class Stuck implements StuckMBean {
        @Override
        public int getStuck() throws InterruptedException {
            Thread.sleep(3600000L);
            return 0;
        }
    }

    private static MBeanServer server() {
        return ManagementFactory.getPlatformMBeanServer();
    }

    public static void main(String[] arguments) throws Exception {
        List<String> deeds = Arrays.asList(arguments);
        Emitter emitter = new Emitter();
        for (String deed : deeds) {
            String[] words = deed.split("=");
            int number = words.length == 1 ? 0 : Integer.parseInt(words[1]);
            if (words[0].equals("kinds")) {
                server().registerMBean(new Kinds(), new ObjectName("test:type=Kinds,name=first"));
            } else if (words[0].equals("vanish")) {
                server().unregisterMBean(new ObjectName("test:type=Kinds,name=first"));
            } else if (words[0].equals("emitter")) {
                server().registerMBean(emitter, new ObjectName("test:type=Emitter"));
            } else if (words[0].equals("forget-emitter")) {
                server().unregisterMBean(new ObjectName("test:type=Emitter"));
            } else if (words[0].equals("emit")) {
                emitter.emit(number);
            } else if (words[0].equals("stuck")) {
                server().registerMBean(new Stuck(), new ObjectName("test:type=Stuck"));
            } else if (words[0].equals("many")) {
                for (int i = 0; i < number; i++) {
                    emitter = new Emitter();
                    server().registerMBean(emitter, new ObjectName("test:type=Many,id=" + i));
                }
            } else if (words[0].equals("reads")) {
                while (emitter.reads() < number) {
                    Thread.sleep(5);
                }
            } else if (words[0].equals("thrown")) {
                while (!Kinds.thrown) {
                    Thread.sleep(5);
                }
            } else if (words[0].equals("own-server")) {
                MBeanServerFactory.createMBeanServer("own");
            } else if (words[0].equals("wait")) {
                System.in.read();
            } else if (words[0].equals("sleep")) {
                Thread.sleep(number);
            } else {
                throw new IllegalArgumentException(deed);
            }
        }
        System.out.println("done");
    }
}
