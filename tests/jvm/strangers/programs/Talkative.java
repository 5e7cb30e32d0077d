import java.lang.management.ManagementFactory;
import javax.management.MBeanNotificationInfo;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/** Tells everybody what it was given: on both outputs, in an attribute and in notifications. */
public final class Talkative extends NotificationBroadcasterSupport implements TalkativeMBean {
    private final String secret;

    private Talkative(String secret) {
        super(new MBeanNotificationInfo(new String[] {"given"}, Notification.class.getName(), "what it was given"));
        this.secret = secret;
    }

    @Override
    public String getPassword() {
        return secret;
    }

    @Override
    public String getUrl() {
        return "jdbc:postgresql://joe:" + secret + "@db.example/shop";
    }

    public static void main(String[] arguments) throws Exception {
        Talkative bean = new Talkative(System.getenv("SHOP_PASSWORD"));
        ManagementFactory.getPlatformMBeanServer().registerMBean(bean, new ObjectName("shop:type=Talkative"));
        System.out.println("arguments: " + String.join(" ", arguments));
        System.err.println("properties: " + System.getProperty("shop.password") + System.getProperty("shop.licence"));
        System.out.println("environment: " + System.getenv("SHOP_PASSWORD"));
        for (int i = 0; i < 3; i++) {
            Thread.sleep(100);
            bean.sendNotification(new Notification("given", "shop:type=Talkative", i, "with " + bean.getUrl()));
        }
        System.exit(arguments.length > 2 ? Integer.parseInt(arguments[2]) : 0);
    }
}
