package buto.store.catalogue;

/** Something that is sold. */
public record Product(int id, String name, int cents, String description) {

    /** Returns it as a line {@code id;name;cents}. */
    String line() {
        return id + ";" + name + ";" + cents;
    }
}
