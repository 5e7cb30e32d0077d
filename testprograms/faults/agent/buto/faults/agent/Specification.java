package buto.faults.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A fault as it was typed. */
final class Specification {
    private static final Pattern FORM = Pattern.compile("([\\w-]+)=([a-z]+):(\\d+)@([\\w.$]+)#([\\w$]+)(:on)?");
    final String name;
    final String kind;
    final long amount;
    final String className;
    final String method;
    final boolean active;

    private Specification(Matcher typed) {
        this.name = typed.group(1);
        this.kind = typed.group(2);
        this.amount = Long.parseLong(typed.group(3));
        this.className = typed.group(4);
        this.method = typed.group(5);
        this.active = typed.group(6) != null;
    }

    static List<Specification> parse(String arguments) {
        List<Specification> found = new ArrayList<>();
        for (String typed : arguments.split(";")) {
            Matcher matcher = FORM.matcher(typed);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                    "a fault must be NAME=KIND:AMOUNT@CLASS#METHOD[:on], got '" + typed + "'");
            }
            if (matcher.group(2).equals("leak") && Long.parseLong(matcher.group(3)) == 0) {
                throw new IllegalArgumentException("a leak needs at least 1 call, got '" + typed + "'");
            }
            found.add(new Specification(matcher));
        }
        return found;
    }
}
