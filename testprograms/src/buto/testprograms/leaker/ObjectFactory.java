package buto.testprograms.leaker;

/** Makes the objects that the leaker keeps. */
interface ObjectFactory {
    Object create();
}
