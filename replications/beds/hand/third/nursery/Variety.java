/** A variety for sale. */
record Variety(String name, String habit, int thirst) { }
