package buto.testprograms.references;

/** Keeps objects by one kind of reference. */
interface ObjectManager {
    void add(Object object);
}
