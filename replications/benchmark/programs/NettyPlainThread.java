import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.nio.charset.StandardCharsets;

/** Decodes requests in a thread that is not one of the library's own, as tests do. */
final class NettyPlainThread {
    private static final int REQUESTS = 20_000;

    public static void main(String[] args) throws Exception {
        byte[] request = "GET /shop HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        int decoded = 0;
        for (int i = 0; i < REQUESTS; i++) {
            ByteBuf content = Unpooled.wrappedBuffer(request);
            var channel = new EmbeddedChannel(new HttpRequestDecoder());
            channel.writeInbound(content);
            decoded += channel.readInbound() instanceof HttpRequest ? 1 : 0;
            channel.finishAndReleaseAll();
        }
        if (decoded != REQUESTS) {
            throw new IllegalStateException("only " + decoded + " requests were decoded");
        }
        Use.print();
    }
}
