import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/** Reads many short payloads of a message into one array. */
final class MsgpackPayloads {
    private static final int PAYLOADS = 500_000;

    public static void main(String[] args) throws Exception {
        byte[] payload = new byte[8];
        byte[] message;
        try (var packer = MessagePack.newDefaultBufferPacker()) {
            for (int i = 0; i < PAYLOADS; i++) {
                packer.packBinaryHeader(payload.length);
                packer.writePayload(payload);
            }
            message = packer.toByteArray();
        }
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(message)) {
            for (int i = 0; i < PAYLOADS; i++) {
                unpacker.readPayload(payload, 0, unpacker.unpackBinaryHeader());
            }
        }
        Use.print(payload);
    }
}
