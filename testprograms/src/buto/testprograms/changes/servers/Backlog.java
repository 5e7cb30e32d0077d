package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.ArrayDeque;
import java.util.Queue;

/** Messages in a queue that is drained every few requests. The regression: less is taken each time. */
public final class Backlog implements Workload {
    private static final int ARRIVING = 20;
    private static final int EVERY = 4;
    private final Queue<Message> queue = new ArrayDeque<>();
    private final Change change;
    private final int taken;
    private long checksum;

    public Backlog(Change change) {
        this.change = change;
        this.taken = change.number(96, 79, 70);
    }

    private static final class Message {
        final String subject;
        final long[] body = new long[16];

        Message(int number) {
            this.subject = "message " + number;
            this.body[0] = number;
        }
    }

    @Override
    public void request(int number) {
        receive(number);
        if (number % EVERY == EVERY - 1) {
            drain();
        }
        checksum += number;
    }

    private void receive(int number) {
        for (int index = 0; index < ARRIVING; index++) {
            queue.add(new Message(number * ARRIVING + index));
        }
    }

    private void drain() {
        if (change == Change.REFACTORED) {
            int left = taken;
            while (left > 0 && !queue.isEmpty()) {
                deliver(queue.remove());
                left--;
            }
            return;
        }
        for (int index = 0; index < taken; index++) {
            Message message = queue.poll();
            if (message == null) {
                return;
            }
            deliver(message);
        }
    }

    private void deliver(Message message) {
        message.body[1] = message.subject.length();
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
