package buto.testprograms.growth;

/** What a program does in a round besides its work. */
interface Habit {
    /** Carries out a round, counted from 0. */
    void round(int number) throws Exception;
}
