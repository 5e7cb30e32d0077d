import java.io.IOException;
import java.util.*;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.*;

/** Indexes the manuals of a vendor in memory and answers the questions of the help page. */
public class Main {
    static final String[] WORDS = ("valve pump filter pressure leak noise oil gauge replace tighten manual start stop error light red green sensor cable fuse"
        + " battery charge reset display menu language update wireless printer paper jam tray roller toner drum scan copy fax network address").split(" ");

    public static void main(String[] args) throws Exception {
        try (Directory dir = new ByteBuffersDirectory()) {
            index(dir, new Random(55));
            try (DirectoryReader reader = DirectoryReader.open(dir)) {
                Search search = pick(args[0], new IndexSearcher(reader));
                Random r = new Random(56);
                long hash = 0;
                for (int i = 0; i < 700; i++) {
                    String question = WORDS[r.nextInt(WORDS.length)] + " AND " + WORDS[r.nextInt(WORDS.length)];
                    for (String title : search.titles(question)) hash = hash * 31 + title.hashCode();
                }
                System.out.println(reader.numDocs() + " manuals, answers " + Long.toHexString(hash));
            }
        }
    }

    private static void index(Directory dir, Random r) throws IOException {
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer()).setMergeScheduler(new SerialMergeScheduler());
        try (IndexWriter w = new IndexWriter(dir, config)) {
            for (int i = 0; i < 2400; i++) {
                StringBuilder text = new StringBuilder();
                for (int k = 0; k < 30; k++) text.append(WORDS[(int) Math.abs(r.nextGaussian() * 14) % WORDS.length]).append(' ');
                Document d = new Document();
                d.add(new StoredField("title", "Manual " + i));
                d.add(new TextField("text", text.toString(), Field.Store.YES));
                w.addDocument(d);
            }
            w.forceMerge(1);
        }
    }

    private static Search pick(String v, IndexSearcher s) {
        return switch (v) {
            case "base" -> new Base(s);
            case "small" -> new Small(s);
            case "large" -> new Large(s);
            case "harmless1" -> new Harmless1(s);
            case "harmless2" -> new Harmless2(s);
            case "better" -> new Better(s);
            default -> throw new IllegalArgumentException(v);
        };
    }
}

interface Search {
    int HITS = 8;

    /** Of the best eight. */
    List<String> titles(String question) throws Exception;
}
