import java.io.IOException;
import java.util.List;

final class AnalyzersHarmless2 implements Analyzers {
    private final Link[] links = new Link[Main.ANALYZERS];
    private int port;
    private int questions;
    private int calibrations;

    @Override public void open(int port) throws IOException {
        this.port = port;
        for (int i = 0; i < Main.ANALYZERS; i++) links[i] = new Link(port);
    }

    @Override public void round(int number) throws IOException {
        questions = 0;
    }

    @Override public String ask(int analyzer, String sample) throws IOException {
        questions++;
        String request = analyzer + " " + sample;
        String answer = links[analyzer].ask(request);
        if (answer.equals("CALIBRATING")) {
            calibrations++;
            links[analyzer].close();
            links[analyzer] = new Link(port);
            answer = links[analyzer].ask(request);
        }
        return answer;
    }

    @Override public List<String> summary() {
        return List.of("asked in the last round " + questions, "calibrations " + calibrations);
    }
}
