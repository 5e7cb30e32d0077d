import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

final class AnalyzersBetter implements Analyzers {
    /** The analyzers of a room answer over one link. */
    private static final int ROOMS = 7;

    private final List<Link> links = new ArrayList<>();
    private int port;
    private int asked;
    private int calibrations;

    @Override public void open(int port) throws IOException {
        this.port = port;
        for (int i = 0; i < ROOMS; i++) links.add(new Link(port));
    }

    @Override public void round(int number) throws IOException {
        asked = 0;
    }

    @Override public String ask(int analyzer, String sample) throws IOException {
        asked++;
        int room = analyzer % ROOMS;
        String request = analyzer + " " + sample;
        String answer = links.get(room).ask(request);
        if (answer.equals("CALIBRATING")) {
            calibrations++;
            links.get(room).close();
            links.set(room, new Link(port));
            answer = links.get(room).ask(request);
        }
        return answer;
    }

    @Override public List<String> summary() {
        return List.of("asked in the last round " + asked, "calibrations " + calibrations);
    }
}
