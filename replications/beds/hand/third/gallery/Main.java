import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes the small pictures of a collection of paintings in several sizes. */
public class Main {
    static final int SCANS = 18;
    static final List<Thumb> kept = new ArrayList<>();
    static Renderer renderer;

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("gallery");
        List<Scan> scans = new ArrayList<>();
        try {
            Random random = new Random(1_632);
            ByteBuffer strip = ByteBuffer.allocateDirect(Scan.STRIP);
            for (int i = 0; i < SCANS; i++) scans.add(Scan.write(dir, i, random, strip));
            renderer = Versions.of(Renderer.class, "Renderer", args[0]);
            long sum = 0;
            for (int step : new int[] {1, 1, 1, 2, 2, 4}) {
                for (Scan scan : scans) {
                    Thumb thumb = renderer.render(scan, step);
                    sum += thumb.sum;
                    if (step == 4) kept.add(thumb);
                }
            }
            System.out.println("pictures " + SCANS * 6);
            System.out.println("light " + sum);
            for (String line : renderer.summary()) System.out.println(line);
        } finally {
            for (Scan scan : scans) scan.delete();
            Files.deleteIfExists(dir);
        }
    }
}
