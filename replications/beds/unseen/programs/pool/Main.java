package pool;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;

/** Clients of three price servers on loopback sockets, with a pool of connections for each server. */
public final class Main {
    static final int SHARDS = 3;
    static final int CLIENTS = 3;
    private static final int REQUESTS = 7_000;

    public static void main(String[] args) throws Exception {
        Parts parts = parts(args[0]);
        List<Server> servers = new ArrayList<>();
        List<Pool> pools = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            Server server = new Server(parts.prices);
            servers.add(server);
            pools.add(new Pool(server.port(), 2, parts.keeping));
        }
        parts.phases.connected();
        List<Callable<Long>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            int first = client * REQUESTS;
            clients.add(() -> {
                long sum = 0;
                for (int request = first; request < first + REQUESTS; request++) {
                    sum += parts.asking.ask(pools.get(request % SHARDS), request);
                }
                return sum;
            });
        }
        long sum = parts.running.run(clients);
        parts.phases.answered();
        System.out.println("pool " + sum);
    }

    private record Parts(Keeping keeping, Asking asking, Running running, Phases phases, Prices prices) {}

    private static Parts parts(String version) {
        return switch (version) {
            case "base" -> new Parts(new OneKeeper(), new FinallyAsking(), new ThreadRunning(), new OnePhase(), new ComputedPrices());
            case "small" -> new Parts(new PoolKeepers(), new FinallyAsking(), new ThreadRunning(), new OnePhase(), new ComputedPrices());
            case "large" -> new Parts(new ConnectionKeepers(), new FinallyAsking(), new ThreadRunning(), new OnePhase(), new ComputedPrices());
            case "r1" -> new Parts(new OneKeeper(), new FinallyAsking(), new ExecutorRunning(), new OnePhase(), new ComputedPrices());
            case "r2" -> new Parts(new OneKeeper(), new ResourceAsking(), new ThreadRunning(), new OnePhase(), new ComputedPrices());
            case "r3" -> new Parts(new OneKeeper(), new FinallyAsking(), new ThreadRunning(), new BothPhases(), new ComputedPrices());
            case "r4" -> new Parts(new OneKeeper(), new FinallyAsking(), new ThreadRunning(), new OnePhase(), new TablePrices());
            default -> throw new IllegalArgumentException(version);
        };
    }
}

final class Threads {
    private Threads() {}

    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}

/** Answers each line "PRICE n" with "OK price", a thread for each connection. */
final class Server {
    private final ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final Prices prices;

    Server(Prices prices) throws IOException {
        this.prices = prices;
        Threads.daemon("server-" + socket.getLocalPort(), this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                Threads.daemon("handler", () -> serve(client));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private void serve(Socket client) {
        try (client) {
            Lines lines = new Lines(client);
            for (String line = lines.read(); line != null; line = lines.read()) {
                int article = Integer.parseInt(line.substring("PRICE ".length()));
                lines.write("OK " + prices.of(article));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}

final class Lines {
    private final BufferedReader in;
    private final Writer out;

    Lines(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII), 512);
        out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.US_ASCII), 512);
    }

    String read() throws IOException {
        return in.readLine();
    }

    void write(String line) throws IOException {
        out.write(line);
        out.write('\n');
        out.flush();
    }
}

final class Connection {
    final Pool pool;
    final Lines lines;
    final AtomicLong borrowed = new AtomicLong();
    private final Socket socket;

    Connection(Pool pool, int port) throws IOException {
        this.pool = pool;
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        lines = new Lines(socket);
    }

    void close() throws IOException {
        socket.close();
    }
}

/** A pool of connections, of which each is renewed after some use. */
final class Pool {
    private static final int USES = 350;

    private final BlockingQueue<Connection> idle;
    private final int port;
    private final Keeping keeping;

    Pool(int port, int size, Keeping keeping) throws IOException {
        this.port = port;
        this.keeping = keeping;
        idle = new ArrayBlockingQueue<>(size);
        keeping.pool(this);
        for (int number = 0; number < size; number++) {
            idle.add(open());
        }
    }

    Connection borrow() throws InterruptedException {
        return idle.take();
    }

    void giveBack(Connection connection) throws IOException, InterruptedException {
        if (connection.borrowed.incrementAndGet() < USES) {
            idle.put(connection);
        } else {
            connection.close();
            idle.put(open());
        }
    }

    int idle() {
        return idle.size();
    }

    private Connection open() throws IOException {
        Connection connection = new Connection(this, port);
        keeping.connection(connection);
        return connection;
    }
}

/** Threads that look after pools. */
interface Keeping {
    void pool(Pool pool);

