package buto.testprograms.changes;

import java.util.Locale;

/** The version of a program that runs. */
public enum Change {
    /** As it always was. */
    BASE,
    /** A small regression. */
    SMALL,
    /** The same regression, larger. */
    LARGE,
    /** Other code that does the same and uses the same. */
    REFACTORED;

    static Change named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** Return the number that belongs to this version; the refactored program has the number of the base. */
    public int number(int base, int small, int large) {
        switch (this) {
            case SMALL:
                return small;
            case LARGE:
                return large;
            default:
                return base;
        }
    }
}
