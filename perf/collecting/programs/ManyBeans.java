import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Registers as many MBeans of three numbers as it is told to, and naps. */
public final class ManyBeans {
    private ManyBeans() {}

    /** Three numbers. */
    public interface ShelfMBean {
        int getBooks();

        long getPages();

        double getFilled();
    }

    /** One that knows its place. */
    public static final class Shelf implements ShelfMBean {
        private final int place;

        Shelf(int place) {
            this.place = place;
        }

        @Override
        public int getBooks() {
            return place;
        }

        @Override
        public long getPages() {
            return 300L * place;
        }

        @Override
        public double getFilled() {
            return place / 10000.0;
        }
    }

    public static void main(String[] arguments) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            server.registerMBean(new Shelf(i), new ObjectName("library:type=Shelf,place=" + i));
        }
        Thread.sleep(Long.parseLong(arguments[1]));
    }
}
