import io.sentry.Sentry;

/** Starts and finishes transactions, none of which is sent, as a server that samples few of its requests. */
final class SentryTransactions {
    private static final int TRANSACTIONS = 60;

    public static void main(String[] args) throws Exception {
        Sentry.init(options -> {
            options.setDsn("http://key@127.0.0.1:1/1");
            options.setTracesSampleRate(0.0);
        });
        for (int i = 0; i < TRANSACTIONS; i++) {
            Sentry.startTransaction("order", "http.server").finish();
        }
        Use.print();
    }
}
