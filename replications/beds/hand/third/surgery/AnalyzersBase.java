import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

final class AnalyzersBase implements Analyzers {
    private final List<Link> links = new ArrayList<>();
    private int port;
    private int asked;
    private int calibrations;

    @Override public void open(int port) throws IOException {
        this.port = port;
        for (int i = 0; i < Main.ANALYZERS; i++) links.add(new Link(port));
    }

    @Override public void round(int number) throws IOException {
        asked = 0;
    }

    @Override public String ask(int analyzer, String sample) throws IOException {
        asked++;
        String request = analyzer + " " + sample;
        String answer = links.get(analyzer).ask(request);
        if (answer.equals("CALIBRATING")) {
            calibrations++;
            links.get(analyzer).close();
            links.set(analyzer, new Link(port));
            answer = links.get(analyzer).ask(request);
        }
        return answer;
    }

    @Override public List<String> summary() {
        return List.of("asked in the last round " + asked, "calibrations " + calibrations);
    }
}