    void connection(Connection connection);
}

final class Keeper implements Runnable {
    private final List<Pool> pools;
    private long idle;

    Keeper(List<Pool> pools) {
        this.pools = pools;
    }

    @Override
    public void run() {
        CountDownLatch never = new CountDownLatch(1);
        try {
            do {
                for (Pool pool : pools) {
                    idle += pool.idle();
                }
            } while (!never.await(1, java.util.concurrent.TimeUnit.SECONDS));
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}

/** One thread for all pools. */
final class OneKeeper implements Keeping {
    private final List<Pool> pools = new java.util.concurrent.CopyOnWriteArrayList<>();

    @Override
    public void pool(Pool pool) {
        pools.add(pool);
        if (pools.size() == 1) {
            Threads.daemon("keeper", new Keeper(pools));
        }
    }

    @Override
    public void connection(Connection connection) {}
}

/** A thread for each pool. */
final class PoolKeepers implements Keeping {
    @Override
    public void pool(Pool pool) {
        Threads.daemon("keeper", new Keeper(List.of(pool)));
    }

    @Override
    public void connection(Connection connection) {}
}

/** A thread for each connection, also when it was closed. */
final class ConnectionKeepers implements Keeping {
    @Override
    public void pool(Pool pool) {}

    @Override
    public void connection(Connection connection) {
        Threads.daemon("keeper", new Keeper(List.of(connection.pool)));
    }
}

interface Asking {
    long ask(Pool pool, int article) throws IOException, InterruptedException;
}

final class FinallyAsking implements Asking {
    @Override
    public long ask(Pool pool, int article) throws IOException, InterruptedException {
        Connection connection = pool.borrow();
        try {
            connection.lines.write("PRICE " + article);
            return Long.parseLong(connection.lines.read().substring("OK ".length()));
        } finally {
            pool.giveBack(connection);
        }
    }
}

final class Lease implements AutoCloseable {
    private final Pool pool;
    private final Connection connection;

    Lease(Pool pool) throws InterruptedException {
        this.pool = pool;
        connection = pool.borrow();
    }

    Lines lines() {
        return connection.lines;
    }

    @Override
    public void close() throws IOException {
        try {
            pool.giveBack(connection);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}

final class ResourceAsking implements Asking {
    @Override
    public long ask(Pool pool, int article) throws IOException, InterruptedException {
        try (Lease lease = new Lease(pool)) {
            lease.lines().write("PRICE " + article);
            return Long.parseLong(lease.lines().read().substring("OK ".length()));
        }
    }
}

interface Running {
    long run(List<Callable<Long>> tasks) throws InterruptedException, ExecutionException;
}

final class ThreadRunning implements Running {
    @Override
    public long run(List<Callable<Long>> tasks) throws InterruptedException, ExecutionException {
        List<FutureTask<Long>> running = new ArrayList<>();
        for (Callable<Long> task : tasks) {
            FutureTask<Long> one = new FutureTask<>(task);
            new Thread(one, "client").start();
            running.add(one);
        }
        long sum = 0;
        for (FutureTask<Long> one : running) {
            sum += one.get();
        }
        return sum;
    }
}

final class ExecutorRunning implements Running {
    @Override
    public long run(List<Callable<Long>> tasks) throws InterruptedException, ExecutionException {
        ExecutorService executor = Executors.newFixedThreadPool(tasks.size());
        try {
            long sum = 0;
            for (Future<Long> one : executor.invokeAll(tasks)) {
                sum += one.get();
            }
            return sum;
        } finally {
            executor.shutdown();
        }
    }
}

interface Phases {
    Logger LOG = Logger.getLogger("pool");

    void connected();

    void answered();
}

final class OnePhase implements Phases {
    @Override
    public void connected() {
        LOG.info("connected");
    }

    @Override
    public void answered() {}
}

final class BothPhases implements Phases {
    @Override
    public void connected() {
        LOG.info("connected");
    }

    @Override
    public void answered() {
        LOG.info("answered");
    }
}

interface Prices {
    long of(int article);
}

final class ComputedPrices implements Prices {
    @Override
    public long of(int article) {
        return article * 7919L % 10_007;
    }
}

/** Knows the first prices by heart. */
final class TablePrices implements Prices {
    private final long[] first = new long[512];

    TablePrices() {
        for (int article = 0; article < first.length; article++) {
            first[article] = article * 7919L % 10_007;
        }
    }

    @Override
    public long of(int article) {
        return article < first.length ? first[article] : article * 7919L % 10_007;
    }
}
