package buto.probes.calls;

import buto.probes.classes.Pool;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Function;

/** A class file in which some methods tell {@link Counts} when they begin and end. */
final class Inserted {
    private static final int MOST_CONSTANTS = 65_535;

    private final Pool pool;
    private final Added added;
    private final Function<String, Integer> numberOf;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(content);
    private int place;
    private boolean hasChanged;

    private Inserted(Pool pool, Function<String, Integer> numberOf) {
        this.pool = pool;
        this.numberOf = numberOf;
        added = new Added(pool);
    }

    /** Returns the new class file; null if it has no such method. @param numberOf gives the number of a method, or null */
    static byte[] into(byte[] bytes, Function<String, Integer> numberOf) {
        try {
            Inserted inserted = new Inserted(new Pool(bytes), numberOf);
            return inserted.pool.count + Added.NUMBER > MOST_CONSTANTS ? null : inserted.whole();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private byte[] whole() throws IOException {
        out.write(pool.bytes, 0, 8);
        out.writeShort(pool.count + Added.NUMBER);
        out.write(pool.bytes, 10, pool.end - 10);
        added.write(out);
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

    private void copy(int length) {
        content.write(pool.bytes, place, length);
        place += length;
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
        String name = pool.text(pool.int2(place + 2));
        Integer number = numberOf.apply(name);
        copy(6);
        if (number == null) {
            attributes();
            return;
        }
        for (int left = counted(); left > 0; left--) {
            Watched watched = pool.text(pool.int2(place)).equals("Code") ? new Watched(pool, added, place + 6, number) : null;
            if (watched != null && watched.isShortEnough()) {
                byte[] code = watched.content(name.equals("<init>"));
                int end = place + 6 + pool.int4(place + 2);
                content.write(pool.bytes, place, 2);
                out.writeInt(code.length);
                out.write(code);
                place = end;
                hasChanged = true;
            } else {
                copy(6 + pool.int4(place + 2));
            }
        }
    }
}
