import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.BytesRef;

/** Indexes vectors as binary values, and reads those of every tenth document several times, as queries for similar ones do. */
final class LuceneVectors {
    private static final int DOCUMENTS = 10_000;
    private static final int DIMENSIONS = 128;
    private static final int QUERIES = 200;

    public static void main(String[] args) throws Exception {
        var random = new Random(3);
        long sum = 0;
        try (var directory = new ByteBuffersDirectory()) {
            try (var writer = new IndexWriter(directory, new IndexWriterConfig())) {
                var vector = ByteBuffer.allocate(DIMENSIONS * Float.BYTES);
                for (int i = 0; i < DOCUMENTS; i++) {
                    vector.clear();
                    while (vector.hasRemaining()) {
                        vector.putFloat(random.nextInt(128));
                    }
                    var document = new Document();
                    document.add(new BinaryDocValuesField("vector", new BytesRef(vector.array().clone())));
                    writer.addDocument(document);
                }
                writer.forceMerge(1);
            }
            try (var reader = DirectoryReader.open(directory)) {
                var leaf = reader.leaves().get(0).reader();
                for (int query = 0; query < QUERIES; query++) {
                    BinaryDocValues values = leaf.getBinaryDocValues("vector");
                    for (int i = query % 10; i < DOCUMENTS; i += 10) {
                        sum += values.advanceExact(i) ? values.binaryValue().bytes[values.binaryValue().offset] : 0;
                    }
                }
            }
            System.out.println(sum);
            Use.print();
        }
    }
}
