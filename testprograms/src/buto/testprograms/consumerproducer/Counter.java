package buto.testprograms.consumerproducer;

import java.util.concurrent.atomic.AtomicLong;
import javax.management.MBeanNotificationInfo;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;

/** Counts jobs and notifies its listeners whenever the count passes a multiple of the log interval. */
public final class Counter extends NotificationBroadcasterSupport implements CounterMXBean {
    /** The type of its notifications. */
    public static final String MILESTONE = "buto.testprograms.milestone";

    private final AtomicLong processed = new AtomicLong();
    private final int logInterval;

    public Counter(int logInterval) {
        super(new MBeanNotificationInfo(
            new String[] {MILESTONE}, Notification.class.getName(), "the count passed a log interval"));
        this.logInterval = logInterval;
    }

    /** Counts one more job; returns its number. */
    long increase() {
        long job = processed.incrementAndGet();
        if (job % logInterval == 0) {
            sendNotification(new Notification(MILESTONE, this, job / logInterval, job + " jobs processed"));
        }
        return job;
    }

    @Override
    public long getProcessedJobs() {
        return processed.get();
    }
}
