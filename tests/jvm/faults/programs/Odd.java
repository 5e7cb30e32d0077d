import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/** An MBean with every oddity, and a program that behaves with it as its first argument says. */
public final class Odd extends NotificationBroadcasterSupport implements OddMBean {
    private volatile int reads;
    private volatile int emitted;
    private long waits;

    Odd() {}

    public static void main(String[] arguments) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("test:type=Odd");
        Odd odd = new Odd();
        switch (arguments[0]) {
            case "values":
                server.registerMBean(odd, name);
                odd.awaitReads(12);
                break;
            case "comes and goes":
                for (int i = 0; i < 3; i++) {
                    odd.reads = 0;
                    server.registerMBean(odd, name);
                    odd.awaitReads(3);
                    server.unregisterMBean(name);
                    Thread.sleep(1000);
                }
                break;
            case "blocks":
                server.registerMBean(new Blocking(), new ObjectName("test:type=Blocking"));
                Thread.sleep(Integer.parseInt(arguments[1]));
                break;
            case "floods":
                server.registerMBean(odd, name);
                odd.awaitReads(1);
                odd.flood(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
                // Time to fetch what JMX still has.
                Thread.sleep(1500);
                break;
            default:
                throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("done");
    }

    private void awaitReads(int count) throws InterruptedException {
        while (reads < count) {
            Thread.sleep(5);
        }
    }

    /** Emits so many notifications, so many a second if it is let, and says for how long it was held up. */
    private void flood(int count, int rate) {
        long began = System.nanoTime();
        long longest = 0;
        for (int i = 1; i <= count; i++) {
            long before = System.nanoTime();
            sendNotification(new Notification("test.flood", this, i, "number " + i));
            longest = Math.max(longest, System.nanoTime() - before);
            emitted = i;
            while (System.nanoTime() - began < i * 1_000_000_000L / rate) {
                waits++;
            }
        }
        System.out.println("took " + (System.nanoTime() - began) + " longest " + longest);
    }

    @Override
    public int getSteady() {
        return ++reads;
    }

    @Override
    public double getNotANumber() {
        return Double.NaN;
    }

    @Override
    public double getEndless() {
        return Double.POSITIVE_INFINITY;
    }

    @Override
    public Object getChanging() {
        Object[] faces = {1, "text", null, 2.5, true, new int[3], new Object()};
        return faces[reads % faces.length];
    }

    @Override
    public Number getHostile() {
        return new Hostile();
    }

    @Override
    public int getFailing() {
        throw new AssertionError("an error on purpose");
    }

    @Override
    public int getOwn() {
        throw new Own();
    }

    @Override
    public int getFlooded() {
        return emitted;
    }

    /** A failure that nobody else can load. */
    private static final class Own extends RuntimeException {}

    /** A number that is none. */
    private static final class Hostile extends Number {
        @Override
        public int intValue() {
            throw new StackOverflowError("no number on purpose");
        }

        @Override
        public long longValue() {
            return intValue();
        }

        @Override
        public float floatValue() {
            return intValue();
        }

        @Override
        public double doubleValue() {
            return intValue();
        }
    }
}
