package buto.store.service;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The parameters of a request, from its URL or its body. */
public record Request(Map<String, String> parameters) {

    /** Parses {@code a=1&b=2}; a missing text has no parameters. */
    static Request parse(String text) {
        Map<String, String> found = new HashMap<>();
        if (text != null && !text.isEmpty()) {
            for (String part : text.split("&")) {
                String[] pair = part.split("=", 2);
                String value = pair.length == 2 ? URLDecoder.decode(pair[1], StandardCharsets.UTF_8) : "";
                found.put(pair[0], value);
            }
        }
        return new Request(found);
    }

    /** Returns a parameter that must be there. */
    public String text(String name) {
        String value = parameters.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the parameter " + name + " is missing");
        }
        return value;
    }

    /** Returns a number that must be there. */
    public int number(String name) {
        return Integer.parseInt(text(name));
    }
}
