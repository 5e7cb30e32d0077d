package buto.testprograms.classloading;

/** A part of an application that is deployed repeatedly, each time with a class loader of its own. */
public interface Component {
    /** Takes over from the component that ran before; the first one takes over from null. */
    void replace(Component former);

    Configuration configuration();

    /** How many times the application was deployed. */
    int generation();
}
