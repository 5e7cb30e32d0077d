package buto.probes.calls;

import buto.probes.classes.Pool;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Function;

/**
 * A class file in which some methods begin with a call of {@link Counts#called}.
 *
 * <p>Each of these methods begins eight bytes later: a multiple of four, so that the padding of switches stays as it is. Jumps
 * are relative, so only tables with places in the code have to change. Tables for debuggers are left out.
 */
final class Inserted {
    private static final int LENGTH = 8;
    private static final int LONGEST = 65_535;
    private static final int MOST_CONSTANTS = 65_535;
    private static final int NEW_CONSTANTS = 6;
    private static final String COUNTS = "buto/probes/calls/Counts";

    private final Pool pool;
    private final Function<String, Integer> numberOf;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(content);
    private int place;
    private boolean hasChanged;

    private Inserted(Pool pool, Function<String, Integer> numberOf) {
        this.pool = pool;
        this.numberOf = numberOf;
    }

    /** Returns the new class file; null if it has no such method. @param numberOf gives the number of a method, or null */
    static byte[] into(byte[] bytes, Function<String, Integer> numberOf) {
        try {
            Inserted inserted = new Inserted(new Pool(bytes), numberOf);
            return inserted.pool.count + NEW_CONSTANTS > MOST_CONSTANTS ? null : inserted.whole();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private byte[] whole() throws IOException {
        out.write(pool.bytes, 0, 8);
        out.writeShort(pool.count + NEW_CONSTANTS);
        out.write(pool.bytes, 10, pool.end - 10);
        constants();
        place = pool.end;
        copy(6);
        copy(2 + 2 * pool.int2(place));
        for (int left = counted(); left > 0; left--) {
            copy(6);
            attributes();
        }
        for (int left = counted(); left > 0; left--) {
            method();
        }
        copy(pool.bytes.length - place);
        return hasChanged ? content.toByteArray() : null;
    }

    private void constants() throws IOException {
        out.writeByte(Pool.UTF8);
        out.writeUTF(COUNTS);
        out.writeByte(7);
        out.writeShort(pool.count);
        out.writeByte(Pool.UTF8);
        out.writeUTF("called");
        out.writeByte(Pool.UTF8);
        out.writeUTF("(I)V");
        out.writeByte(12);
        out.writeShort(pool.count + 2);
        out.writeShort(pool.count + 3);
        out.writeByte(10);
        out.writeShort(pool.count + 1);
        out.writeShort(pool.count + 4);
    }

    private void copy(int length) {
        out(pool.bytes, place, length);
        place += length;
    }

    private void out(byte[] bytes, int from, int length) {
        content.write(bytes, from, length);
    }

    private int counted() {
        copy(2);
        return pool.int2(place - 2);
    }

    private void attributes() {
        for (int left = counted(); left > 0; left--) {
            copy(6 + pool.int4(place + 2));
        }
    }

    private void method() throws IOException {
        Integer number = numberOf.apply(pool.text(pool.int2(place + 2)));
        copy(6);
        if (number == null) {
            attributes();
            return;
        }
        for (int left = counted(); left > 0; left--) {
            boolean isCode = pool.text(pool.int2(place)).equals("Code");
            if (isCode && pool.int4(place + 10) + LENGTH <= LONGEST) {
                code(number);
                hasChanged = true;
            } else {
                copy(6 + pool.int4(place + 2));
            }
        }
    }

    private void code(int number) throws IOException {
        int end = place + 6 + pool.int4(place + 2);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(body);
        to.writeShort(Math.max(1, pool.int2(place + 6)));
        to.writeShort(pool.int2(place + 8));
        int length = pool.int4(place + 10);
        to.writeInt(length + LENGTH);
        to.writeByte(17);
        to.writeShort(number);
        to.writeByte(184);
        to.writeShort(pool.count + 5);
        to.writeShort(0);
        to.write(pool.bytes, place + 14, length);
        int at = place + 14 + length;
        int handlers = pool.int2(at);
        to.writeShort(handlers);
        at += 2;
        for (; handlers > 0; handlers--, at += 8) {
            for (int part = 0; part < 6; part += 2) {
                to.writeShort(pool.int2(at + part) + LENGTH);
            }
            to.writeShort(pool.int2(at + 6));
        }
        tables(at, to);
        out(pool.bytes, place, 2);
        out.writeInt(body.size());
        body.writeTo(content);
        place = end;
    }

    private void tables(int from, DataOutputStream to) throws IOException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        DataOutputStream tables = new DataOutputStream(kept);
        int at = from + 2;
        int number = 0;
        for (int left = pool.int2(from); left > 0; left--) {
            String name = pool.text(pool.int2(at));
            if (name.equals("LineNumberTable")) {
                number++;
                tables.write(pool.bytes, at, 8);
                for (int entry = 0; entry < pool.int2(at + 6); entry++) {
                    tables.writeShort(pool.int2(at + 8 + 4 * entry) + LENGTH);
                    tables.writeShort(pool.int2(at + 10 + 4 * entry));
                }
            } else if (name.equals("StackMapTable")) {
                number++;
                byte[] frames = new MovedFrames(pool, at + 6, LENGTH).bytes();
                tables.writeShort(pool.int2(at));
                tables.writeInt(frames.length);
                tables.write(frames);
            }
            at += 6 + pool.int4(at + 2);
        }
        to.writeShort(number);
        kept.writeTo(to);
    }
}
