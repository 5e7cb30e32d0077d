package search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

/** A full-text index: documents are added, replaced and searched for words. */
public final class Main {
    private static final int DOCUMENTS = 800;
    private static final int REPLACED = 3_200;
    private static final int QUERIES = 160_000;

    /** Application scope. */
    private static Index index;

    public static void main(String[] args) {
        index = index(args[0]);
        Random random = new Random(11);
        String[] words = new String[3000];
        for (int word = 0; word < words.length; word++) {
            words[word] = "w" + Integer.toString(Math.abs(random.nextInt()), 36);
        }
        for (int id = 0; id < DOCUMENTS; id++) {
            index.add(id, title(id, 0), text(random, words));
        }
        long found = 0;
        for (int number = 0; number < REPLACED; number++) {
            int id = random.nextInt(DOCUMENTS);
            index.remove(id);
            index.add(id, title(id, number), text(random, words));
            for (int query = 0; query < QUERIES / REPLACED; query++) {
                found += index.find(pick(random, words) + ", " + pick(random, words));
            }
            if (number % 100 == 0) {
                found += index.frequent(20);
            }
        }
        System.out.println("search " + found);
    }

    private static Index index(String version) {
        return switch (version) {
            case "base" -> new WholeIndex(new LoopSlugs(), new Removal(), new LoopStatistics(), 0, 4);
            case "small" -> new WholeIndex(new LoopSlugs(), new TitleKeepingRemoval(), new LoopStatistics(), 0, 4);
            case "large" -> new WholeIndex(new LoopSlugs(), new KeepingRemoval(), new LoopStatistics(), 0, 4);
            case "r1" -> new WholeIndex(new RegexSlugs(), new Removal(), new LoopStatistics(), 0, 4);
            case "r2" -> new WholeIndex(new LoopSlugs(), new Removal(), new StreamStatistics(), 0, 4);
            case "r3" -> new SplitIndex();
            case "r4" -> new WholeIndex(new LoopSlugs(), new Removal(), new LoopStatistics(), 4096, 8);
            default -> throw new IllegalArgumentException(version);
        };
    }

    private static String title(int id, int revision) {
        return "Document " + id + ", revision " + revision;
    }

    private static String text(Random random, String[] words) {
        StringBuilder text = new StringBuilder();
        for (int number = 0; number < 60; number++) {
            text.append(pick(random, words)).append(number % 9 == 8 ? ". " : " ");
        }
        return text.toString();
    }

    /** Some words are more frequent than others. */
    private static String pick(Random random, String[] words) {
        double x = random.nextDouble();
        return words[(int) (x * x * words.length)];
    }
}

interface Index {
    void add(int id, String title, String text);

    void remove(int id);

    int find(String query);

    /** Return how many words have more than so many documents. */
    long frequent(int documents);
}

/** A sorted set of numbers. */
final class Postings {
    int[] ids;
    int size;

    Postings(int capacity) {
        ids = new int[capacity];
    }

    void add(int id) {
        int place = Arrays.binarySearch(ids, 0, size, id);
        if (place >= 0) {
            return;
        }
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, size * 2);
        }
        System.arraycopy(ids, -place - 1, ids, -place, size + place + 1);
        ids[-place - 1] = id;
        size++;
    }

    void remove(int id) {
        int place = Arrays.binarySearch(ids, 0, size, id);
        if (place >= 0) {
            System.arraycopy(ids, place + 1, ids, place, size - place - 1);
            size--;
        }
    }

    int common(Postings other, BitSet live) {
        int count = 0;
        for (int place = 0; place < size; place++) {
            int id = ids[place];
            if (live.get(id) && Arrays.binarySearch(other.ids, 0, other.size, id) >= 0) {
                count++;
            }
        }
        return count;
    }

    int live(BitSet live) {
        int count = 0;
        for (int place = 0; place < size; place++) {
            if (live.get(ids[place])) {
                count++;
            }
        }
        return count;
    }
}

final class Entry {
    final int number;
    final String title;
    final String text;

    Entry(int number, String title, String text) {
        this.number = number;
        this.title = title;
        this.text = text;
    }
}

final class WholeIndex implements Index {
    final Map<String, Postings> postings;
    final Map<Integer, Entry> entries = new HashMap<>();
    final Map<String, Integer> titles = new HashMap<>();
    final BitSet live = new BitSet();
    final Slugs slugs;
    private final Removing removing;
    private final Statistics statistics;
    private final int capacity;
    private int next;

    WholeIndex(Slugs slugs, Removing removing, Statistics statistics, int words, int capacity) {
        this.slugs = slugs;
        this.removing = removing;
        this.statistics = statistics;
        this.capacity = capacity;
        postings = words == 0 ? new HashMap<>() : new HashMap<>(words * 4 / 3);
    }

    @Override
    public void add(int id, String title, String text) {
        Entry entry = new Entry(next++, slugs.of(title), text);
        entries.put(id, entry);
        titles.put(entry.title, entry.number);
        live.set(entry.number);
        for (String word : Tokens.of(text)) {
            Postings of = postings.get(word);
            if (of == null) {
                of = new Postings(capacity);
                postings.put(word, of);
            }
            of.add(entry.number);
        }
    }

    @Override
    public void remove(int id) {
        Entry entry = entries.remove(id);
        live.clear(entry.number);
        removing.remove(this, entry);
    }

    @Override
    public int find(String query) {
        List<String> words = Tokens.of(query);
        Postings first = postings.get(words.get(0));
        Postings second = postings.get(words.get(1));
        return first == null || second == null ? 0 : first.common(second, live);
    }

