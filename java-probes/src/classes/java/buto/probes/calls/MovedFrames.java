package buto.probes.calls;

import buto.probes.classes.Pool;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** The frames of a method's verification table, of which the instructions have moved. */
final class MovedFrames {
    private static final int SAME = 63;
    private static final int ONE_ON_STACK = 127;
    private static final int ONE_ON_STACK_FAR = 247;
    private static final int SAME_FAR = 251;
    private static final int FULL = 255;
    private static final int OBJECT = 7;
    private static final int UNINITIALIZED = 8;

    private final Pool pool;
    private final int[] moved;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(content);
    private int number;
    private int place;
    /** The old place in the code of the last frame. */
    private int last = -1;

    /** @param moved by the old place of an instruction, the new one */
    MovedFrames(Pool pool, int[] moved) {
        this.pool = pool;
        this.moved = moved;
    }

    /** Adds the frames of a table. @param table place of its content */
    void addAll(int table) throws IOException {
        place = table;
        for (int left = next2(); left > 0; left--) {
            frame();
        }
    }

    /** Adds the frame of a handler that needs nothing but what was thrown. @param throwable the constant of its class */
    void addHandler(int at, int throwable) throws IOException {
        int distance = distance(at - last - 1);
        out.writeByte(FULL);
        out.writeShort(distance);
        out.writeShort(0);
        out.writeShort(1);
        out.writeByte(OBJECT);
        out.writeShort(throwable);
    }

    /** Returns the table's content. */
    byte[] bytes() throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        new DataOutputStream(whole).writeShort(number);
        content.writeTo(whole);
        return whole.toByteArray();
    }

    private int next2() {
        place += 2;
        return pool.int2(place - 2);
    }

    /** Returns the new distance of the next frame, which is the whole way for the first one and else one less. */
    private int distance(int old) {
        int at = last + old + 1;
        int distance = last < 0 ? moved[at] : moved[at] - moved[last] - 1;
        last = at;
        number++;
        return distance;
    }

    private void frame() throws IOException {
        int type = pool.int1(place++);
        if (type <= SAME) {
            near(distance(type), 0, SAME_FAR);
        } else if (type <= ONE_ON_STACK) {
            near(distance(type - SAME - 1), SAME + 1, ONE_ON_STACK_FAR);
            types(1);
        } else {
            out.writeByte(type);
            out.writeShort(distance(next2()));
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
                out.writeShort(moved[next2()]);
            }
        }
    }
}
