import java.io.IOException;
import java.time.Duration;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

final class DeskHarmless2 implements Desk {
    private final OkHttpClient tracking = client(20);
    private final OkHttpClient rates = client(10);
    private final List<String> failures = new LinkedList<>();

    @Override public String track(int port, int parcel) throws IOException {
        Request request = new Request.Builder().url("http://127.0.0.1:" + port + "/parcels/" + parcel).build();
        try (Response response = tracking.newCall(request).execute()) {
            if (!response.isSuccessful()) {
                failures.add(response.toString());
                return null;
            }
            String text = response.body().string();
            return text.substring(0, text.indexOf('\n'));
        }
    }

    @Override public String rate(int port, int zone) throws IOException {
        Request request = new Request.Builder().url("http://127.0.0.1:" + port + "/rates/" + zone).build();
        try (Response response = rates.newCall(request).execute()) {
            return response.body().string();
        }
    }

    private static OkHttpClient client(int seconds) {
        ConnectionPool pool = new ConnectionPool(8, 5, TimeUnit.MINUTES);
        return new OkHttpClient.Builder().callTimeout(Duration.ofSeconds(seconds)).connectionPool(pool).build();
    }

    @Override public int unknown() {
        return failures.size();
    }
}
