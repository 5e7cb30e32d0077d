package buto.probes.jmx.polling;

import java.io.ByteArrayOutputStream;

/** Frames that wait to be drained. Bounded: samples and notifications beyond it are counted. */
public final class Outbox {
    private static final int MOST_BYTES = 12 << 20;
    private static final int MOST_NOTIFICATION_BYTES = 4 << 20;

    private final ByteArrayOutputStream frames = new ByteArrayOutputStream();
    private int notificationBytes;
    private long droppedSamples;
    private long droppedNotifications;
    private boolean droppedMore;

    /** Columns, reasons and metadata: never dropped, because later frames depend on them. */
    synchronized void put(Frame frame) {
        byte[] bytes = frame.bytes();
        frames.write(bytes, 0, bytes.length);
    }

    synchronized void putSample(Frame frame) {
        byte[] bytes = frame.bytes();
        if (frames.size() + bytes.length > MOST_BYTES) {
            droppedSamples++;
            droppedMore = true;
            return;
        }
        frames.write(bytes, 0, bytes.length);
    }

    synchronized void putNotification(Frame frame) {
        byte[] bytes = frame.bytes();
        if (notificationBytes + bytes.length > MOST_NOTIFICATION_BYTES) {
            lostNotifications(1);
            return;
        }
        notificationBytes += bytes.length;
        frames.write(bytes, 0, bytes.length);
    }

    public synchronized void lostNotifications(long count) {
        droppedNotifications += count;
        droppedMore = true;
    }

    public synchronized byte[] drain() {
        if (droppedMore) {
            put(new Frame(Frame.DROPPED).i64(droppedSamples).i64(droppedNotifications));
            droppedMore = false;
        }
        byte[] drained = frames.toByteArray();
        frames.reset();
        notificationBytes = 0;
        return drained;
    }
}
