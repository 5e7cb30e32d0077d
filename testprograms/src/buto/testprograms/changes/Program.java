package buto.testprograms.changes;

import buto.testprograms.changes.servers.Backlog;
import buto.testprograms.changes.servers.Checkout;
import buto.testprograms.changes.servers.Documents;
import buto.testprograms.changes.servers.Filters;
import buto.testprograms.changes.servers.Inventory;
import buto.testprograms.changes.servers.Ledger;
import buto.testprograms.changes.servers.Mailer;
import buto.testprograms.changes.servers.Market;
import buto.testprograms.changes.servers.Plugins;
import buto.testprograms.changes.servers.Readings;
import buto.testprograms.changes.servers.Reports;
import buto.testprograms.changes.servers.Routes;
import buto.testprograms.changes.servers.Sessions;
import buto.testprograms.changes.servers.Thumbnails;
import buto.testprograms.changes.servers.Transfers;
import buto.testprograms.launch.Ticker;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.Map;

/**
 * Small servers of which a later version has a regression: {@code Program NAME=CHANGE [NAME=CHANGE ...]}.
 *
 * <p>{@code NAME} is one of those that are printed without arguments, {@code CHANGE} one of base, small, large and
 * refactored. Each server answers 4,000 requests, two in a millisecond. Several run side by side in one program. A server
 * that falls behind catches up, so that the work done does not depend on the speed of the machine.
 */
public final class Program {
    private static final int REQUESTS = 4000;
    private static final long PERIOD_NANOS = 500_000;

    private Program() {
    }

    interface Factory {
        Workload create(Change change) throws Exception;
    }

    static Map<String, Factory> factories() {
        Map<String, Factory> factories = new TreeMap<>();
        factories.put("backlog", Backlog::new);
        factories.put("boxing", Readings::new);
        factories.put("cache", Thumbnails::new);
        factories.put("copies", Ledger::new);
        factories.put("descriptors", Documents::new);
        factories.put("exceptions", Filters::new);
        factories.put("listeners", Market::new);
        factories.put("locks", Inventory::new);
        factories.put("logging", Checkout::new);
        factories.put("native", Transfers::new);
        factories.put("plugins", Plugins::new);
        factories.put("search", Routes::new);
        factories.put("sessions", Sessions::new);
        factories.put("thread-local", Reports::new);
        factories.put("threads", Mailer::new);
        return factories;
    }

    public static void main(String[] line) throws Exception {
        if (line.length == 0) {
            System.err.println("usage: Program NAME=CHANGE [NAME=CHANGE ...]");
            System.err.println("names: " + String.join(" ", factories().keySet()));
            System.err.println("changes: base small large refactored");
            System.exit(2);
        }
        Workload[] workloads = new Workload[line.length];
        Thread[] servers = new Thread[line.length];
        for (int index = 0; index < line.length; index++) {
            String[] words = line[index].split("=");
            workloads[index] = factories().get(words[0]).create(Change.named(words[1]));
        }
        for (int index = 1; index < line.length; index++) {
            Workload workload = workloads[index];
            servers[index] = new Thread(() -> serve(workload), "server-" + line[index].split("=")[0]);
            servers[index].start();
        }
        serve(workloads[0]);
        for (Thread server : Arrays.asList(servers).subList(1, servers.length)) {
            server.join();
        }
        for (int index = 0; index < line.length; index++) {
            System.out.println(line[index].split("=")[0] + " " + workloads[index].checksum());
            workloads[index].close();
        }
    }

    private static void serve(Workload workload) {
        Ticker ticker = new Ticker(PERIOD_NANOS);
        for (int number = 0; number < REQUESTS; number++) {
            ticker.await();
            try {
                workload.request(number);
            } catch (Exception failure) {
                throw new IllegalStateException("request " + number + " failed", failure);
            }
        }
    }
}
