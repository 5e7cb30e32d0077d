package buto.probes.classes;

/** Annotations as text in which constants are resolved. */
final class Annotations {
    private final Pool pool;
    private final StringBuilder text;
    private int place;

    Annotations(Pool pool, StringBuilder text) {
        this.pool = pool;
        this.text = text;
    }

    /** @param content the place of the attribute's content */
    void read(String attribute, int content) {
        place = content;
        if (attribute.equals("AnnotationDefault")) {
            value();
            return;
        }
        for (int left = next2(); left > 0; left--) {
            annotation();
        }
    }

    private int next2() {
        place += 2;
        return pool.int2(place - 2);
    }

    private void annotation() {
        text.append('@').append(Plain.descriptor(pool.text(next2())));
        for (int left = next2(); left > 0; left--) {
            text.append(' ').append(pool.text(next2())).append('=');
            value();
        }
    }

    private void value() {
        char tag = (char) pool.int1(place++);
        text.append(tag);
        if (tag == 'e') {
            text.append(Plain.descriptor(pool.text(next2()))).append('.').append(pool.text(next2()));
        } else if (tag == '@') {
            annotation();
        } else if (tag == '[') {
            for (int left = next2(); left > 0; left--) {
                value();
            }
        } else {
            text.append(pool.plain(next2()));
        }
    }
}
