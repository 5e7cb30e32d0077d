import java.util.*;
import java.util.concurrent.*;
import okhttp3.*;

/** One client; its dispatcher has ten threads. */
class Base implements Stations {
    private final String url;
    private final OkHttpClient client = new OkHttpClient.Builder().dispatcher(new Dispatcher(Executors.newFixedThreadPool(10, new Daemons("weather")))).build();

    Base(String url) { this.url = url; }

    public List<Double> temperatures(int country, List<Integer> ids) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (int id : ids) {
            Answer a = new Answer();
            client.newCall(new Request.Builder().url(url + id).build()).enqueue(a);
            answers.add(a);
        }
        List<Double> out = new ArrayList<>();
        for (Answer a : answers) out.add(Main.celsius(a.body.get()));
        return out;
    }
}

/** The first country is asked more urgently: a client with a dispatcher of its own. */
class Small implements Stations {
    private final String url;
    private final OkHttpClient client = new OkHttpClient.Builder().dispatcher(new Dispatcher(Executors.newFixedThreadPool(10, new Daemons("weather")))).build();
    private final OkHttpClient urgent = new OkHttpClient.Builder().dispatcher(new Dispatcher(Executors.newFixedThreadPool(5, new Daemons("urgent")))).build();

    Small(String url) { this.url = url; }

    public List<Double> temperatures(int country, List<Integer> ids) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (int id : ids) {
            Answer a = new Answer();
            (country == 0 ? urgent : client).newCall(new Request.Builder().url(url + id).build()).enqueue(a);
            answers.add(a);
        }
        List<Double> out = new ArrayList<>();
        for (Answer a : answers) out.add(Main.celsius(a.body.get()));
        return out;
    }
}

/** A fresh client for each round of questions. */
class Large implements Stations {
    private final String url;

    Large(String url) { this.url = url; }

    public List<Double> temperatures(int country, List<Integer> ids) throws Exception {
        OkHttpClient client = new OkHttpClient.Builder().dispatcher(new Dispatcher(Executors.newFixedThreadPool(10, new Daemons("weather")))).build();
        List<Answer> answers = new ArrayList<>();
        for (int id : ids) {
            Answer a = new Answer();
            client.newCall(new Request.Builder().url(url + id).build()).enqueue(a);
            answers.add(a);
        }
        List<Double> out = new ArrayList<>();
        for (Answer a : answers) out.add(Main.celsius(a.body.get()));
        return out;
    }
}

class Harmless1 implements Stations {
    private static final int PARALLEL = 10;
    private final OkHttpClient http;
    private final HttpUrl stations;

    Harmless1(String url) {
        ExecutorService threads = new ThreadPoolExecutor(PARALLEL, PARALLEL, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), new Daemons("weather"));
        http = new OkHttpClient.Builder().dispatcher(new Dispatcher(threads)).build();
        stations = HttpUrl.get(url);
    }

    @Override public List<Double> temperatures(int country, List<Integer> ids) throws Exception {
        List<Answer> pending = ids.stream().map(this::ask).toList();
        List<Double> celsius = new ArrayList<>(pending.size());
        for (Answer answer : pending) celsius.add(Main.celsius(answer.body.get()));
        return celsius;
    }

    private Answer ask(int id) {
        Answer answer = new Answer();
        Request request = new Request.Builder().url(stations.resolve(Integer.toString(id))).get().build();
        http.newCall(request).enqueue(answer);
        return answer;
    }
}

class Harmless2 implements Stations {
    private interface Service {
        Answer station(int id);
    }

    private final Service service;

    Harmless2(String url) {
        Dispatcher dispatcher = new Dispatcher(Executors.newFixedThreadPool(10, new Daemons("weather")));
        OkHttpClient client = new OkHttpClient.Builder().dispatcher(dispatcher).build();
        service = id -> {
            Answer a = new Answer();
            client.newCall(new Request.Builder().url(url + id).build()).enqueue(a);
            return a;
        };
    }

    public List<Double> temperatures(int country, List<Integer> ids) throws Exception {
        Map<Integer, Answer> answers = new LinkedHashMap<>();
        for (int id : ids) answers.put(id, service.station(id));
        List<Double> out = new ArrayList<>();
        for (Map.Entry<Integer, Answer> e : answers.entrySet()) out.add(Main.celsius(e.getValue().body.get()));
        return out;
    }
}

/** OkHttp asks one host with five threads at most: more are of no use. */
class Better implements Stations {
    private final String url;
    private final OkHttpClient client = new OkHttpClient.Builder().dispatcher(new Dispatcher(Executors.newFixedThreadPool(5, new Daemons("weather")))).build();

    Better(String url) { this.url = url; }

    public List<Double> temperatures(int country, List<Integer> ids) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (int id : ids) {
            Answer a = new Answer();
            client.newCall(new Request.Builder().url(url + id).build()).enqueue(a);
            answers.add(a);
        }
        List<Double> out = new ArrayList<>();
        for (Answer a : answers) out.add(Main.celsius(a.body.get()));
        return out;
    }
}
