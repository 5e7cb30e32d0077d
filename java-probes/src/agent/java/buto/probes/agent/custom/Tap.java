package buto.probes.agent.custom;

import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;

/** Listens to one MBean of the program, in the program's own threads. */
final class Tap implements NotificationListener {
    private final ObjectName bean;
    private final Notifications notifications;

    Tap(ObjectName bean, Notifications notifications) {
        this.bean = bean;
        this.notifications = notifications;
    }

    @Override
    public void handleNotification(Notification emitted, Object handback) {
        try {
            Object source = emitted.getSource();
            ObjectName name = source instanceof ObjectName ? (ObjectName) source : bean;
            notifications.add(System.nanoTime(), name.getCanonicalName(), emitted);
        } catch (Throwable lost) {
            // This is a thread of the program: no exception of the agent may reach it.
        }
    }
}
