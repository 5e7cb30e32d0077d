import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.*;

@JsonIgnoreProperties(ignoreUnknown = true)
public class Trade {
    public String type, symbol, venue;
    public long id;
    public double price;
    public int quantity;
    public List<String> tags = new ArrayList<>();
}
