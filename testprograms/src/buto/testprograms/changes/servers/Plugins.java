package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Plug-ins, each loaded by a class loader of its own. The regression: some loaders are kept after use. */
public final class Plugins implements Workload {
    private static final int EVERY = 10;
    private final List<Object> loaded = new ArrayList<>();
    private final byte[] code;
    private final Change change;
    private final int keptEvery;
    private long checksum;

    public Plugins(Change change) throws IOException {
        this.change = change;
        this.keptEvery = change.number(Integer.MAX_VALUE, 40, 5);
        this.code = bytesOf(Plugin.class);
    }

    /** What is loaded again and again. */
    public static final class Plugin {
        private final byte[] state = new byte[1024];

        @Override
        public int hashCode() {
            return state.length;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(Plugins.class.getClassLoader());
        }

        Class<?> define(String name, byte[] code) {
            return defineClass(name, code, 0, code.length);
        }
    }

    @Override
    public void request(int number) throws ReflectiveOperationException {
        if (number % EVERY == 0) {
            Object plugin = load();
            checksum += plugin.hashCode();
            unload(plugin, number / EVERY);
        }
    }

    private Object load() throws ReflectiveOperationException {
        if (change == Change.REFACTORED) {
            Class<?> type = new Loader().define(Plugin.class.getName(), code);
            return type.getConstructor().newInstance();
        }
        return new Loader().define(Plugin.class.getName(), code).getConstructor().newInstance();
    }

    private void unload(Object plugin, int number) {
        if (number % keptEvery == keptEvery - 1) {
            loaded.add(plugin);
        }
    }

    private static byte[] bytesOf(Class<?> type) throws IOException {
        try (InputStream in = type.getResourceAsStream("Plugins$" + type.getSimpleName() + ".class")) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[1024];
            for (int length = in.read(part); length >= 0; length = in.read(part)) {
                out.write(part, 0, length);
            }
            return out.toByteArray();
        }
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
