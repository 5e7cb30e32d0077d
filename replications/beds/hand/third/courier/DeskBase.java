import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

final class DeskBase implements Desk {
    private final OkHttpClient tracking = new OkHttpClient.Builder().callTimeout(Duration.ofSeconds(20)).connectionPool(new ConnectionPool(8, 5, TimeUnit.MINUTES)).build();
    private final OkHttpClient rates = new OkHttpClient.Builder().callTimeout(Duration.ofSeconds(10)).connectionPool(new ConnectionPool(8, 5, TimeUnit.MINUTES)).build();
    private final List<String> failures = new ArrayList<>();

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

    @Override public int unknown() {
        return failures.size();
    }
}
