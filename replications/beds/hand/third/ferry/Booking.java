/** A place on a ferry that somebody wants. */
record Booking(int number, int route, int sailing, int persons, boolean vehicle, boolean infant) { }
