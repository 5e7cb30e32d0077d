import buto.testprograms.consumerproducer.ConsumerProducer;
import java.lang.management.ManagementFactory;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/** Runs the consumer and producer and prints what a monitor sees: three milestones, then the state. */
public final class Milestones {
    public static void main(String[] arguments) throws Exception {
        BlockingQueue<Notification> received = new LinkedBlockingQueue<>();
        ConsumerProducer.main(arguments);
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName production = new ObjectName("buto.testprograms:type=Production");
        ObjectName counter = new ObjectName("buto.testprograms:type=Counter");
        server.addNotificationListener(counter, (notification, handback) -> received.add(notification), null, null);
        for (int count = 0; count < 3; count++) {
            Notification notification = received.poll(30, TimeUnit.SECONDS);
            System.out.println("milestone " + notification.getType() + " " + notification.getSource() + " "
                + notification.getSequenceNumber() + " " + notification.getMessage());
        }
        CompositeData state = (CompositeData) server.getAttribute(production, "State");
        System.out.println("state " + state.get("bufferSize") + " " + state.get("queueSize") + " "
            + state.get("processedJobs"));
        System.out.println("buffer " + server.getAttribute(production, "BufferSize"));
        System.out.println("counter " + server.getAttribute(counter, "ProcessedJobs"));
        System.exit(0);
    }
}
