import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A courier's counter: parcels are looked up at the depots, and rates are asked for. */
public class Main {
    /** The counter stays open. */
    static Desk desk;

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        List<Integer> ports = Depots.start(6);
        desk = Choice.of(Desk.class, "Desk", args[0]);
        Map<String, Integer> gates = new TreeMap<>();
        long length = 0;
        for (int parcel = 0; parcel < 100; parcel++) {
            int port = ports.get(parcel * 5 % ports.size());
            String text = desk.track(port, parcel);
            if (text != null) gates.merge(text.substring(text.lastIndexOf(' ') + 1), 1, Integer::sum);
            length += desk.rate(port, parcel % 9).length();
        }
        System.out.println("unknown " + desk.unknown() + " length " + length);
        System.out.println("gates " + gates.entrySet().stream().map(e -> e.getKey() + ":" + e.getValue()).collect(Collectors.joining(" ")));
    }
}
