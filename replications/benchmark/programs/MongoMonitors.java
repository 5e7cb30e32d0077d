import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.util.ArrayList;

/** Keeps clients for a replica set of three servers, of which none answers. */
final class MongoMonitors {
    private static final int CLIENTS = 5;

    public static void main(String[] args) throws Exception {
        var clients = new ArrayList<MongoClient>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(MongoClients.create("mongodb://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/?replicaSet=shop"));
        }
        Thread.sleep(500);
        Use.print(clients);
        clients.forEach(MongoClient::close);
    }
}
