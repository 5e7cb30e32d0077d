package buto.testprograms.leaker;

/** Creates the objects that the leaker keeps. */
interface ObjectFactory {
    Object create();
}
