import java.lang.management.ManagementFactory;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/** Registers one MBean that counts and emits a notification for each count, 20 times in 200 ms. */
public class Bean extends NotificationBroadcasterSupport implements BeanMBean {
    private volatile int jobs;

    public int getJobs() {
        return jobs;
    }

    public int getSlots() {
        return 32;
    }

    public static void main(String[] arguments) throws Exception {
        Bean bean = new Bean();
        ObjectName name = new ObjectName("test:type=Bean");
        ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
        Thread.sleep(100);
        for (int i = 1; i <= 20; i++) {
            bean.jobs = i;
            bean.sendNotification(new Notification("test.job", name, i, "job " + i));
            Thread.sleep(10);
        }
        Thread.sleep(50);
    }
}
