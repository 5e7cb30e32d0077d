import java.util.*;
import java.util.regex.*;

class RouterBase implements Main.Router {
    private final Pattern[] patterns = new Pattern[Main.TABLE.length];

    RouterBase() {
        for (int i = 0; i < patterns.length; i++) patterns[i] = Pattern.compile(Main.TABLE[i][1]);
    }

    public String route(String path) {
        String p = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        for (int i = 0; i < patterns.length; i++) {
            Matcher m = patterns[i].matcher(p);
            if (m.matches()) return Main.TABLE[i][0] + " a=" + m.group(1) + " b=" + m.group(2);
        }
        return "404";
    }
}

class RouterSmall implements Main.Router {
    private final Pattern[] patterns = new Pattern[Main.TABLE.length];

    RouterSmall() {
        for (int i = 0; i < patterns.length; i++) patterns[i] = Pattern.compile(Main.TABLE[i][1]);
    }

    public String route(String path) {
        String p = path.endsWith("/") ? path.replaceFirst("/+$", "") : path;
        for (int i = 0; i < patterns.length; i++) {
            Matcher m = patterns[i].matcher(p);
            if (m.matches()) return Main.TABLE[i][0] + " a=" + m.group(1) + " b=" + m.group(2);
        }
        return "404";
    }
}

class RouterLarge implements Main.Router {
    public String route(String path) {
        String p = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        for (String[] row : Main.TABLE) {
            if (p.matches(row[1])) {
                Matcher m = Pattern.compile(row[1]).matcher(p);
                m.matches();
                return row[0] + " a=" + m.group(1) + " b=" + m.group(2);
            }
        }
        return "404";
    }
}

class RouterHarmless1 implements Main.Router {
    private record Route(String handler, Pattern pattern) { }

    private final List<Route> routes = Arrays.stream(Main.TABLE).map(row -> new Route(row[0], Pattern.compile(row[1]))).toList();

    public String route(String path) {
        String p = normalized(path);
        for (int i = 0; i < routes.size(); i++) {
            Route r = routes.get(i);
            Matcher m = r.pattern().matcher(p);
            if (m.matches()) return r.handler() + " a=" + m.group(1) + " b=" + m.group(2);
        }
        return "404";
    }

    private static String normalized(String path) {
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }
}

class RouterHarmless2 implements Main.Router {
    private static final String NOT_FOUND = "404";
    private final Map<String, Pattern> patterns = new LinkedHashMap<>();

    RouterHarmless2() {
        for (String[] row : Main.TABLE) patterns.put(row[0], Pattern.compile(row[1]));
    }

    public String route(String path) {
        int end = path.length();
        if (end > 0 && path.charAt(end - 1) == '/') end--;
        String p = path.substring(0, end);
        for (Map.Entry<String, Pattern> e : patterns.entrySet()) {
            Matcher m = e.getValue().matcher(p);
            if (m.matches()) return target(e.getKey(), m);
        }
        return NOT_FOUND;
    }

    private static String target(String handler, Matcher m) {
        return handler + " a=" + m.group(1) + " b=" + m.group(2);
    }
}

class RouterBetter implements Main.Router {
    private final Matcher[] matchers = new Matcher[Main.TABLE.length];

    RouterBetter() {
        for (int i = 0; i < matchers.length; i++) matchers[i] = Pattern.compile(Main.TABLE[i][1]).matcher("");
    }

    public String route(String path) {
        String p = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        for (int i = 0; i < matchers.length; i++) {
            Matcher m = matchers[i].reset(p);
            if (m.matches()) return Main.TABLE[i][0] + " a=" + m.group(1) + " b=" + m.group(2);
        }
        return "404";
    }
}