    @Override
    public long frequent(int documents) {
        return statistics.frequent(postings.values(), live, documents);
    }
}

interface Removing {
    void remove(WholeIndex index, Entry entry);
}

final class Removal implements Removing {
    @Override
    public void remove(WholeIndex index, Entry entry) {
        index.titles.remove(entry.title);
        for (String word : Tokens.of(entry.text)) {
            index.postings.get(word).remove(entry.number);
        }
    }
}

/** Leaves the title in its table. */
final class TitleKeepingRemoval implements Removing {
    @Override
    public void remove(WholeIndex index, Entry entry) {
        for (String word : Tokens.of(entry.text)) {
            index.postings.get(word).remove(entry.number);
        }
    }
}

/** Leaves title and postings: searches skip what is not live. */
final class KeepingRemoval implements Removing {
    @Override
    public void remove(WholeIndex index, Entry entry) {}
}

final class Tokens {
    private Tokens() {}

    static List<String> of(String text) {
        List<String> words = new ArrayList<>();
        int start = -1;
        for (int place = 0; place <= text.length(); place++) {
            if (place < text.length() && Character.isLetterOrDigit(text.charAt(place))) {
                start = start < 0 ? place : start;
            } else if (start >= 0) {
                words.add(text.substring(start, place).toLowerCase(Locale.ROOT));
                start = -1;
            }
        }
        return words;
    }
}

/** Titles as they are in addresses: "document-7-revision-3". */
interface Slugs {
    String of(String title);
}

final class LoopSlugs implements Slugs {
    @Override
    public String of(String title) {
        StringBuilder slug = new StringBuilder();
        boolean gap = false;
        for (int place = 0; place < title.length(); place++) {
            char one = title.charAt(place);
            if (one == ' ' || one == ',') {
                gap = true;
            } else {
                slug.append(gap ? "-" : "").append(Character.toLowerCase(one));
                gap = false;
            }
        }
        return slug.toString();
    }
}

final class RegexSlugs implements Slugs {
    private static final Pattern GAP = Pattern.compile("[ ,]+");

    @Override
    public String of(String title) {
        return GAP.matcher(title).replaceAll("-").toLowerCase(Locale.ROOT);
    }
}

interface Statistics {
    long frequent(Collection<Postings> postings, BitSet live, int documents);
}

final class LoopStatistics implements Statistics {
    @Override
    public long frequent(Collection<Postings> postings, BitSet live, int documents) {
        long count = 0;
        for (Postings one : postings) {
            if (one.live(live) > documents) {
                count++;
            }
        }
        return count;
    }
}

final class StreamStatistics implements Statistics {
    @Override
    public long frequent(Collection<Postings> postings, BitSet live, int documents) {
        return postings.stream().filter(one -> one.live(live) > documents).count();
    }
}

/** The index with a class for each of its duties. */
final class SplitIndex implements Index {
    private final Dictionary dictionary = new Dictionary();
    private final Documents documents = new Documents();
    private final Titles titles = new Titles();
    private final Searcher searcher = new Searcher(dictionary, documents);

    @Override
    public void add(int id, String title, String text) {
        Entry entry = documents.add(id, titles.slug(title), text);
        titles.add(entry);
        dictionary.add(entry, Tokens.of(text));
    }

    @Override
    public void remove(int id) {
        Entry entry = documents.remove(id);
        titles.remove(entry);
        dictionary.remove(entry, Tokens.of(entry.text));
    }

    @Override
    public int find(String query) {
        return searcher.find(query);
    }

    @Override
    public long frequent(int documents) {
        return searcher.frequent(documents);
    }
}

final class Dictionary {
    private final Map<String, Postings> postings = new HashMap<>();

    void add(Entry entry, List<String> words) {
        for (String word : words) {
            postings.computeIfAbsent(word, key -> new Postings(4)).add(entry.number);
        }
    }

    void remove(Entry entry, List<String> words) {
        for (String word : words) {
            postings.get(word).remove(entry.number);
        }
    }

    Postings get(String word) {
        return postings.get(word);
    }

    Collection<Postings> all() {
        return postings.values();
    }
}

final class Documents {
    private final Map<Integer, Entry> entries = new HashMap<>();
    private final BitSet live = new BitSet();
    private int next;

    Entry add(int id, String title, String text) {
        Entry entry = new Entry(next++, title, text);
        entries.put(id, entry);
        live.set(entry.number);
        return entry;
    }

    Entry remove(int id) {
        Entry entry = entries.remove(id);
        live.clear(entry.number);
        return entry;
    }

    BitSet live() {
        return live;
    }
}

final class Titles {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Slugs slugs = new LoopSlugs();

    String slug(String title) {
        return slugs.of(title);
    }

    void add(Entry entry) {
        numbers.put(entry.title, entry.number);
    }

    void remove(Entry entry) {
        numbers.remove(entry.title);
    }
}

final class Searcher {
    private final Dictionary dictionary;
    private final Documents documents;
    private final Statistics statistics = new LoopStatistics();

    Searcher(Dictionary dictionary, Documents documents) {
        this.dictionary = dictionary;
        this.documents = documents;
    }

    int find(String query) {
        List<String> words = Tokens.of(query);
        Postings first = dictionary.get(words.get(0));
        Postings second = dictionary.get(words.get(1));
        return first == null || second == null ? 0 : first.common(second, documents.live());
    }

    long frequent(int number) {
        return statistics.frequent(dictionary.all(), documents.live(), number);
    }
}
