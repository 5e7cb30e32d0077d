package buto.probes.calls;

import buto.probes.classes.Pool;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** The frames of a method's verification table, some bytes later in the code. */
final class MovedFrames {
    private static final int SAME = 63;
    private static final int ONE_ON_STACK = 127;
    private static final int ONE_ON_STACK_FAR = 247;
    private static final int SAME_FAR = 251;
    private static final int FULL = 255;
    private static final int OBJECT = 7;
    private static final int UNINITIALIZED = 8;

    private final Pool pool;
    private final int by;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(content);
    private int place;

    /** @param table place of the table's content */
    MovedFrames(Pool pool, int table, int by) {
        this.pool = pool;
        this.by = by;
        place = table;
    }

    byte[] bytes() throws IOException {
        int left = next2();
        out.writeShort(left);
        // Each frame counts from the one before, so only the first one moves.
        for (int more = by; left > 0; left--, more = 0) {
            frame(more);
        }
        return content.toByteArray();
    }

    private int next2() {
        place += 2;
        return pool.int2(place - 2);
    }

    private void frame(int more) throws IOException {
        int type = pool.int1(place++);
        if (type <= SAME) {
            near(type + more, 0, SAME_FAR);
        } else if (type <= ONE_ON_STACK) {
            near(type - SAME - 1 + more, SAME + 1, ONE_ON_STACK_FAR);
            types(1);
        } else {
            out.writeByte(type);
            out.writeShort(next2() + more);
            if (type == FULL) {
                counted();
                counted();
            } else {
                types(type == ONE_ON_STACK_FAR ? 1 : Math.max(0, type - SAME_FAR));
            }
        }
    }

    private void near(int distance, int first, int far) throws IOException {
        if (distance <= SAME) {
            out.writeByte(first + distance);
        } else {
            out.writeByte(far);
            out.writeShort(distance);
        }
    }

    private void counted() throws IOException {
        int number = next2();
        out.writeShort(number);
        types(number);
    }

    private void types(int number) throws IOException {
        for (int left = number; left > 0; left--) {
            int tag = pool.int1(place++);
            out.writeByte(tag);
            if (tag == OBJECT) {
                out.writeShort(next2());
            } else if (tag == UNINITIALIZED) {
                out.writeShort(next2() + by);
            }
        }
    }
}
