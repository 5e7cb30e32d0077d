import io.undertow.server.DefaultByteBufferPool;

/** Answers each request in a thread of its own, which takes two buffers from the pool of a server and ends. */
final class UndertowThreads {
    private static final int REQUESTS = 2_000;
    private static final int LINES = 1_000;

    public static void main(String[] args) throws Exception {
        // The size and the limits that a server gives its pool.
        var pool = new DefaultByteBufferPool(true, 16 * 1024 - 20, -1, 4);
        for (int i = 0; i < REQUESTS; i++) {
            int number = i;
            var worker = new Thread(() -> answer(pool, number));
            worker.start();
            worker.join();
        }
        Use.print(pool);
    }

    private static void answer(DefaultByteBufferPool pool, int number) {
        try (var in = pool.allocate();
                var out = pool.allocate()) {
            in.getBuffer().putInt(number).flip();
            int asked = in.getBuffer().getInt();
            var text = new StringBuilder();
            for (int line = 0; line < LINES; line++) {
                text.append(asked).append(" has the line ").append(line).append('\n');
            }
            out.getBuffer().put(text.substring(0, LINES).getBytes());
        }
    }
}
