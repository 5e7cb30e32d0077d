/** The samples of one record. */
record Trace(int station, int flags, long start, int[] samples) { }
