import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Writes the bids of an evening. */
final class BidTape {
    private BidTape() { }

    static void write(Path file, int bids, int lots) throws IOException {
        Random random = new Random(7_1999);
        int[] price = new int[lots];
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = 0; i < bids; i++) {
                int lot = random.nextInt(lots);
                int cents = price[lot] + random.nextInt(5_000) - 1_800;
                if (cents > price[lot]) price[lot] = cents;
                out.write("lot-" + lot + ",bidder" + random.nextInt(9_000) + "," + Math.max(100, cents) + "," + (72_000_000 + i * 11) + ",room\n");
            }
        }
    }
}
