import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

final class BidDeskBase implements BidDesk {
    private static final Logger LOG = Logger.getLogger("auction");
    private static final int HISTORY = 12;

    static final class Bid {
        private final String bidder;
        private final int cents;
        private final long at;

        Bid(String bidder, int cents, long at) {
            this.bidder = bidder;
            this.cents = cents;
            this.at = at;
        }

        String bidder() { return bidder; }

        int cents() { return cents; }

        long at() { return at; }

        @Override public String toString() { return bidder + "@" + cents; }
    }

    static final class Lot {
        final String name;
        final ArrayDeque<Bid> history = new ArrayDeque<>();
        Bid top;

        Lot(String name) { this.name = name; }
    }

    private final Map<String, Lot> lots = new HashMap<>();
    private int accepted;
    private int rejected;

    @Override public void accept(String line) {
        String[] fields = line.split(",");
        Bid bid = new Bid(fields[1], Integer.parseInt(fields[2]), Long.parseLong(fields[3]));
        Lot lot = lots.get(fields[0]);
        if (lot == null) {
            lot = new Lot(fields[0]);
            lots.put(lot.name, lot);
        }
        if (lot.top != null && bid.cents() <= lot.top.cents()) {
            rejected++;
            if (LOG.isLoggable(Level.FINE)) LOG.fine(lot.name + ": bid of " + bid + " is below " + lot.top.cents());
            return;
        }
        accepted++;
        lot.top = bid;
        lot.history.addLast(bid);
        if (lot.history.size() > HISTORY) lot.history.removeFirst();
        if (LOG.isLoggable(Level.FINE)) LOG.fine(lot.name + ": " + lot.history);
    }

    @Override public List<String> summary() {
        long cents = 0;
        long last = 0;
        for (Lot lot : lots.values()) {
            cents += lot.top.cents();
            last = Math.max(last, lot.top.at());
        }
        List<String> lines = new ArrayList<>();
        lines.add("lots sold " + lots.size());
        lines.add("hammer prices " + cents);
        lines.add("bids accepted " + accepted + " rejected " + rejected);
        lines.add("last bid at " + last);
        return lines;
    }
}
