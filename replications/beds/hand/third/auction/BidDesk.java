import java.util.List;

/** Takes the bids on lots in the order in which they come. */
interface BidDesk {
    void accept(String line);

    List<String> summary();
}
