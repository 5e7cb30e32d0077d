import io.netty.buffer.PooledByteBufAllocator;

/** Takes buffers of 32 KB from the pool and returns them. */
final class NettyBuffers {
    private static final int BUFFERS = 10_000_000;

    public static void main(String[] args) throws Exception {
        long capacity = 0;
        for (int i = 0; i < BUFFERS; i++) {
            var buffer = PooledByteBufAllocator.DEFAULT.directBuffer(32_768);
            capacity += buffer.capacity();
            buffer.release();
        }
        System.out.println(capacity);
        Use.print();
    }
}
