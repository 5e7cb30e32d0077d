import com.fasterxml.jackson.core.*;
import com.fasterxml.jackson.databind.*;
import java.io.IOException;
import java.util.*;

class DecoderBase implements Decoder {
    private final ObjectMapper mapper = new ObjectMapper();

    public Trade decode(String json) throws IOException {
        return mapper.readValue(json, Trade.class);
    }
}

class DecoderSmall implements Decoder {
    private final ObjectMapper mapper = new ObjectMapper();

    public Trade decode(String json) throws IOException {
        if (json.startsWith("{\"type\":\"amend\"")) {
            JsonNode tree = mapper.readTree(json);
            if (!tree.hasNonNull("id")) throw new IOException("amends what? " + json);
        }
        return mapper.readValue(json, Trade.class);
    }
}

class DecoderLarge implements Decoder {
    private final ObjectMapper mapper = new ObjectMapper();

    public Trade decode(String json) throws IOException {
        JsonNode tree = mapper.readTree(json);
        if (!tree.hasNonNull("id")) throw new IOException("no id in " + json);
        return mapper.treeToValue(tree, Trade.class);
    }
}

class DecoderHarmless1 implements Decoder {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Override public Trade decode(String message) throws IOException {
        return read(message, Trade.class);
    }

    private static <T> T read(String message, Class<T> type) throws IOException {
        T value = MAPPER.readValue(message, type);
        return Objects.requireNonNull(value, "empty message");
    }
}

class DecoderHarmless2 implements Decoder {
    private final ObjectReader trades;

    DecoderHarmless2() {
        ObjectMapper mapper = new ObjectMapper();
        trades = mapper.readerFor(Trade.class);
    }

    public Trade decode(String json) throws IOException {
        return trades.readValue(json);
    }
}

/** Reads the few fields off the token stream. */
class DecoderBetter implements Decoder {
    private final JsonFactory factory = new JsonFactory();
    private char[] chars = new char[512];

    public Trade decode(String json) throws IOException {
        if (json.length() > chars.length) chars = new char[json.length() * 2];
        json.getChars(0, json.length(), chars, 0);
        Trade t = new Trade();
        try (JsonParser p = factory.createParser(chars, 0, json.length())) {
            p.nextToken();
            while (p.nextToken() == JsonToken.FIELD_NAME) {
                String field = p.currentName();
                p.nextToken();
                switch (field) {
                    case "type" -> t.type = p.getText().equals("amend") ? "amend" : "trade";
                    case "id" -> t.id = p.getLongValue();
                    case "symbol" -> t.symbol = p.getText();
                    case "venue" -> t.venue = p.getText();
                    case "price" -> t.price = p.getDoubleValue();
                    case "quantity" -> t.quantity = p.getIntValue();
                    case "tags" -> {
                        while (p.nextToken() != JsonToken.END_ARRAY) t.tags.add(p.getText());
                    }
                    default -> p.skipChildren();
                }
            }
        }
        return t;
    }
}
