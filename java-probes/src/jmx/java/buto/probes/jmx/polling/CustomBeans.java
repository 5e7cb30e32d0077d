package buto.probes.jmx.polling;

import java.io.IOException;
import java.rmi.MarshalException;
import java.rmi.UnmarshalException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.relation.MBeanServerNotificationFilter;

/** The custom MBeans, also those registered later, and their notifications. */
final class CustomBeans implements NotificationListener {
    /** Of attributes, by their older names. */
    private static final Map<String, String> SECOND_NAMES = new HashMap<>();

    static {
        SECOND_NAMES.put("SystemCpuLoad", "CpuLoad");
        SECOND_NAMES.put("FreePhysicalMemorySize", "FreeMemorySize");
        SECOND_NAMES.put("TotalPhysicalMemorySize", "TotalMemorySize");
    }

    private final MBeanServerConnection server;
    private final Columns columns;
    private final Outbox outbox;
    private final Clock clock;
    private final List<Watch> watches;
    private final Map<ObjectName, Bean> beans = new LinkedHashMap<>();
    private final ConcurrentLinkedQueue<MBeanServerNotification> changes = new ConcurrentLinkedQueue<>();

    CustomBeans(MBeanServerConnection server, Columns columns, Outbox outbox, Clock clock, List<Watch> watches) {
        this.server = server;
        this.columns = columns;
        this.outbox = outbox;
        this.clock = clock;
        this.watches = watches;
    }

    /** Find the registered MBeans; the server's delegate reports later ones. */
    void discover() throws IOException, JMException {
        if (watches.isEmpty()) {
            return;
        }
        MBeanServerNotificationFilter all = new MBeanServerNotificationFilter();
        all.enableAllObjectNames();
        server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME,
                (change, unused) -> changes.add((MBeanServerNotification) change), all, null);
        for (Watch watch : watches) {
            for (ObjectName name : new TreeSet<>(server.queryNames(watch.pattern, null))) {
                add(name);
            }
        }
    }

    void read() throws IOException {
        for (MBeanServerNotification change = changes.poll(); change != null; change = changes.poll()) {
            if (change.getType().equals(MBeanServerNotification.REGISTRATION_NOTIFICATION)) {
                add(change.getMBeanName());
            } else {
                remove(change.getMBeanName());
            }
        }
        for (Bean bean : beans.values()) {
            bean.read(server);
        }
    }

    private void remove(ObjectName name) {
        Bean gone = beans.remove(name);
        if (gone != null) {
            gone.explainAll("the MBean was unregistered");
        }
    }

    /** Record a bean as specified by the first watch whose pattern matches. */
    private void add(ObjectName name) throws IOException {
        if (beans.containsKey(name)) {
            return;
        }
        for (Watch watch : watches) {
            if (watch.pattern.apply(name)) {
                begin(name, watch);
                return;
            }
        }
    }

    private void begin(ObjectName name, Watch watch) throws IOException {
        try {
            Bean bean = new Bean(name, columns);
            addAttributes(bean, watch);
            subscribe(name, watch);
            beans.put(name, bean);
        } catch (InstanceNotFoundException goneAgain) {
            return;
        } catch (JMException | RuntimeException | MarshalException | UnmarshalException broken) {
            outbox.put(new Frame(Frame.METADATA).u32(1)
                    .text("mbean[" + name.getCanonicalName() + "]").text("unreadable: " + Bean.describe(broken)));
        }
        for (String attribute : watch.metadata) {
            outbox.put(Metadata.frame(server, name, attribute, nameOf(name, attribute)));
        }
    }

    /** Return the requested attributes; without a request, all that may have numbers. */
    private void addAttributes(Bean bean, Watch watch) throws IOException, JMException {
        Map<String, MBeanAttributeInfo> known = new LinkedHashMap<>();
        for (MBeanAttributeInfo info : server.getMBeanInfo(bean.name).getAttributes()) {
            if (info.isReadable()) {
                known.put(info.getName(), info);
            }
        }
        boolean asked = !watch.attributes.isEmpty();
        for (String attribute : asked ? watch.attributes : known.keySet()) {
            MBeanAttributeInfo info = known.get(attribute);
            if (asked || Values.mayHaveNumbers(info) && !isSecondName(bean.name, attribute, known)) {
                Cell.Custom cell = new Cell.Custom(columns, nameOf(bean.name, attribute), asked);
                if (info != null) {
                    cell.declare(info);
                }
                bean.add(attribute, cell);
            }
        }
    }

    /** Whether the JVM's own bean has this attribute under its newer name, too; to read both spoils them. */
    private static boolean isSecondName(ObjectName bean, String attribute, Map<String, MBeanAttributeInfo> known) {
        return bean.getCanonicalName().equals("java.lang:type=OperatingSystem")
                && known.containsKey(SECOND_NAMES.get(attribute));
    }

    private void subscribe(ObjectName name, Watch watch) throws IOException, JMException {
        if (watch.notifications && server.isInstanceOf(name, "javax.management.NotificationBroadcaster")) {
            server.addNotificationListener(name, this, null, name);
        }
    }

    private static String nameOf(ObjectName bean, String attribute) {
        return "mbean[" + bean.getCanonicalName() + "]/" + attribute;
    }

    @Override
    public void handleNotification(Notification notification, Object bean) {
        long now = System.nanoTime();
        Object source = notification.getSource() instanceof ObjectName ? notification.getSource() : bean;
        outbox.putNotification(new Frame(Frame.NOTIFICATIONS)
                .u32(1)
                .i64(clock.nanoTimeOf(notification.getTimeStamp(), now))
                .text(notification.getType())
                .text(((ObjectName) source).getCanonicalName())
                .i64(notification.getSequenceNumber())
                .text(notification.getMessage())
                .i64(notification.getTimeStamp()));
    }
}
