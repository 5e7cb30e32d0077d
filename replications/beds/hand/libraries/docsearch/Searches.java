import java.util.*;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.*;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.*;

class Base implements Search {
    private final IndexSearcher searcher;
    private final StandardAnalyzer analyzer = new StandardAnalyzer();

    Base(IndexSearcher searcher) { this.searcher = searcher; }

    public List<String> titles(String question) throws Exception {
        Query q = new QueryParser("text", analyzer).parse(question);
        StoredFields stored = searcher.storedFields();
        List<String> out = new ArrayList<>();
        for (ScoreDoc d : searcher.search(q, HITS).scoreDocs) out.add(stored.document(d.doc, Set.of("title")).get("title"));
        return out;
    }
}

/** Looks at the best hit of every fourth question as a whole, to see if it has a text at all. */
class Small implements Search {
    private int asked;
    private final IndexSearcher searcher;
    private final StandardAnalyzer analyzer = new StandardAnalyzer();

    Small(IndexSearcher searcher) { this.searcher = searcher; }

    public List<String> titles(String question) throws Exception {
        Query q = new QueryParser("text", analyzer).parse(question);
        List<String> out = new ArrayList<>();
        StoredFields stored = searcher.storedFields();
        ScoreDoc[] hits = searcher.search(q, HITS).scoreDocs;
        if (hits.length > 0 && asked++ % 4 == 0 && searcher.storedFields().document(hits[0].doc).get("text").isBlank()) return out;
        for (ScoreDoc d : hits) out.add(stored.document(d.doc, Set.of("title")).get("title"));
        return out;
    }
}

/** Asks for all hits and shows the first. */
class Large implements Search {
    private final IndexSearcher searcher;
    private final StandardAnalyzer analyzer = new StandardAnalyzer();

    Large(IndexSearcher searcher) { this.searcher = searcher; }

    public List<String> titles(String question) throws Exception {
        Query q = new QueryParser("text", analyzer).parse(question);
        StoredFields stored = searcher.storedFields();
        List<String> out = new ArrayList<>();
        for (ScoreDoc d : searcher.search(q, Integer.MAX_VALUE).scoreDocs) {
            if (out.size() == HITS) break;
            out.add(stored.document(d.doc, Set.of("title")).get("title"));
        }
        return out;
    }
}

class Harmless1 implements Search {
    private static final String FIELD = "text", TITLE = "title";
    private final StandardAnalyzer analyzer = new StandardAnalyzer();
    private final IndexSearcher index;

    Harmless1(IndexSearcher index) { this.index = index; }

    @Override public List<String> titles(String question) throws Exception {
        TopDocs best = index.search(parse(question), HITS);
        StoredFields fields = index.storedFields();
        List<String> titles = new ArrayList<>();
        for (ScoreDoc hit : best.scoreDocs) titles.add(title(fields, hit.doc));
        return titles;
    }

    private Query parse(String question) throws Exception {
        QueryParser parser = new QueryParser(FIELD, analyzer);
        return parser.parse(question);
    }

    private static String title(StoredFields fields, int doc) throws java.io.IOException {
        return fields.document(doc, Set.of(TITLE)).get(TITLE);
    }
}

class Harmless2 implements Search {
    private record Hit(int doc, float score) { }

    private final IndexSearcher searcher;
    private final StandardAnalyzer analyzer = new StandardAnalyzer();
    private final Set<String> wanted = Collections.singleton("title");

    Harmless2(IndexSearcher searcher) { this.searcher = searcher; }

    public List<String> titles(String question) throws Exception {
        Query q = new QueryParser("text", analyzer).parse(question);
        List<Hit> hits = Arrays.stream(searcher.search(q, HITS).scoreDocs).map(d -> new Hit(d.doc, d.score)).toList();
        StoredFields stored = searcher.storedFields();
        List<String> out = new ArrayList<>();
        for (Hit h : hits) out.add(stored.document(h.doc(), wanted).get("title"));
        return out;
    }
}

/** A parser for all questions, and titles remembered. */
class Better implements Search {
    private final IndexSearcher searcher;
    private final QueryParser parser = new QueryParser("text", new StandardAnalyzer());
    private final String[] titles;

    Better(IndexSearcher searcher) {
        this.searcher = searcher;
        titles = new String[searcher.getIndexReader().maxDoc()];
    }

    public List<String> titles(String question) throws Exception {
        Query q = parser.parse(question);
        StoredFields stored = null;
        List<String> out = new ArrayList<>();
        for (ScoreDoc d : searcher.search(q, HITS).scoreDocs) {
            if (titles[d.doc] == null) {
                if (stored == null) stored = searcher.storedFields();
                titles[d.doc] = stored.document(d.doc, Set.of("title")).get("title");
            }
            out.add(titles[d.doc]);
        }
        return out;
    }
}
