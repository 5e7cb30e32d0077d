package buto.testprograms.classloading;

/** Settings of a component, which fall back on those that they were derived from. */
public interface Configuration {
    /** The settings that these were derived from, or null. */
    Configuration parent();
}
