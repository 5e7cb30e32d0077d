import com.google.protobuf.CodedOutputStream;

/** Writes small and large numbers to an array, as messages with fields of numbers do. */
final class ProtobufNumbers {
    private static final int ROUNDS = 20_000;
    private static final int NUMBERS = 10_000;

    public static void main(String[] args) throws Exception {
        byte[] bytes = new byte[NUMBERS * 10];
        long written = 0;
        for (int round = 0; round < ROUNDS; round++) {
            var out = CodedOutputStream.newInstance(bytes);
            for (int i = 0; i < NUMBERS; i++) {
                out.writeUInt32NoTag(i * 31);
            }
            written += out.getTotalBytesWritten();
        }
        System.out.println(written);
        Use.print(bytes);
    }
}
